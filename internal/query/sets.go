package query

import (
	"slices"
	"time"

	"watchglass/internal/slots"
)

// Sets answers questions about all rows of a list with sets of slots. The caller may change all of these but All's.
type Sets interface {
	// All returns the slots of all rows.
	All() *slots.Bits
	// Where returns the rows whose text in a TextOnly column satisfies is; for NamespaceCode, whose namespace does.
	Where(column int, is func(text string) bool) *slots.Bits
	// Labelled returns the rows whose labels satisfy is.
	Labelled(is func(l Labels) bool) *slots.Bits
	// Listed returns the rows of which an owner or image satisfies is; see Row.Any.
	Listed(of List, is func(value string) bool) *slots.Bits
	// Row returns the row of a slot. It is valid until the next call.
	Row(slot uint32) Row
}

// Facets calls got for each facet that has terms, with the rows in a set that these match.
func (m *Matcher) Facets(s Sets, from *slots.Bits, now time.Time, got func(field string, rows *slots.Bits)) {
	for i := range m.facets {
		rows := from.Clone()
		narrow(&rows, m.facets[i].terms, s, now)
		got(m.facets[i].field, &rows)
	}
}

// Rest removes the rows that the terms outside facets do not match.
func (m *Matcher) Rest(s Sets, rows *slots.Bits, now time.Time) { narrow(rows, m.rest, s, now) }

// narrow removes the rows that not all of the terms match. Terms that must test each row come last, when few rows are left.
func narrow(rows *slots.Bits, terms []bound, s Sets, now time.Time) {
	each := slices.DeleteFunc(slices.Clone(terms), func(t bound) bool {
		if t.sets != nil {
			rows.And(t.sets(s))
		}
		return t.sets != nil
	})
	for slot := range rows.All() {
		if len(each) == 0 {
			return
		}
		if !every(each, s.Row(slot), now.Unix()) {
			rows.Remove(slot)
		}
	}
}

// together returns a function that combines the sets of all nodes; nil if one of them cannot be answered with a set.
func together(all []bound, combine func(a, b *slots.Bits)) func(s Sets) *slots.Bits {
	if len(all) == 0 || slices.ContainsFunc(all, func(m bound) bool { return m.sets == nil }) {
		return nil
	}
	return func(s Sets) *slots.Bits {
		rows := all[0].sets(s)
		for _, m := range all[1:] {
			combine(rows, m.sets(s))
		}
		return rows
	}
}

// outside returns a function that returns all rows except those of a node; nil if that cannot be answered with a set.
func (m bound) outside() func(s Sets) *slots.Bits {
	if m.sets == nil {
		return nil
	}
	return func(s Sets) *slots.Bits {
		rows := s.All().Clone()
		rows.AndNot(m.sets(s))
		return &rows
	}
}

func labelled(is func(l Labels) bool) func(s Sets) *slots.Bits {
	return func(s Sets) *slots.Bits { return s.Labelled(is) }
}

func ofTexts(column int, is func(text string) bool) func(s Sets) *slots.Bits {
	return func(s Sets) *slots.Bits { return s.Where(column, is) }
}
