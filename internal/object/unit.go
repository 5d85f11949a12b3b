package object

// Unit says what the numbers of a column are, and so whether their sum means something.
type Unit uint8

// The units. A column without one is not summed: its cells are texts, times or shares.
const (
	NoUnit   Unit = iota
	Number        // 12
	Decimal       // a quantity such as 1500m: CPU
	Binary        // a quantity such as 64Mi: bytes
	Fraction      // n of a number, such as 2/3
)

// textUnits are the units of text columns, by name, in whatever kind.
var textUnits = map[string]Unit{"Ready": Fraction, "Completions": Fraction, "Capacity": Binary}

// Unit returns the unit of the column's cells.
//
//go:noinline
func (c Column) Unit() Unit {
	switch {
	case c.unit != NoUnit:
		return c.unit
	case c.Derived(), c.Several():
	case c.Kind == NumberCell, c.Kind == CountedCell:
		return Number
	case c.Kind == TextCell && c.label == "":
		return textUnits[c.Name]
	}
	return NoUnit
}

// In returns the column with a unit.
func (c Column) In(u Unit) Column {
	c.unit = u
	return c
}
