package object

import "slices"

// paths collects the paths that a kind's printer reads; each add returns the
// slot under which the scan finds the value. Every kind begins with the metadata.
type paths struct{ list []string }

// add adds a path, unless it is there.
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

// The slots of the metadata, the same for every kind.
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

// printer makes the cells of a kind from scanned values. It writes one cell for
// each of the columns, in their order, but for the name.
type printer struct {
	columns []Column
	paths   *paths
	images  []int // slots of the images that containers run
	print   func(v *Values, o *Object, r *row)
}

// plainColumns are those of a kind that nobody prints specially.
var plainColumns = []Column{{Name: "Name", Kind: NameCell}, {Name: "Age", Kind: AgeCell}}

func printPlain(_ *Values, o *Object, r *row) { r.instant(o.created) }
