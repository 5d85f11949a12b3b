package object

import (
	"fmt"
	"slices"
	"strings"

	"watchglass/internal/object/schema"
	"watchglass/internal/object/tree"
	"watchglass/internal/query"
)

// Extra is an added column, named by what it shows: "label.app",
// "annotation.example.com/owner", or a path, "{.spec.nodeName}". The same names are fields of
// the filter. Every object has its labels anyway; a decoder has to print all other extras.
type Extra struct {
	Name  string
	label string
	path  query.Path // unless it is a label
}

// ParseExtra parses the name of an Extra.
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

// Printed reports whether a decoder has to print the column.
func (e Extra) Printed() bool { return e.label == "" }

// LabelColumn returns the column of an Extra that no decoder has to print.
func (e Extra) LabelColumn() Column { return Column{Name: e.Name, label: e.label} }

// OfLabel reports whether the column shows a label, which objects do not print.
func (c Column) OfLabel() bool { return c.label != "" }

// NeedsBody reports whether the value is outside the metadata.
func (e Extra) NeedsBody() bool {
	return e.label == "" && e.path.Names()[0] != "metadata"
}

// column returns the Extra as a column of a kind. It sorts as numbers if the schema says that
// it has numbers.
func (e Extra) column(m *schema.Message) Column {
	c := Column{Name: e.Name}
	for _, name := range e.path.Names() {
		if name == "" || m == nil {
			continue
		}
		chain := m.Lookup(name)
		if len(chain) == 0 {
			return c
		}
		last := chain[len(chain)-1]
		m = last.Message()
		if last.Type == schema.Int && !last.Repeated && !last.Map {
			c.Kind = NumberCell
		}
	}
	return c
}

// columnsOf appends the columns of extras to others.
func columnsOf(extras []Extra, m *schema.Message, behind []Column) []Column {
	out := slices.Clip(behind)
	for _, e := range extras {
		out = append(out, e.column(m))
	}
	return out
}

// extra prints an Extra. If its path takes too much work, the cell says that instead of some of the values. A path of one
// name, such as {.subjects}, reads the object once and is always followed: who may do what rests on such columns.
func (r *row) extra(e Extra, root tree.Node) {
	r.next()
	n, all := 0, true
	list := func(v tree.Node) {
		r.listItem(n, []byte(v.Text()))
		n++
	}
	if names := e.path.Names(); len(names) > 1 || names[0] == "" {
		all = e.path.FindWithin(root, &r.work, list)
	} else if v := root.Get(names[0]); v.Exists() {
		list(v)
	}
	if !all {
		r.text = append(r.text[:r.at], query.NotEvaluated...)
	}
	r.orLiteral(none)
}

// labelText returns what a label column prints.
func (o *Object) labelText(key string) string {
	if text := o.labels.Get(key); text != "" {
		return plain(text)
	}
	return none
}
