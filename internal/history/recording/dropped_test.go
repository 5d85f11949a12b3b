package recording

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"watchglass/internal/history"
	"watchglass/internal/history/historytest"
)

// droppingRecord is a record whose changes up to a moment are dropped while it is read, as a Store's are.
type droppingRecord struct {
	*historytest.Model
	known  time.Time
	looked func() // called once gaps have been read
}

func (t *droppingRecord) Gaps(stream int) []history.Gap {
	all := t.Model.Gaps(stream)
	if t.known.After(begun) {
		all = slices.Insert(all, 0, history.Gap{From: begun, To: t.known, Why: history.Dropped})
	}
	t.looked()
	return all
}

// at returns a moment, or the first one that is known if that is later.
func (t *droppingRecord) at(at time.Time) time.Time {
	if at.Before(t.known) {
		return t.known
	}
	return at
}

func (t *droppingRecord) At(stream int, at time.Time, yield func(history.Object) bool) {
	if at.Before(t.known) {
		return
	}
	t.Model.At(stream, t.at(at), func(o history.Object) bool {
		now, ok := t.Find(stream, o.Key, t.at(at))
		return !ok || yield(now)
	})
}

func (t *droppingRecord) Between(stream int, from, to time.Time, yield func(history.Change) bool) {
	t.Model.Between(stream, from, to, func(c history.Change) bool { return !c.At.After(t.known) || yield(c) })
}

// writeDropping returns the file of a record that loses its changes up to each of some moments, one every few pauses
// from one on, or every few looks at its gaps; and how many pauses or looks there were.
func writeDropping(t testing.TB, whole *historytest.Model, c Choices, looking bool, first int, known ...time.Time) (file []byte, steps int) {
	t.Helper()
	record, every := &droppingRecord{Model: whole}, 7
	if looking {
		every = 2
	}
	step := func(looked bool) {
		if looked != looking {
			return
		}
		if steps++; steps > first && len(known) > 0 {
			record.known, known = known[0], known[1:]
			first += every
		}
	}
	record.looked = func() { step(true) }
	_, to := record.Span()
	if _, err := Write(record, Header{From: begun, To: to}, c, func(piece []byte) error {
		file = append(file, piece...)
		step(false)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return file, steps
}

// TestDropped holds that a file has the objects of each moment that it claims to know, whenever changes are dropped
// while it is written.
func TestDropped(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	record := randomRecord(rng, 600)
	from, to := record.Span()
	drops := []time.Time{begun.Add(to.Sub(from) / 3), begun.Add(to.Sub(from) / 2)}
	for _, c := range []Choices{{}, {HideAnnotations: true}} {
		for _, looking := range []bool{false, true} {
			_, steps := writeDropping(t, record, c, looking, 0)
			for first := 0; first < steps; first += max(3, steps/30) {
				file, _ := writeDropping(t, record, c, looking, first, drops...)
				checkDropped(t, record, file, drops[1].Add(2*time.Second), fmt.Sprint("dropped at ", first, ", looking ", looking))
			}
		}
	}
}

// checkDropped compares a file with a record at moments that it knows, which are all from one on.
func checkDropped(t *testing.T, record *historytest.Model, file []byte, latest time.Time, when string) {
	t.Helper()
	from, to := record.Span()
	got, err := read(file, 1<<20)
	if err != nil || got.Damage != "" {
		t.Fatal(err, got.Damage)
	}
	for stream := range got.Streams() {
		known := from
		for _, g := range got.Gaps(stream) {
			if g.Why == history.Dropped && g.To.After(known) {
				known = g.To
			}
		}
		if known.After(latest) {
			t.Fatalf("%s: known since %v", when, known)
		}
		for _, at := range []time.Time{known, known.Add(time.Second), known.Add(5 * time.Second), to} {
			a, b := historytest.Objects(got, stream, at), historytest.Objects(record, stream, at)
			if fmt.Sprint(a) != fmt.Sprint(b) {
				t.Fatalf("%s, stream %d at %v:\n%v\nwant\n%v", when, stream, at, a, b)
			}
		}
	}
}

// TestDroppedHidden holds that objects written after changes were dropped are redacted and left out like others,
// and that their names are found in messages.
func TestDroppedHidden(t *testing.T) {
	record := historytest.New(begun)
	pods := record.Open(history.Stream{Version: "v1", Resource: "pods", Kind: "Pod", Namespaced: true})
	events := record.Open(history.Stream{Version: "v1", Resource: "events", Kind: "Event", Namespaced: true})
	pod := func(second int, namespace, name string) {
		record.Put(pods, begun.Add(time.Duration(second)*time.Second), namespace+"/"+name, fmt.Sprint("uid-", second), payload("Pod", namespace+"/"+name, second, rand.New(rand.NewPCG(1, 1))))
	}
	pod(1, "shop", "frontend")
	pod(20, "shop", "zanzibar")
	pod(20, "hidden", "quagga")
	record.Put(events, begun.Add(60*time.Second), "shop/e", "e", []byte(`{"apiVersion":"v1","kind":"Event","metadata":{"name":"e","namespace":"shop"},"message":"killed zanzibar"}`))
	c := Choices{HideObjects: true, Namespaces: []string{"hidden"}}
	for _, looking := range []bool{false, true} {
		_, steps := writeDropping(t, record, c, looking, 0)
		for first := range steps {
			file, _ := writeDropping(t, record, c, looking, first, begun.Add(30*time.Second), begun.Add(40*time.Second))
			for _, name := range []string{"zanzibar", "frontend", "quagga", "hidden/"} {
				if bytes.Contains(file, []byte(name)) {
					t.Fatalf("dropped at %d, looking %v: the file has %q", first, looking, name)
				}
			}
			got, err := read(file, 1<<20)
			if err != nil || got.Damage != "" {
				t.Fatal(err, got.Damage)
			}
			if _, to := got.Span(); len(historytest.Objects(got, pods, to)) != 2 {
				t.Fatalf("dropped at %d, looking %v: %v", first, looking, historytest.Objects(got, pods, to))
			}
		}
	}
}
