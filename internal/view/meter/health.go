package meter

import (
	"watchglass/internal/object"
	"watchglass/internal/object/tone"
)

// health tells which objects are unhealthy: those whose row is amber or red.
type health struct {
	columns []object.Column
	tones   tone.Cells
	from    []int // indexes of the columns that it follows from
	cells   []string
}

// Unhealthy returns the measure of how many objects of a kind are unhealthy, and false if their rows have no tones.
//
//go:noinline
func Unhealthy(kind string, columns []object.Column) (m Measure, is bool) {
	names := make([]string, len(columns))
	for i, c := range columns {
		if !c.Kind.Ticks() {
			names[i] = c.Name
		}
	}
	h := &health{columns: columns, tones: tone.NewCells(kind, names), cells: make([]string, len(names))}
	h.from = h.tones.Columns()
	m = Measure{At: -1, unit: object.Number, health: h}
	codes := object.Codes(columns)
	for _, i := range h.from {
		m.places = append(m.places, codes[i])
	}
	return m, len(h.from) > 0
}

// unhealthy returns 1000 if an object is unhealthy, and otherwise 0.
func (h *health) unhealthy(o *object.Object) int64 {
	for _, i := range h.from {
		h.cells[i] = o.Cell(h.columns, i).Text
	}
	if of := h.tones.Row(h.cells, o.Health()); of == tone.Warning || of == tone.Failed {
		return 1000
	}
	return 0
}
