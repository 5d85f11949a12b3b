package meter

import (
	"slices"

	"watchglass/internal/object"
	"watchglass/internal/object/tone"
)

// Meter reads measures together. It is written for speed: a group needs it of every object. What all objects with the same
// codes, health and first number have is read once: they are of one class. It belongs to one goroutine.
type Meter struct {
	Measures []Measure

	places   []int // of all codes; at most mostPlaces
	excerpts bool  // one of them is that of excerpts
	first    int   // index of the measure that is the first printed number; -1 if none is
	rest     []int // indexes of the measures that differ within a class
	classes  map[class]uint32
	recent   []recent  // the same, by a hash
	bySlot   []uint32  // numbers of classes; 0: not known
	readings []Reading // by the number of the class; those of 0 are of the object that was read last

	limited bool // see Begin
	take    int
	cold    []*object.Object
}

// class is what readings follow from: codes and health as one number that is not 0, and the first printed number, plus one.
type class struct{ codes, number uint64 }

// recent is a class that was looked up last with a hash.
type recent struct {
	class
	as uint32
}

// mostPlaces is how many codes fit in a class. recents is how many classes are found without a map, and mostClasses how many
// are kept.
const (
	mostPlaces  = 3
	recents     = 1024
	mostClasses = 1 << 16
)

// New returns a meter. Measures for whose codes there is no place in a class have none.
//
//go:noinline
func New(measures ...Measure) Meter {
	m := Meter{Measures: measures, first: -1}
	for i := range measures {
		one := &m.Measures[i]
		all := slices.Clone(m.places)
		for _, place := range one.places {
			if !slices.Contains(all, place) {
				all = append(all, place)
			}
		}
		switch {
		case !slices.Contains(one.places, -1) && len(all) <= mostPlaces:
			m.places = all
		case one.first:
			m.first = i
		default:
			m.rest = append(m.rest, i)
		}
	}
	m.excerpts = slices.Contains(m.places, object.ExcerptCode)
	m.forget()
	return m
}

// forget forgets all classes.
func (m *Meter) forget() {
	m.classes, m.recent, m.bySlot = make(map[class]uint32), make([]recent, recents), nil
	m.readings = make([]Reading, len(m.Measures))
}

// full reports whether there is no room for further classes.
func (m *Meter) full() bool { return len(m.classes) >= mostClasses }

// Is reports whether two meters read the same measures.
func (m *Meter) Is(other *Meter) bool {
	return slices.EqualFunc(m.Measures, other.Measures, func(a, b Measure) bool { return a.Is(&b) })
}

// Begin begins to read all objects. If it is limited, only so many excerpts are taken, which is slow; of further objects what
// is in excerpts is missing, and they are cold.
func (m *Meter) Begin(limited bool, take int) {
	if m.limited, m.take, m.cold = limited, take, nil; m.full() {
		m.forget()
	}
}

// End ends that. It reports whether objects are cold.
func (m *Meter) End() (cold bool) {
	m.limited = len(m.cold) > 0
	return m.limited
}

// Cold reports whether there are cold objects.
func (m *Meter) Cold() bool { return len(m.cold) > 0 }

// Thaw takes the excerpts of so many of the cold objects, and reports whether these were the last.
func (m *Meter) Thaw(most int) (last bool) {
	n := min(len(m.cold), most)
	for _, o := range m.cold[:n] {
		o.Excerpt()
	}
	m.cold = m.cold[n:]
	return n > 0 && len(m.cold) == 0
}

// Stop forgets which objects are cold.
func (m *Meter) Stop() { m.cold = nil }

// Read reads an object. The result is valid until the next call.
func (m *Meter) Read(o *object.Object) []Reading { return m.Of(m.class(o)) }

// Class returns the number of the class of the object of a slot, of a number of slots. All objects with that number have the
// same readings. It is 0 if the object is in none; then its readings are those of 0, until the next call.
func (m *Meter) Class(slot uint32, o *object.Object, slots int) (number uint32) {
	m.bySlot = append(m.bySlot, make([]uint32, max(slots-len(m.bySlot), 0))...)
	if number = m.bySlot[slot]; number > 0 {
		return number
	}
	number = m.class(o)
	if !m.excerpts || o.TakenExcerpt() > 0 { // else it is of another class once its excerpt is taken
		m.bySlot[slot] = number
	}
	return number
}

// Forget forgets the class of the object of a slot, which changes.
func (m *Meter) Forget(slot uint32) {
	if int(slot) < len(m.bySlot) {
		m.bySlot[slot] = 0
	}
}

// Of returns the readings of a class.
func (m *Meter) Of(class uint32) []Reading {
	n := len(m.Measures)
	return m.readings[int(class)*n : int(class+1)*n]
}

// class returns the number of an object's class, as Class does.
func (m *Meter) class(o *object.Object) (number uint32) {
	c, ok := m.classOf(o)
	if !ok {
		m.readCells(o)
		return 0
	}
	at := &m.recent[(c.codes*31+c.number)*0x9e3779b97f4a7c15>>54]
	if at.class != c {
		number, ok := m.classes[c]
		if !ok {
			if m.readCells(o); m.full() {
				return 0
			}
			number = uint32(len(m.classes)) + 1
			m.classes[c] = number
			m.readings = append(m.readings, m.Of(0)...)
		}
		*at = recent{c, number}
	}
	differs := m.first >= 0 && c.number == 0
	if len(m.rest) == 0 && !differs {
		return at.as
	}
	copy(m.readings, m.Of(at.as))
	for _, i := range m.rest {
		m.readings[i] = m.Measures[i].read(o)
	}
	if differs {
		m.readings[m.first] = m.Measures[m.first].read(o)
	}
	return 0
}

// readCells reads all measures of an object.
//
//go:noinline
func (m *Meter) readCells(o *object.Object) {
	cold := len(m.cold) > 0 && m.cold[len(m.cold)-1] == o
	for i := range m.Measures {
		if one := &m.Measures[i]; cold && one.Excerpted() {
			m.readings[i] = Reading{state: missing}
		} else {
			m.readings[i] = one.readNumber(o)
		}
	}
}

// classOf returns the class of an object, and false if it lacks one of the codes.
func (m *Meter) classOf(o *object.Object) (c class, ok bool) {
	key := uint64(1)
	if own := o.Health(); own != tone.Plain {
		key = uint64(own[0]) // no two tones begin alike
	}
	ok = true
	for _, place := range m.places {
		if place == object.ExcerptCode {
			number := m.excerpt(o)
			key, ok = key<<16|uint64(number), ok && number < 1<<16
			continue
		}
		code := o.PrintedCode(place)
		key, ok = key<<16|uint64(code), ok && code > 0
	}
	c.codes = key
	if m.first >= 0 {
		if n, known := o.FirstNumber(); known {
			c.number = uint64(n + 1)
		}
	}
	return c, ok
}

// excerpt returns the number of an object's excerpt; 0 if it has none or is cold. What is read from it
// is missing then.
func (m *Meter) excerpt(o *object.Object) uint32 {
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
