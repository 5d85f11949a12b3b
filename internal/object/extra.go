package object

import (
	"fmt"
	"slices"
	"strings"

	"watchglass/internal/query"
)

// Extra is a column that somebody adds to those that a kind has, named by what it
// holds: "label.app", "annotation.example.com/owner", or a path, "{.spec.nodeName}".
// The same names are fields of the filter.
type Extra struct {
	Name  string
	label string
	path  query.Path // unless it is a label
}

// ParseExtra reads the name of an Extra.
func ParseExtra(name string) (Extra, error) {
	if key, ok := strings.CutPrefix(name, query.LabelPrefix); ok && key != "" {
		return Extra{Name: name, label: key}, nil
	}
	if key, ok := strings.CutPrefix(name, query.AnnotationPrefix); ok && key != "" {
		return Extra{Name: name, path: query.PathOf("metadata", "annotations", key)}, nil
	}
	if !strings.HasPrefix(name, "{") {
		return Extra{}, fmt.Errorf("there is no column %q", name)
	}
	path, err := query.ParsePath(name)
	if err != nil {
		return Extra{}, fmt.Errorf("the column %s: %w", name, err)
	}
	return Extra{Name: name, path: path}, nil
}

// NeedsBody reports that metadata alone does not tell the value.
func (e Extra) NeedsBody() bool {
	return e.label == "" && e.path.Names()[0] != "metadata"
}

// column is the Extra as a column of a kind: numbers sort as such, where the schema
// knows that they are.
func (e Extra) column(m *Message) Column {
	c := Column{Name: e.Name}
	for _, name := range e.path.Names() {
		if name == "" || m == nil {
			continue
		}
		chain := m.find(name)
		if len(chain) == 0 {
			return c
		}
		last := chain[len(chain)-1]
		m = last.Message()
		if last.scalar == isInt && !last.Repeated && !last.Map {
			c.Kind = NumberCell
		}
	}
	return c
}

// columnsOf are the columns of extras, behind others.
func columnsOf(extras []Extra, m *Message, behind []Column) []Column {
	out := slices.Clip(behind)
	for _, e := range extras {
		out = append(out, e.column(m))
	}
	return out
}

// extra prints one.
func (r *row) extra(e Extra, labels Labels, root query.Node) {
	r.next()
	n := 0
	if e.label != "" {
		if value, ok := labels.Lookup(e.label); ok {
			r.also(0, []byte(value))
		}
	} else {
		e.path.Find(root, func(v query.Node) {
			r.also(n, []byte(v.Text()))
			n++
		})
	}
	r.or(none)
}
