package timeline

import (
	"testing"
	"time"

	"watchglass/internal/history"
	"watchglass/internal/object"
)

// held is a source of pods.
type held map[string]*object.Object

func (h held) List() (all []*object.Object) {
	for _, o := range h {
		all = append(all, o)
	}
	return all
}
func (h held) Get(key string) (*object.Object, bool) { o, ok := h[key]; return o, ok }

// TestAddedAtWaking checks that an object that a list found after a gap was not added then, also if the gap ends a little later.
func TestAddedAtWaking(t *testing.T) {
	for _, after := range []time.Duration{0, 3 * time.Millisecond} {
		kind, _ := object.Builtin("pods")
		decoder := object.NewDecoder(kind, true)
		store := history.NewStore(history.NewMemory(1<<30, nil))
		all0 := held{}
		feed := store.NewInput(history.Source{Kind: kind, Decoder: decoder, Held: func(f func(history.Objects)) { f(all0) }})
		feed.Join(begin, all0)
		feed.Live(begin.Add(time.Minute))
		feed.Miss(begin.Add(time.Minute), history.Away) // it sleeps for an hour
		p := pod("web-0")
		p.CreationTimestamp.Time = begin.Add(20 * time.Minute)
		o, err := decoder.Decode(packed(t, p))
		if err != nil {
			t.Fatal(err)
		}
		all0[o.Key()] = o
		woken := begin.Add(time.Hour)
		feed.Note(woken, nil, o)
		feed.Live(woken.Add(after))
		feed.Live(woken.Add(time.Minute))
		_, entries := all(t, store)
		for _, e := range entries {
			if e.Rule() != Rules[foundByList].Name {
				t.Errorf("live %v after the list: %v: %s %q, folded by %q; it was created at %v", after, time.UnixMilli(e.At).UTC(), e.Of.Name, e.Words, e.Rule(), p.CreationTimestamp.UTC())
			}
		}
	}
}
