package query

import (
	"slices"
	"strconv"
	"strings"
)

// Row is what a filter looks at. Texts are looked at and not kept.
type Row interface {
	Labels
	Namespace() string
	Name() string
	// Text is all that the row prints, but for times: namespace/name, and cells
	// with a control character before each.
	Text() string
	// Cell is what a column prints; in a NumberColumn, the number alone. In a
	// DurationColumn it is what is printed where there is none.
	Cell(column int) string
	// Code is a number that only rows with the same Cell have, or, of NamespaceCode,
	// with the same namespace; 0 is none.
	Code(column int) uint16
	// Span is the two instants of a DurationColumn, in unix seconds: without a
	// start it is none, and without an end it goes on.
	Span(column int) (start, end int64)
	// Any reports whether something is true of one of the row's owners, each
	// Kind/name, or of its images.
	Any(of List, is func(value string) bool) bool
	// Kin is a text that only rows with the same owners and images have: what is
	// true of the lists of one row is true of those of the next.
	Kin() string
}

// NamespaceCode stands for the namespace where columns do.
const NamespaceCode = -1

// List is what a row may have several of.
type List uint8

// The lists of a row.
const (
	Owners List = iota
	Images
)

// Kind says how the values of a column compare.
type Kind uint8

// The kinds of columns.
const (
	TextColumn     Kind = iota
	NumberColumn        // a number, a quantity or a fraction, if the cell can be read as one
	DurationColumn      // the time since an instant, or between two
)

// Column of the rows.
type Column struct {
	Name string // as the apiserver's Table has it
	Kind Kind
}

// Schema is what the rows of a kind have.
type Schema struct {
	Columns    []Column // in the order of the cells
	Namespaced bool
	Images     bool
}

// fields are the names of the fields that there are, those that people ask for
// most before the others.
func (s Schema) fields() []string {
	var all []string
	if s.Namespaced {
		all = append(all, "ns")
	}
	own := make([]string, len(s.Columns))
	for i, c := range s.Columns {
		own[i] = FieldName(c.Name)
	}
	for _, name := range []string{"status", "node", "owner", "image", "name"} {
		if name == "owner" || name == "name" || name == "image" && s.Images || slices.Contains(own, name) {
			all = append(all, name)
		}
	}
	for _, name := range own {
		if name != "" && !slices.Contains(all, name) {
			all = append(all, name)
		}
	}
	return all
}

// FieldName is how a filter names a column: in lower case, with dashes for spaces,
// and without brackets and other signs. "CPU(cores)" is cpu.
//
// A column that was added is named by what it holds, and so is the field.
func FieldName(column string) string {
	if Added(column) {
		return column
	}
	column, _, _ = strings.Cut(column, "(")
	var b []byte
	for i := range len(column) {
		switch c := column[i]; {
		case space(c):
			b = append(b, '-')
		case letter(c), alphanumeric(c), strings.IndexByte("-_.", c) >= 0:
			b = append(b, fold[c])
		}
	}
	return strings.Trim(string(b), "-.")
}

// Added reports whether a column or a field is named by what it holds: a label, an
// annotation or a path.
func Added(name string) bool {
	return strings.HasPrefix(name, LabelPrefix) || strings.HasPrefix(name, AnnotationPrefix) || strings.HasPrefix(name, "{")
}

// unknown is the error that there is no such field.
func (s Schema) unknown(n name) error {
	const quotes = "; or quotes around text"
	if Added(n.text) {
		return n.at.wrong("there is no column "+n.text, "a column that was added"+quotes)
	}
	fields := append(s.fields(), "label.app")
	want := strings.Join(fields, ", ")
	if s.Namespaced {
		fields = append(fields, "namespace")
	}
	if near, ok := Nearest(n.text, fields); ok {
		want = near
	}
	return n.at.wrong("there is no field "+strconv.Quote(n.text)+" here", want+quotes)
}

// Nearest is the name that was most likely meant by a word that is none.
func Nearest(word string, names []string) (string, bool) {
	found, nearest := "", len(word)/3+1
	for _, name := range names {
		if d := distance(word, name); d < nearest {
			found, nearest = name, d
		}
	}
	return found, found != ""
}

// distance is how many letters have to be changed, added or left away.
func distance(a, b string) int {
	last := make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := range len(a) {
		before := last[0]
		last[0] = i + 1
		for j := range len(b) {
			d := before
			if a[i] != b[j] {
				d = 1 + min(before, last[j], last[j+1])
			}
			before, last[j+1] = last[j+1], d
		}
	}
	return last[len(b)]
}
