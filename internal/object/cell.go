package object

import (
	"cmp"
	"math"
	"strconv"
	"strings"
	"time"
)

// CellKind says how a column's cells print and sort.
type CellKind uint8

// The kinds of cells.
const (
	TextCell    CellKind = iota
	NumberCell           // sorts by value
	AgeCell              // an instant, printed as the time since, or as the text that came with it
	CountedCell          // a number and the instant it last grew: "3 (5m ago)"
	SpanCell             // two instants, printed as the time between them; the second may be to come
	NameCell             // the object's name, which stands in its key
)

// Ticks reports whether such cells print otherwise when time passes.
func (k CellKind) Ticks() bool { return k == AgeCell || k == CountedCell || k == SpanCell }

// instants is how many instants such a cell keeps.
func (k CellKind) instants() int {
	switch k {
	case AgeCell, CountedCell:
		return 1
	case SpanCell:
		return 2
	}
	return 0
}

// Column is one column of a kind, named as in the apiserver's Table.
type Column struct {
	Name     string
	Kind     CellKind
	Priority int    // above 0: shown when wide
	label    string // that it shows, if it is of one
	dated    bool   // of a Table's dates, which have a text beside the instant
	path     string // of these, if it is known
}

// approximately stands before an age that is known to no more than its unit, and is the
// text of such a cell.
const approximately = "~"

// Approximate reports that the instant is not known exactly, but from an age.
func (c Cell) Approximate() bool { return c.Kind == AgeCell && c.At != 0 && c.Text == approximately }

// Cell is one value of an object. Times are kept as instants and printed when
// they are looked at; where there is no instant, the text is printed.
type Cell struct {
	Kind CellKind
	Text string
	At   int64 // unix seconds; 0 is no instant
	End  int64 // of a span; 0 while it goes on
}

// Append prints the cell.
func (c Cell) Append(dst []byte, now time.Time) []byte {
	if c.At == 0 {
		return append(dst, c.Text...)
	}
	switch c.Kind {
	case AgeCell:
		if dst = append(dst, c.Text...); c.Text != "" && c.Text != approximately {
			return dst
		}
		return appendAge(dst, now.Unix()-c.At)
	case SpanCell:
		if c.End != 0 {
			return appendAge(dst, c.End-c.At)
		}
		return appendAge(dst, now.Unix()-c.At)
	case CountedCell:
		dst = appendAge(append(append(dst, c.Text...), " ("...), now.Unix()-c.At)
		return append(dst, " ago)"...)
	}
	return append(dst, c.Text...)
}

// going puts spans that have not ended behind those that have.
const going = 1 << 52

// Number is what a cell that is no text sorts by, whatever the time is now: the
// younger, the smaller, but of dates that are printed as such the earlier; what took less
// time, then what began later, then what has not begun.
func (c Cell) Number() (n float64, ok bool) {
	switch {
	case c.Kind == AgeCell && c.At == 0:
		return 0, false
	case c.Kind == AgeCell && c.Text != "" && c.Text != approximately:
		return float64(c.At), true
	case c.Kind == AgeCell:
		return -float64(c.At), true
	case c.Kind == SpanCell && c.At == 0:
		return math.Inf(1), true
	case c.Kind == SpanCell && c.End == 0:
		return going - float64(c.At), true
	case c.Kind == SpanCell:
		return float64(c.End) - float64(c.At), true
	}
	n, err := strconv.ParseFloat(c.Text, 64)
	return n, err == nil && !math.IsNaN(n)
}

// Compare orders cells of one column, smallest first; of ages, the youngest.
// Texts are in the order of their bytes, as kubectl --sort-by has them. In a
// column of numbers or ages, what is none comes behind all that are.
func (c Cell) Compare(o Cell) int {
	if c.Kind != TextCell && c.Kind != NameCell {
		a, isNumber := c.Number()
		b, isToo := o.Number()
		switch {
		case isNumber && isToo:
			return cmp.Compare(a, b)
		case isNumber:
			return -1
		case isToo:
			return 1
		}
	}
	return strings.Compare(c.Text, o.Text)
}
