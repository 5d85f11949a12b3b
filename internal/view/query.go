package view

import (
	"fmt"
	"strings"

	"watchglass/internal/object"
	"watchglass/internal/query"
)

// Query is what the page wants to see.
type Query struct {
	Seq        uint32   // the patches that answer it carry it
	Namespaces []string // none: all
	Labels     string   // a selector in kubectl's syntax
	Text       string   // words that must all be found in what a row prints
	Sort       string   // a column's name; none: by namespace and name
	Descending bool
	Wide       bool // columns of a priority above 0 too
	Offset     int  // of the window
	Limit      int
	// Paused leaves changes of the objects alone, and counts them.
	Paused bool
	// Anchor is the key of a row that must not move: the window moves with it.
	Anchor string
}

// filter decides which objects match.
type filter struct {
	namespaces map[string]bool
	selector   query.Selector
	words      []*finder
	wide       bool // search the columns that show when wide
}

func newFilter(q Query) (filter, error) {
	f := filter{wide: q.Wide}
	if len(q.Namespaces) > 0 {
		f.namespaces = make(map[string]bool, len(q.Namespaces))
		for _, n := range q.Namespaces {
			f.namespaces[n] = true
		}
	}
	var err error
	if f.selector, err = query.ParseSelector(q.Labels); err != nil {
		return f, fmt.Errorf("the label selector: %w", err)
	}
	for w := range strings.FieldsSeq(q.Text) {
		f.words = append(f.words, newFinder(w))
	}
	return f, nil
}

// empty reports that everything matches.
func (f *filter) empty() bool {
	return f.namespaces == nil && len(f.selector) == 0 && len(f.words) == 0
}

// misses says whether the object matches, or by what it does not.
func (f *filter) misses(o *object.Object) missed {
	if !f.rest(o) {
		return missed{o, lost}
	}
	by := hit
	if f.namespaces != nil && !f.namespaces[o.Namespace()] {
		by = 0 // the first facet
	}
	return missed{o, by}
}

// rest reports whether the object matches, its namespace aside.
func (f *filter) rest(o *object.Object) bool {
	if !f.selector.Matches(o.Labels()) {
		return false
	}
	if len(f.words) == 0 {
		return true
	}
	text := o.Text(f.wide)
	for _, w := range f.words {
		if !w.in(text) {
			return false
		}
	}
	return true
}
