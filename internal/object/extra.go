package object

import (
	"fmt"
	"slices"
	"strings"

	"watchglass/internal/query"
)

// Extra is a column that somebody adds to those that a kind has, named by what it
// holds: "label.app", "annotation.example.com/owner", or a path, "{.spec.nodeName}".
// The same names are fields of the filter. Labels every object has by it; all else
// a decoder has to print.
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

// Printed reports that a decoder has to print the column.
func (e Extra) Printed() bool { return e.label == "" }

// LabelColumn is the column of an Extra that nobody has to print.
func (e Extra) LabelColumn() Column { return Column{Name: e.Name, label: e.label} }

// OfLabel reports that the column is one of a label, which objects do not print.
func (c Column) OfLabel() bool { return c.label != "" }

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
func (r *row) extra(e Extra, root query.Node) {
	r.next()
	n := 0
	e.path.Find(root, func(v query.Node) {
		r.also(n, []byte(v.Text()))
		n++
	})
	r.or(none)
}

// labelText is what a column of a label prints.
func (o *Object) labelText(key string) string {
	if text := o.labels.Get(key); text != "" {
		return plain(text)
	}
	return none
}
