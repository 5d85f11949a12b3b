package recording

import (
	"slices"
	"strings"
	"time"

	"watchglass/internal/history"
	"watchglass/internal/sorting"
)

// Preview is what a file would contain. For kinds and namespaces that are left out, it has what they
// would add.
type Preview struct {
	From       time.Time  `json:"from"`
	To         time.Time  `json:"to"`
	Kinds      []Contents `json:"kinds"`
	Namespaces []Contents `json:"namespaces"`
	// Logs are all logs, chosen or not, except those in namespaces that are left out.
	Logs []LogContents `json:"logs,omitempty"`
	// Bytes is the approximate size of the file before compression.
	Bytes int `json:"bytes"`
	// Dropped is the moment before which memory has dropped changes of a kind in the file; zero: none
	// were dropped.
	Dropped time.Time `json:"dropped"`
	// Gaps are times in the file in which changes of a kind in it may be missing, though it was watched.
	Gaps []history.Gap `json:"gaps,omitempty"`
}

// Contents counts what a file contains of a kind or a namespace.
type Contents struct {
	Name    string `json:"name"` // a namespace, or a kind as addresses name it
	Objects int    `json:"objects"`
	Changes int    `json:"changes"`
	LeftOut bool   `json:"leftOut,omitempty"`
}

// changeBytes is the approximate size of a change in a file.
const changeBytes = 150

// NewPreview returns what a file of a record would contain. It calls pause every few milliseconds, and stops at
// its error.
func NewPreview(t history.Record, from, to time.Time, c Choices, pause func() error) (Preview, error) {
	all := c
	all.Kinds, all.Namespaces = nil, nil
	w := newWalk(t, from, to, all, pause)
	p := Preview{From: from, To: to}
	kinds, namespaces := counts{}, counts{}
	note := func(i int, key string, objects, changes, size int) {
		s := w.streams[i]
		kindOut := slices.Contains(c.Kinds, kindID(s))
		namespace, _, ok := strings.Cut(key, "/")
		if !ok {
			namespace = ""
		}
		namespaceOut := ok && slices.Contains(c.Namespaces, namespace)
		if k := kinds.of(kindID(s), kindOut); !namespaceOut {
			k.Objects, k.Changes = k.Objects+objects, k.Changes+changes
		}
		if n := namespaces.of(namespace, namespaceOut); !kindOut {
			n.Objects, n.Changes = n.Objects+objects, n.Changes+changes
		}
		if !kindOut && !namespaceOut {
			p.Bytes += size
		}
	}
	for i := range w.streams {
		kinds.of(kindID(w.streams[i]), slices.Contains(c.Kinds, kindID(w.streams[i])))
		if since, known := w.since(i); known && c.keeps(w.streams[i]) {
			p.noteDropped(w, i, since)
			p.noteGaps(w, i)
		}
		if err := w.eachObject(i, func(o history.Object) { note(i, o.Key, 1, 0, len(o.Key)+len(o.Payload)) }); err != nil {
			return p, err
		}
	}
	err := w.eachChange(func(i int, change history.Change) { note(i, change.Key, 0, 1, changeBytes) }, func(time.Time) error { return nil })
	p.Gaps = history.Merge(p.Gaps)
	delete(namespaces, "")
	p.Kinds, p.Namespaces = kinds.sorted(), namespaces.sorted()
	if err != nil {
		return p, err
	}
	return p, p.addLogs(w, c)
}

// noteDropped notes when the complete changes of a stream begin, if older ones were dropped.
func (p *Preview) noteDropped(w *walk, i int, since time.Time) {
	for _, g := range w.record.Gaps(w.numbers[i]) {
		if g.Why == history.Dropped && g.To.After(p.Dropped) && !g.To.After(since) && g.To.After(w.from) {
			p.Dropped = g.To
		}
	}
}

// noteGaps notes when changes of a stream may be missing from the file.
func (p *Preview) noteGaps(w *walk, i int) {
	for _, g := range w.record.Gaps(w.numbers[i]) {
		if g.To.IsZero() || g.To.After(p.To) {
			g.To = p.To
		}
		if (g.Why == history.Away || g.Why == history.Relisted || g.Why == history.Unread) && g.To.After(p.From) && g.From.Before(g.To) {
			p.Gaps = append(p.Gaps, g)
		}
	}
}

// counts are contents by name.
type counts map[string]*Contents

func (c counts) of(name string, leftOut bool) *Contents {
	if c[name] == nil {
		c[name] = &Contents{Name: name, LeftOut: leftOut}
	}
	return c[name]
}

func (c counts) sorted() []Contents {
	out := make([]Contents, 0, len(c))
	for _, one := range c {
		out = append(out, *one)
	}
	sorting.By(out, func(a, b Contents) int { return strings.Compare(a.Name, b.Name) })
	return out
}
