package informer

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"watchglass/internal/deltafifo"
)

// TestUnreadModel plays random events and lists, some of whose objects can't be read, and checks that a subscription knows
// at the end which objects are there, which of those it had are unreadable, and which are deleted.
func TestUnreadModel(t *testing.T) {
	const gone, there, unread = "", "there", "unread"
	for seed := range uint64(2000) {
		r := rand.New(rand.NewPCG(seed, 0))
		i := newInformer(newSource())
		var model, seen [3]string
		keys := [...]string{"a", "b", "c"}
		i.SubscribeLate(func(changes []Change[*thing]) {
			for _, c := range changes {
				at, was := strings.Index("abc", c.Key), ""
				switch was = seen[at]; {
				case c.After != nil:
					seen[at] = there
				case c.Before == nil && (was != unread || c.Final == nil || c.Final.key != c.Key), c.Before != nil && was != there:
					t.Fatalf("seed %d: a deletion of what is %q: %+v", seed, was, c)
				case c.Unread:
					seen[at] = unread
				default:
					seen[at] = gone
				}
			}
		})
		pop := func() {
			_ = i.fifo.Pop(t.Context(), func(b *deltafifo.Batch[*thing]) error { return i.process(b) })
		}
		i.fifo.Replace(nil, "1")
		for step := range 40 {
			at := r.IntN(3)
			o := &thing{keys[at], fmt.Sprint(step)}
			switch r.IntN(8) {
			case 0, 1:
				i.fifo.Update(o)
				model[at] = there
			case 2, 3:
				i.fifo.Unread(o)
				model[at] = unread
			case 4:
				i.fifo.Delete(o)
				model[at] = gone
			case 5:
				var list, lost []*thing
				for at, key := range keys {
					switch o := (&thing{key, fmt.Sprint(step)}); r.IntN(3) {
					case 0:
						model[at], list = there, append(list, o)
					case 1:
						model[at], lost = unread, append(lost, o)
					default:
						model[at] = gone
					}
				}
				i.fifo.Replace(list, "2", lost...)
			case 6:
				if i.fifo.Len() > 0 {
					pop()
				}
			}
		}
		for i.fifo.Len() > 0 {
			pop()
		}
		for at := range model {
			if seen[at] != model[at] && (seen[at] != gone || model[at] != unread) {
				t.Fatalf("seed %d: %s is %q, and %q was reported", seed, keys[at], model[at], seen[at])
			}
		}
	}
}
