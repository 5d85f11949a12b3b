package view

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"watchglass/internal/document"
	"watchglass/internal/object"
	"watchglass/internal/query"
)

// measure is a number that objects have and that can be summed: the cells of a column with a unit,
// or how many are unhealthy.
type measure struct {
	columns []object.Column
	at      int // index of its column; -1: how many are unhealthy
	unit    object.Unit
	places  []int // of the codes that it follows from; -1: it does not follow from codes alone
	coded   bool  // its meter reads it by these
	first   bool  // it is the first number that is printed at decode
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
	missing uint8 = iota
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

// merge adds another sum.
func (s *sum) merge(o sum) {
	s.total.Merge(o.total)
	s.of += o.of
	s.count += o.count
}

// amount returns what the sum sorts by. Where nothing is known it is less than any sum.
func (s sum) amount() float64 {
	if s.count == 0 {
		return math.Inf(-1)
	}
	return s.total.Float()
}

// newMeasure returns the measure of a column, by its index.
//
//go:noinline
func newMeasure(columns []object.Column, at int) measure {
	return measure{columns: columns, at: at, unit: columns[at].Unit(), places: []int{object.Codes(columns)[at]}, first: object.FirstNumberColumn(columns) == at}
}

// excerpted reports whether the measure is read from excerpts.
func (m *measure) excerpted() bool { return len(m.places) > 0 && m.places[0] == object.ExcerptCode }

func (m *measure) read(o *object.Object) reading {
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
		if _, ok := query.Number(c.Text); ok && !strings.Contains(c.Text, "/") { // a custom kind may print "5 nodes"
			return reading{milli: document.ParseQuantity(c.Text).Milli, state: present}
		}
	}
	return reading{state: missing}
}

// text prints the sum of a number of objects.
//
//go:noinline
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

// meter reads measures together. It is written for speed: a group needs it of every object. Objects
// with the same codes have the same readings, but for measures that have none.
type meter struct {
	measures []measure
	places   []int                // of all codes; at most mostPlaces
	known    map[uint64][]reading // by the codes, of the measures that have them
	recent   []recent             // the same, by a hash
	readings []reading            // of the last object read

	// limited says that only take excerpts may be taken, which is slow. Further objects are cold: what
	// is read from their excerpts is missing.
	limited bool
	take    int
	cold    []*object.Object
}

// recent are readings that were last looked up with a hash.
type recent struct {
	key      uint64
	readings []reading
}

// mostPlaces is how many codes fit in a key beside the object's own health. recents is how many
// readings are found without a map.
const (
	mostPlaces = 3
	recents    = 1024
)

// newMeter returns a meter. Measures for whose codes there is no place in the key have none.
//
//go:noinline
func newMeter(measures ...measure) meter {
	m := meter{measures: measures, known: make(map[uint64][]reading), recent: make([]recent, recents), readings: make([]reading, len(measures))}
	for i := range measures {
		one := &m.measures[i]
		all := slices.Clone(m.places)
		for _, place := range one.places {
			if !slices.Contains(all, place) {
				all = append(all, place)
			}
		}
		if one.coded = !slices.Contains(one.places, -1) && len(all) <= mostPlaces; one.coded {
			m.places = all
		}
	}
	return m
}

// read reads an object. The result is valid until the next call.
func (m *meter) read(o *object.Object) []reading {
	if len(m.measures) == 0 {
		return nil
	}
	key, ok := m.key(o)
	if at := &m.recent[key*0x9e3779b97f4a7c15>>54]; ok && at.key == key {
		copy(m.readings, at.readings)
	} else if known := m.known[key]; ok && known != nil {
		at.key, at.readings = key, known
		copy(m.readings, known)
	} else {
		m.readCells(o)
		if ok {
			m.known[key] = slices.Clone(m.readings)
		}
	}
	for i := range m.measures {
		if one := &m.measures[i]; !one.coded && ok {
			m.readings[i] = one.readNumber(o)
		}
	}
	return m.readings
}

// readCells reads all measures of an object.
//
//go:noinline
func (m *meter) readCells(o *object.Object) {
	cold := len(m.cold) > 0 && m.cold[len(m.cold)-1] == o
	for i := range m.measures {
		if one := &m.measures[i]; cold && one.excerpted() {
			m.readings[i] = reading{state: missing}
		} else {
			m.readings[i] = one.readNumber(o)
		}
	}
}

// readNumber reads an object, without its text if that is possible.
func (m *measure) readNumber(o *object.Object) reading {
	if m.first {
		if n, ok := o.FirstNumber(); ok {
			return reading{milli: n * 1000, state: present}
		}
	}
	return m.read(o)
}

// key returns the codes of an object and its own health, as one number that is not 0; and false if it
// lacks one of the codes.
func (m *meter) key(o *object.Object) (key uint64, ok bool) {
	key, ok = 1, true
	if own := o.Health(); own != object.Plain {
		key = uint64(own[0]) // no two tones begin alike
	}
	for _, place := range m.places {
		if place == object.ExcerptCode {
			number := m.excerpt(o)
			key, ok = key<<16|uint64(number), ok && number < 1<<16
			continue
		}
		code := o.PrintedCode(place)
		key, ok = key<<16|uint64(code), ok && code > 0
	}
	return key, ok
}

// excerpt returns the number of an object's excerpt; 0 if it has none or is cold. What is read from it
// is missing then.
func (m *meter) excerpt(o *object.Object) uint32 {
	if number := o.TakenExcerpt(); number > 0 {
		return number
	}
	if m.limited && m.take == 0 {
		m.cold = append(m.cold, o)
		return 0
	}
	m.take--
	return o.Excerpt()
}

// health tells which objects are unhealthy: those whose row is amber or red.
type health struct {
	columns []object.Column
	tones   object.CellTones
	from    []int // indexes of the columns that it follows from
	cells   []string
}

// newHealth returns the health of objects of a shape; nil if their rows have no tones.
//
//go:noinline
func newHealth(s Shape) *health {
	names := make([]string, len(s.Columns))
	for i, c := range s.Columns {
		if !c.Kind.Ticks() {
			names[i] = c.Name
		}
	}
	h := &health{columns: s.Columns, tones: object.NewCellTones(s.Kind, names), cells: make([]string, len(names))}
	if h.from = h.tones.Columns(); len(h.from) == 0 {
		return nil
	}
	return h
}

// measure returns the measure of how many objects are unhealthy.
//
//go:noinline
func (h *health) measure() measure {
	m := measure{at: -1, unit: object.Number, health: h}
	codes := object.Codes(h.columns)
	for _, i := range h.from {
		m.places = append(m.places, codes[i])
	}
	return m
}

// unhealthy returns 1000 if an object is unhealthy, and otherwise 0.
func (h *health) unhealthy(o *object.Object) int64 {
	for _, i := range h.from {
		h.cells[i] = o.Cell(h.columns, i).Text
	}
	if tone := h.tones.Row(h.cells, o.Health()); tone == object.Warning || tone == object.Failed {
		return 1000
	}
	return 0
}
