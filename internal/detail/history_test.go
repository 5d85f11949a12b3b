package detail

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"watchglass/internal/object"
)

// maker makes versions of configuration maps.
type maker struct {
	*object.Decoder
	t testing.TB
}

func newMaker(t testing.TB) maker {
	kind, ok := object.Builtin("configmaps")
	if !ok {
		t.Fatal("no such kind")
	}
	return maker{object.NewDecoder(kind, true), t}
}

func (m maker) version(uid string, version, size int) *object.Object {
	o, err := m.Decode(fmt.Appendf(nil, `{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"web","namespace":"shop","uid":%q,"resourceVersion":"%d"},"data":{"x":%q}}`, uid, version, strings.Repeat("x", size)))
	if err != nil {
		m.t.Fatal(err)
	}
	return o
}

func at(second int) time.Time { return time.Unix(int64(second), 0) }

// told is what is kept of an object.
func told(h *History, uid string) string {
	var out []string
	for _, s := range h.Of(uid) {
		word := s.Object.Version()
		if !s.At.IsZero() {
			word += fmt.Sprint("@", s.At.Unix())
		}
		out = append(out, word)
	}
	return strings.Join(out, " ")
}

func TestHistory(t *testing.T) {
	m := newMaker(t)
	h := NewHistory(1 << 20)
	v := func(n int) *object.Object { return m.version("a", n, 10) }
	h.Note(at(1), nil, nil, v(1)) // it came
	if have := told(h, "a"); have != "" {
		t.Error(have)
	}
	one, two := v(1), v(2)
	h.Note(at(2), nil, one, two)
	h.Note(at(3), nil, one, two) // another list
	h.Note(at(4), nil, two, two)
	h.Note(at(5), nil, two, v(3))
	h.Note(at(6), nil, v(1), v(2)) // another list, behind
	h.Note(at(7), nil, v(3), nil)  // it is gone
	if have := told(h, "a"); have != "1 2@2 3@5" {
		t.Error(have)
	}
	h.Note(at(8), nil, v(3), m.version("b", 4, 10)) // another of its name
	if have := told(h, "a") + ", " + told(h, "b"); have != "1 2@2 3@5, " {
		t.Error(have)
	}
	for n := range 30 {
		h.Note(at(n), nil, v(n+3), v(n+4))
	}
	if list := h.Of("a"); len(list) != seenMost || list[0].Object.Version() != "14" || list[19].Object.Version() != "33" {
		t.Error(told(h, "a"))
	}
}

// TestComplete holds that a version of which a list has no more than a row is that of
// the list that has all of it.
func TestComplete(t *testing.T) {
	m := newMaker(t)
	h := NewHistory(1 << 20)
	row := func(n int) *object.Object { return m.version("a", n, 0) }
	h.Note(at(1), nil, row(1), row(2))
	whole := []*object.Object{m.version("a", 1, 500), m.version("a", 2, 500)}
	h.Note(at(2), nil, whole[0], whole[1])
	h.Note(at(3), nil, row(1), row(2))
	if list := h.Of("a"); len(list) != 2 || list[0].Object != whole[0] || list[1].Object != whole[1] || list[1].At != at(1) {
		t.Error(list)
	}
}

// TestHistoryBudget holds that as many bytes are kept as there may be, the newest, and
// that the account is right.
func TestHistoryBudget(t *testing.T) {
	const limit = 100_000
	m := newMaker(t)
	h := NewHistory(limit)
	r := rand.New(rand.NewPCG(1, 2))
	last := map[string]*object.Object{}
	for n := range 20_000 {
		uid := fmt.Sprint(r.IntN(40))
		if r.IntN(3) > 0 {
			uid = "busy"
		}
		next := m.version(uid, n, r.IntN(400))
		h.Note(at(n), nil, last[uid], next)
		last[uid] = next
		if h.bytes > limit {
			t.Fatalf("%d bytes", h.bytes)
		}
	}
	bytes, live := 0, 0
	for _, track := range h.tracks {
		for _, s := range track.seen {
			bytes, live = bytes+cost(s.Object), live+1
		}
	}
	if bytes != h.bytes || live != h.live || bytes < limit*9/10 || len(h.order) > 2*live+1024 || len(h.Of("busy")) != seenMost {
		t.Errorf("%d bytes, said to be %d; %d versions, said to be %d; %d marks", bytes, h.bytes, live, h.live, len(h.order))
	}
}

// BenchmarkNote is what a change costs those who tell of it.
func BenchmarkNote(b *testing.B) {
	m := newMaker(b)
	h := NewHistory(HistoryBudget)
	const objects, versions = 1000, 30
	var all [objects][versions]*object.Object
	for i := range all {
		for n := range all[i] {
			all[i][n] = m.version(fmt.Sprintf("8f5d3a52-9e1c-4b7e-8a61-%012d", i), i*versions+n, 1500)
		}
	}
	now := time.Now()
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		n := i / objects % versions
		h.Note(now, nil, all[i%objects][n], all[i%objects][(n+1)%versions])
	}
}
