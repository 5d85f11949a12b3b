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
	AgeCell              // an instant, printed as the time since
	CountedCell          // a number and the instant it last grew: "3 (5m ago)"
)

// Column is one column of a kind, named as in the apiserver's Table.
type Column struct {
	Name     string
	Kind     CellKind
	Priority int // above 0: shown when wide
}

// Cell is one value of an object. Ages are kept as instants and printed when
// they are looked at.
type Cell struct {
	Kind CellKind
	Text string
	At   int64 // unix seconds; 0 is no instant
}

// Append prints the cell.
func (c Cell) Append(dst []byte, now time.Time) []byte {
	switch c.Kind {
	case AgeCell:
		if c.At == 0 {
			return append(dst, "<unknown>"...)
		}
		return appendAge(dst, now.Unix()-c.At)
	case CountedCell:
		dst = append(dst, c.Text...)
		if c.At == 0 || c.Text == "0" {
			return dst
		}
		dst = appendAge(append(dst, " ("...), now.Unix()-c.At)
		return append(dst, " ago)"...)
	}
	return append(dst, c.Text...)
}

// Number is the value of a cell that is a number.
func (c Cell) Number() (n float64, ok bool) {
	n, err := strconv.ParseFloat(c.Text, 64)
	return n, err == nil && !math.IsNaN(n)
}

// Compare orders cells of one column, smallest first; of ages, the youngest.
// Texts are in the order of their bytes, as kubectl --sort-by has them. In a
// column of numbers, what is none comes behind all that are.
func (c Cell) Compare(o Cell) int {
	switch c.Kind {
	case AgeCell:
		return cmp.Compare(o.At, c.At)
	case NumberCell, CountedCell:
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
