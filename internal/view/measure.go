package view

import (
	"math"
	"strconv"
	"strings"

	"watchglass/internal/document"
	"watchglass/internal/object"
)

// measure is a number that objects have and that can be summed: the cells of a column with a unit,
// or how many are unhealthy.
type measure struct {
	columns []object.Column
	at      int // index of its column; -1: how many are unhealthy
	unit    object.Unit
	place   int       // of the code of its cells; -1: they have none
	first   bool      // it is the first number that is printed at decode
	byCode  []reading // readings by code
	health  *health
}

// reading is a measure of one object.
type reading struct {
	milli int64 // in thousandths
	of    int32 // of a fraction
	state uint8
}

// The states of a reading.
const (
	unread uint8 = iota
	missing
	present
)

// sum is the sum of readings. Missing ones are not 0: they are not in it.
type sum struct {
	total document.Sum
	of    int64
	count int
}

func (s *sum) add(r reading, by int) {
	if r.state == present {
		s.total.Add(int64(by) * r.milli)
		s.of += int64(by) * int64(r.of)
		s.count += by
	}
}

// amount returns what the sum sorts by. Where nothing is known it is less than any sum.
func (s sum) amount() float64 {
	if s.count == 0 {
		return math.Inf(-1)
	}
	return s.total.Float()
}

// newMeasure returns the measure of a column, by its index.
func newMeasure(columns []object.Column, at int) measure {
	return measure{columns: columns, at: at, unit: columns[at].Unit(), place: object.Codes(columns)[at], first: object.FirstNumberColumn(columns) == at}
}

// derived reports whether an object's reading may change without the object.
func (m *measure) derived() bool { return m.at >= 0 && m.columns[m.at].Derived() }

// readCode reads an object with a code, once for each code; 0 is none.
func (m *measure) readCode(o *object.Object, code int) reading {
	if code == 0 {
		return m.readCell(o)
	}
	if code >= len(m.byCode) {
		m.byCode = append(m.byCode, make([]reading, code+64-len(m.byCode))...)
	}
	if m.byCode[code].state == unread {
		m.byCode[code] = m.readCell(o)
	}
	return m.byCode[code]
}

func (m *measure) readCell(o *object.Object) reading {
	if m.at < 0 {
		return reading{milli: m.health.unhealthy(o), state: present}
	}
	c := o.Cell(m.columns, m.at)
	switch n, ok := c.Number(); {
	case c.Kind != object.TextCell && (!ok || c.Unknown):
	case c.Kind != object.TextCell:
		return reading{milli: int64(math.Round(min(max(n*1000, -math.MaxInt64), 1<<62))), state: present}
	case m.unit == object.Fraction:
		a, b, _ := strings.Cut(c.Text, "/")
		part, err := strconv.ParseInt(a, 10, 32)
		of, err2 := strconv.ParseInt(b, 10, 32)
		if err == nil && err2 == nil {
			return reading{milli: part * 1000, of: int32(of), state: present}
		}
	case c.Text != "" && c.Text[0] >= '0' && c.Text[0] <= '9':
		return reading{milli: document.ParseQuantity(c.Text).Milli, state: present}
	}
	return reading{state: missing}
}

// text prints the sum of a number of objects.
func (m *measure) text(s sum, objects int) string {
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

// meter reads measures together.
type meter struct {
	measures []measure
	readings []reading // of the last object read
	// limited says that only take excerpts may be taken, which is slow. Further objects are cold: what
	// is read from their excerpts is missing.
	limited bool
	take    int
	cold    []*object.Object
}

// read reads an object. The result is valid until the next call. It is written for speed: a group
// needs it of every object, and most of the time goes into fetching objects from memory.
func (m *meter) read(o *object.Object) []reading {
	if len(m.readings) != len(m.measures) {
		m.readings = make([]reading, len(m.measures))
	}
	excerpt := -1
	for i := range m.measures {
		one, code := &m.measures[i], 0
		switch {
		case one.first:
			if n, ok := o.FirstNumber(); ok {
				m.readings[i] = reading{milli: n * 1000, state: present}
				continue
			}
		case one.place < 0:
		case one.place != object.ExcerptCode:
			code = int(o.PrintedCode(one.place))
		default:
			if excerpt < 0 {
				excerpt = m.excerpt(o)
			}
			if code = excerpt; code == 0 && len(m.cold) > 0 && m.cold[len(m.cold)-1] == o {
				m.readings[i] = reading{state: missing}
				continue
			}
		}
		if code > 0 && code < len(one.byCode) && one.byCode[code].state != unread {
			m.readings[i] = one.byCode[code]
		} else {
			m.readings[i] = one.readCode(o, code)
		}
	}
	return m.readings
}

// excerpt returns the code of an object's excerpt; 0 if it has none or is cold.
func (m *meter) excerpt(o *object.Object) int {
	if number := o.TakenExcerpt(); number > 0 && number < 1<<16 {
		return int(number)
	} else if number > 0 {
		return 0 // it is read without a code
	}
	if m.limited && m.take == 0 {
		m.cold = append(m.cold, o)
		return 0
	}
	m.take--
	return int(o.Code(object.ExcerptCode))
}

// health tells which objects are unhealthy: those whose row is amber or red.
type health struct {
	columns []object.Column
	tones   object.CellTones
	from    []int // indexes of the columns that it follows from
	places  []int // of their codes
	cells   []string
	coded   bool        // these are at most two
	known   [256]answer // of objects by their own health and their codes
}

// answer is whether objects of a key are unhealthy.
type answer struct {
	key       uint64 // 0: not known yet
	unhealthy int64
}

// newHealth returns the health of objects of a shape; nil if their rows have no tones.
func newHealth(s Shape) *health {
	names := make([]string, len(s.Columns))
	for i, c := range s.Columns {
		if !c.Kind.Ticks() {
			names[i] = c.Name
		}
	}
	h := &health{columns: s.Columns, tones: object.NewCellTones(s.Kind, names), cells: make([]string, len(names))}
	h.from = h.tones.Columns()
	codes := object.Codes(s.Columns)
	h.coded = len(h.from) <= 2
	for _, i := range h.from {
		h.places = append(h.places, codes[i])
		h.coded = h.coded && codes[i] >= 0 && codes[i] != object.ExcerptCode
	}
	if len(h.from) == 0 {
		return nil
	}
	return h
}

// unhealthy returns 1000 if an object is unhealthy, and otherwise 0.
func (h *health) unhealthy(o *object.Object) int64 {
	key, coded := uint64(1), h.coded
	if own := o.Health(); own != object.Plain {
		key = uint64(own[0]) // no two tones begin alike
	}
	for i := 0; coded && i < len(h.places); i++ {
		code := o.PrintedCode(h.places[i])
		key, coded = key<<16|uint64(code), code > 0
	}
	at := &h.known[(key^key>>13)%uint64(len(h.known))]
	if coded && at.key == key {
		return at.unhealthy
	}
	for _, i := range h.from {
		h.cells[i] = o.Cell(h.columns, i).Text
	}
	n := int64(0)
	if tone := h.tones.Row(h.cells, o.Health()); tone == object.Warning || tone == object.Failed {
		n = 1000
	}
	if coded {
		*at = answer{key, n}
	}
	return n
}
