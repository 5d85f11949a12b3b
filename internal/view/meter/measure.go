package meter

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"watchglass/internal/document"
	"watchglass/internal/object"
	"watchglass/internal/query"
)

// Measure is a number that objects have and that can be summed: the cells of a column with a unit,
// or how many are unhealthy.
type Measure struct {
	// At is the index of its column; -1 is how many are unhealthy.
	At int

	columns []object.Column
	unit    object.Unit
	places  []int // of the codes that it follows from; -1: it does not follow from codes alone
	first   bool  // it is the first number that is printed at decode
	health  *health
}

// Reading is a measure of one object.
type Reading struct {
	milli int64 // in thousandths
	of    int32 // of a fraction
	state uint8
}

// The states of a reading.
const (
	missing uint8 = iota
	present
)

// Sum is the sum of readings. Missing ones are not 0: they are not in it.
type Sum struct {
	total document.Sum
	of    int64
	count int
}

// Add adds the reading of a number of objects, or subtracts that of one if by is -1.
func (s *Sum) Add(r Reading, by int) {
	if r.state == present {
		s.total.AddTimes(r.milli, by)
		s.of += int64(by) * int64(r.of)
		s.count += by
	}
}

// Merge adds another sum.
func (s *Sum) Merge(o Sum) {
	s.total.Merge(o.total)
	s.of += o.of
	s.count += o.count
}

// Float returns the sum, not in thousandths.
func (s Sum) Float() float64 { return s.total.Float() }

// Amount returns what the sum sorts by. Where nothing is known it is less than any sum.
func (s Sum) Amount() float64 {
	if s.count == 0 {
		return math.Inf(-1)
	}
	return s.total.Float()
}

// Of returns the measure of a column, by its index.
//
//go:noinline
func Of(columns []object.Column, at int) Measure {
	return Measure{At: at, columns: columns, unit: columns[at].Unit(), places: []int{object.Codes(columns)[at]}, first: object.FirstNumberColumn(columns) == at}
}

// Is reports whether two measures are the same.
func (m *Measure) Is(other *Measure) bool {
	return m.At == other.At && slices.Equal(m.columns, other.columns)
}

// Excerpted reports whether the measure is read from excerpts.
func (m *Measure) Excerpted() bool { return len(m.places) > 0 && m.places[0] == object.ExcerptCode }

// read reads an object.
func (m *Measure) read(o *object.Object) Reading {
	if m.At < 0 {
		return Reading{milli: m.health.unhealthy(o), state: present}
	}
	c := o.Cell(m.columns, m.At)
	switch n, ok := c.Number(); {
	case c.Kind != object.TextCell && (!ok || c.Unknown):
	case c.Kind != object.TextCell:
		return Reading{milli: int64(math.Round(min(max(n*1000, -math.MaxInt64), 1<<62))), state: present}
	case m.unit == object.Fraction:
		a, b, _ := strings.Cut(c.Text, "/")
		part, err := strconv.ParseInt(a, 10, 32)
		of, err2 := strconv.ParseInt(b, 10, 32)
		if err == nil && err2 == nil {
			return Reading{milli: part * 1000, of: int32(of), state: present}
		}
	case c.Text != "" && c.Text[0] >= '0' && c.Text[0] <= '9':
		if _, ok := query.Number(c.Text); ok && !strings.Contains(c.Text, "/") { // a custom kind may print "5 nodes"
			return Reading{milli: document.ParseQuantity(c.Text).Milli, state: present}
		}
	}
	return Reading{state: missing}
}

// Text prints the sum of a number of objects.
//
//go:noinline
func (m *Measure) Text(s Sum, objects int) string {
	if s.count == 0 {
		return ""
	}
	text := s.total.Text(m.unit == object.Binary)
	switch m.unit {
	case object.Number:
		text = strconv.FormatFloat(s.total.Float(), 'f', -1, 64)
	case object.Fraction:
		text = strconv.FormatFloat(s.total.Float(), 'f', -1, 64) + "/" + strconv.FormatInt(s.of, 10)
	}
	if s.count < objects {
		text += " (" + strconv.Itoa(s.count) + " of " + strconv.Itoa(objects) + ")"
	}
	return text
}

// readNumber reads an object, without its text if that is possible.
func (m *Measure) readNumber(o *object.Object) Reading {
	if m.first {
		if n, ok := o.FirstNumber(); ok {
			return Reading{milli: n * 1000, state: present}
		}
	}
	return m.read(o)
}
