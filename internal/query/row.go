package query

import (
	"slices"
	"strconv"
	"strings"
)

// Row is the input of a filter. Its texts are read and not kept.
type Row interface {
	Labels
	Namespace() string
	Name() string
	// Text returns the row's text without times: namespace/name, then the cells with a
	// control character before each.
	Text() string
	// Cell returns the text of a column; in a NumberColumn, the number alone. In a
	// DurationColumn it is the text printed when there is no duration.
	Cell(column int) string
	// Code returns a number shared only by rows with the same Cell; 0 if there is none. For
	// NamespaceCode, it is shared only by rows with the same namespace.
	Code(column int) uint16
	// Span returns the two instants of a DurationColumn in Unix seconds. A start of 0 means
	// that there is no duration, an end of 0 that it has not ended.
	Span(column int) (start, end int64)
	// Any reports whether is holds for one of the row's owners, each written Kind/name, or for
	// one of its images.
	Any(of List, is func(value string) bool) bool
	// ImagesAndOwners returns a text shared only by rows with the same owners and images. For these
	// rows, Any returns the same.
	ImagesAndOwners() string
}

// NamespaceCode stands for the namespace in place of a column.
const NamespaceCode = -1

// List is a property of which a row may have several values.
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
	LevelColumn         // how severe a line of a log is: debug, info, warn or error
)

// Column is a column of the rows.
type Column struct {
	Name string // as the apiserver's Table has it
	Kind Kind
	// Between separates several values in a cell, of which one must match; "": there is only one.
	Between  string
	TextOnly bool // nothing but the cell's text is compared, so Sets.Where can be asked
}

// Schema describes the rows of a kind.
type Schema struct {
	Columns    []Column // in the order of the cells
	Namespaced bool
	Images     bool
	// Open means that any other name is a field too, whose value is what Lookup returns: the rows
	// are lines of a log. A term like user:ana also finds the lines that contain it as typed.
	Open bool
}

// fields returns the names of the fields, the most used ones first.
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
		if (name == "owner" || name == "name") && !s.Open || name == "image" && s.Images || slices.Contains(own, name) {
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

// FieldName returns the name of a column's field: in lower case, with dashes for spaces, and
// without brackets and other signs. "CPU(cores)" is cpu.
//
// The field of an added column has the column's name: a label, an annotation or a path.
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

// Added reports whether a name is the name of an added column or its field: a label, an
// annotation or a path.
func Added(name string) bool {
	return strings.HasPrefix(name, LabelPrefix) || strings.HasPrefix(name, AnnotationPrefix) || strings.HasPrefix(name, "{")
}

// unknown returns the error that there is no such field.
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

// Nearest returns the name most similar to a misspelled word; false if none is similar.
func Nearest(word string, names []string) (string, bool) {
	found, nearest := "", len(word)/3+1
	for _, name := range names {
		if d := distance(word, name); d < nearest {
			found, nearest = name, d
		}
	}
	return found, found != ""
}

// distance returns the number of letters to change, add or remove (Levenshtein).
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
