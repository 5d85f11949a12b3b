package kinds

import "watchglass/internal/object"

// printings is what is known about how the server prints kinds. The lock of its Set guards
// it.
type printings struct {
	minor   int                        // the server's minor version; 0: not known
	tables  map[string]object.Printing // by TableKey
	changes int                        // how many definitions have changed, as far as the server tells
	version int                        // changes with all of the above
}

// TableKey names the Table of a kind: by its ID, which is the name of its definition, and
// its version.
func TableKey(k *object.Kind) string { return k.ID() + " " + k.Version }

// apply sets how a kind is printed, as far as that is known.
func (p *printings) apply(k *object.Kind) {
	printing := p.tables[TableKey(k)]
	printing.Release = p.minor
	k.PrintAs(printing)
}
