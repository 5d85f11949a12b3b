package object

// A derived column shows what does not come from an object itself but from other objects: the
// sum of what the pods of a node request. An object with the cells of such columns is a copy of
// it, as immutable as the object. A change of the cells is therefore another copy.

// source is where an object comes from: a decoder, or an object without derived cells.
type source struct {
	excerpter *excerpter // of the decoder; nil: the kind has no excerpts
	base      *Object    // nil: the object has no derived cells
	cells     []Cell
	line      LineCells // of a line; otherwise nil
}

// DerivedColumn returns the derived column that shows the cell of a number.
func DerivedColumn(name string, priority, number int) Column {
	return Column{Name: name, Kind: AmountCell, Priority: priority, derived: number + 1}
}

// Derived reports whether the column shows a derived cell.
func (c Column) Derived() bool { return c.derived > 0 }

// DerivedNumber returns the number of the derived cell that the column shows; -1 if it shows none.
func (c Column) DerivedNumber() int { return c.derived - 1 }

// Derive returns a copy of the object with derived cells, by their columns' numbers. The slice
// must not change afterwards.
func (o *Object) Derive(cells []Cell) *Object {
	o = o.Base()
	return &Object{
		blob: o.blob, labels: o.labels, imagesAndOwners: o.imagesAndOwners, created: o.created, source: &source{base: o, cells: cells},
		textLen: o.textLen, plainLen: o.plainLen, versionAt: o.versionAt, timesAt: o.timesAt, keyLen: o.keyLen, nameAt: o.nameAt,
		layout: o.layout, codes: o.codes, number: o.number, deleting: o.deleting, health: o.health, quiet: o.quiet,
	}
}

// Base returns the object without derived cells; nil for nil.
func (o *Object) Base() *Object {
	if o != nil && o.source != nil && o.source.base != nil {
		return o.source.base
	}
	return o
}

// DerivedCells returns the derived cells of the object; nil if it has none.
func (o *Object) DerivedCells() []Cell {
	if o.source == nil {
		return nil
	}
	return o.source.cells
}

// derivedCell returns a derived cell; it is empty if the object has none.
func (o *Object) derivedCell(c *Column) Cell {
	if o.source != nil && o.source.line != nil {
		return o.source.line.LineCell(c.derived - 1)
	}
	if cells := o.DerivedCells(); c.derived <= len(cells) {
		return cells[c.derived-1]
	}
	return Cell{Kind: c.Kind}
}
