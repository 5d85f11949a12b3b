package view

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/labels"

	"watchglass/internal/object"
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
	// Anchor is the key of a row that must not move: the window moves with it.
	Anchor string
}

// filter decides which objects match.
type filter struct {
	namespaces map[string]bool
	selector   labels.Selector
	words      []string
	cells      int // how many cells after the name are searched
}

func newFilter(q Query, cells int) (filter, error) {
	f := filter{cells: cells}
	if len(q.Namespaces) > 0 {
		f.namespaces = make(map[string]bool, len(q.Namespaces))
		for _, n := range q.Namespaces {
			f.namespaces[n] = true
		}
	}
	if strings.TrimSpace(q.Labels) != "" {
		s, err := labels.Parse(q.Labels)
		if err != nil {
			return f, fmt.Errorf("the label selector: %w", err)
		}
		f.selector = s
	}
	f.words = strings.Fields(strings.ToLower(q.Text))
	return f, nil
}

// namespace reports whether the object is in a chosen namespace.
func (f *filter) namespace(o *object.Object) bool {
	return f.namespaces == nil || f.namespaces[o.Namespace()]
}

// rest reports whether the object matches, its namespace aside.
func (f *filter) rest(o *object.Object) bool {
	if f.selector != nil && !f.selector.Matches(o.Labels()) {
		return false
	}
	if len(f.words) == 0 {
		return true
	}
	text := o.Text(f.cells)
	for _, w := range f.words {
		if !containsFold(text, w) {
			return false
		}
	}
	return true
}

// containsFold reports whether a text holds a word of lower case, whatever the
// case of the text. Nearly all text is lower case already.
func containsFold(text, word string) bool {
	if strings.Contains(text, word) {
		return true
	}
	for i := 0; i < len(text); i++ {
		if c := text[i]; c >= 'A' && c <= 'Z' {
			// Only a match that covers an upper case letter is still possible.
			from := max(0, i-len(word)+1)
			return strings.Contains(strings.ToLower(text[from:]), word)
		}
	}
	return false
}
