package object

import (
	"cmp"
	"math"
	"strconv"
	"strings"
	"time"
)

// CellKind determines how a column's cells print and sort.
type CellKind uint8

// The kinds of cells.
const (
	TextCell    CellKind = iota
	NumberCell           // sorts by value
	AgeCell              // an instant, printed as the time since, or as the text that came with it
	CountedCell          // a number and the instant it last grew: "3 (5m ago)"
	SpanCell             // two instants, printed as the time between them; the second may not have happened yet
	NameCell             // the object's name, which is stored in its key
	AmountCell           // an amount, which sorts by its value and prints as its text; see DerivedColumn
)

// Ticks reports whether cells of this kind print differently as time passes.
func (k CellKind) Ticks() bool { return k == AgeCell || k == CountedCell || k == SpanCell }

// instants returns how many instants a cell of this kind stores.
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
	Priority int    // above 0: shown only when wide; below 0: only by name
	label    string // label that it shows, if any
	dated    bool   // a date column of a Table: its cells have a text beside the instant
	path     string // path of the dates, if known
	computed computation
	derived  int // number of its cell among the derived ones, from 1; 0: it is not derived
	unit     Unit
	excerpts ExcerptCells // computes the cells, if they are fromExcerpts
	number   int          // of its cell among those
}

// approximately prefixes an age that is only as exact as its unit, and is the text of such a
// cell.
const approximately = "~"

// Approximate reports whether the instant is inexact because it was computed from an age.
func (c Cell) Approximate() bool { return c.Kind == AgeCell && c.At != 0 && c.Text == approximately }

// Cell is one value of an object. Times are stored as instants and formatted when they are
// shown; a cell without an instant prints its text.
type Cell struct {
	Kind CellKind
	Text string
	At   int64 // unix seconds; 0 if there is none
	End  int64 // of a span; 0 until it has ended
	// Amount is the value of an AmountCell, which is unknown if Unknown is set or Text is empty.
	Amount  float64
	Unknown bool
}

// Append appends the printed cell to dst.
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

// unfinishedOffset sorts spans that have not ended after those that have.
const unfinishedOffset = 1 << 52

// Number returns what a cell other than a text sorts by, regardless of the current time.
// Younger ages are smaller; of dates printed as dates, earlier ones are. Shorter spans come
// first, then unfinished ones, latest start first, then those that have not begun.
func (c Cell) Number() (n float64, ok bool) {
	switch {
	case c.Kind == AmountCell:
		return c.Amount, c.Text != "" && !c.Unknown
	case c.Kind == AgeCell && c.At == 0:
		return 0, false
	case c.Kind == AgeCell && c.Text != "" && c.Text != approximately:
		return float64(c.At), true
	case c.Kind == AgeCell:
		return -float64(c.At), true
	case c.Kind == SpanCell && c.At == 0:
		return math.Inf(1), true
	case c.Kind == SpanCell && c.End == 0:
		return unfinishedOffset - float64(c.At), true
	case c.Kind == SpanCell:
		return float64(c.End) - float64(c.At), true
	}
	text, _, _ := strings.Cut(c.Text, BetweenValues)
	n, err := strconv.ParseFloat(text, 64)
	return n, err == nil && !math.IsNaN(n)
}

// Compare orders cells of one column, smallest first; the smallest age is the youngest. Texts
// sort by bytes. In a column of numbers or ages, cells without one
// come last.
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
