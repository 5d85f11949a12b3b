package object

import "slices"

// paths collects the paths that a kind's printer reads. add returns the slot of the scanned
// value. Every kind starts with the metadata.
type paths struct{ list []string }

// add adds a path, unless it was added before, and returns its slot.
//
//go:noinline
func (p *paths) add(path string) int {
	if p.list == nil {
		p.list = append(p.list, metadataPaths[:]...)
	}
	if slot := slices.Index(p.list, path); slot >= 0 {
		return slot
	}
	p.list = append(p.list, path)
	return len(p.list) - 1
}

// Slots of the metadata, the same for every kind.
const (
	metaName = iota
	metaNamespace
	metaUID
	metaVersion
	metaCreated
	metaDeleted
	metaLabels
	metaOwnerVersion
	metaOwnerKind
	metaOwnerName
	metaOwnerUID
	metaOwnerController
	metaOwner
	metaSlots
)

var metadataPaths = [metaSlots]string{
	metaName:            "metadata.name",
	metaNamespace:       "metadata.namespace",
	metaUID:             "metadata.uid",
	metaVersion:         "metadata.resourceVersion",
	metaCreated:         "metadata.creationTimestamp",
	metaDeleted:         "metadata.deletionTimestamp",
	metaLabels:          "metadata.labels{}",
	metaOwner:           "metadata.ownerReferences[]",
	metaOwnerVersion:    "metadata.ownerReferences[].apiVersion",
	metaOwnerKind:       "metadata.ownerReferences[].kind",
	metaOwnerName:       "metadata.ownerReferences[].name",
	metaOwnerUID:        "metadata.ownerReferences[].uid",
	metaOwnerController: "metadata.ownerReferences[].controller",
}

// printer prints the cells of a kind from scanned values: one cell for each column except the
// name, in order.
type printer struct {
	columns []Column
	paths   *paths
	images  []int // slots of the images that containers run
	print   func(v *Values, o *Object, r *row)
}

// plainColumns are the columns of a kind without a printer.
var plainColumns = []Column{{Name: "Name", Kind: NameCell}, {Name: "Age", Kind: AgeCell}}

func printPlain(_ *Values, o *Object, r *row) { r.instant(o.created) }
