package object

import (
	"encoding/binary"
	"strings"
	"sync/atomic"
	"unsafe"
)

// Object is one object of the cluster, immutable once made.
//
// All text that it does not share with other objects stands in one string, so
// that an object costs the collector two or three pointers:
//
//	namespace/name ␟ cell ␟ cell … | uid | version | instants
//
// Cells stand in the order of their columns, without the name, which the key
// holds. What is before the first bar is what a text filter searches.
type Object struct {
	blob    string
	labels  Labels
	kin     kin
	packed  atomic.Pointer[byte] // a Budget may take it away
	created int64

	packedLen uint32
	textLen   uint32
	plainLen  uint32 // of textLen, up to the last cell that always shows
	versionAt uint32
	timesAt   uint32
	keyLen    uint32
	nameAt    uint32
	counted   atomic.Uint32          // of the Budget
	layout    uint16                 // of the Decoder, when it made the object
	codes     [codedCells + 1]uint16 // of cells, and of the namespace
	deleting  bool
	health    uint8 // an index of healths
}

// separator stands between cells. Text from the cluster never holds it: row
// replaces control characters.
const separator = '\x1f'

// Key is "namespace/name", or the name of what has no namespace.
func (o *Object) Key() string { return o.blob[:o.keyLen] }

// Name of the object.
func (o *Object) Name() string { return o.blob[o.nameAt:o.keyLen] }

// Namespace of the object, or nothing.
func (o *Object) Namespace() string { return o.blob[:max(o.nameAt, 1)-1] }

// UID of the object.
func (o *Object) UID() string { return o.blob[o.textLen:o.versionAt] }

// Version is the object's resourceVersion.
func (o *Object) Version() string { return o.blob[o.versionAt:o.timesAt] }

// Layout changes when the columns of the objects' decoder do: the same version of
// an object then has other cells.
func (o *Object) Layout() uint16 { return o.layout }

// Created is when it was created, in unix seconds.
func (o *Object) Created() int64 { return o.created }

// Deleting reports whether it waits to be deleted.
func (o *Object) Deleting() bool { return o.deleting }

// healths are the tones that an object's cells need not show.
var healths = [...]Tone{Plain, OK, Pending, Warning, Failed}

// Health is the object's tone where its cells need not show it: a job's. Plain otherwise.
func (o *Object) Health() Tone { return healths[o.health] }

// Labels of the object.
func (o *Object) Labels() Labels { return o.labels }

// Text is what the object prints, but for ages: its key and its cells, with
// control characters between. The cells that show when wide are in it if asked.
func (o *Object) Text(wide bool) string {
	if wide {
		return o.blob[:o.textLen]
	}
	return o.blob[:o.plainLen]
}

// cellText is the text of the i-th cell after the name.
func (o *Object) cellText(i int) string {
	rest := o.blob[o.keyLen:o.textLen]
	for {
		if rest == "" {
			return ""
		}
		rest = rest[1:]
		end := strings.IndexByte(rest, separator)
		if end < 0 {
			end = len(rest)
		}
		if i == 0 {
			return rest[:end]
		}
		i, rest = i-1, rest[end:]
	}
}

// instant is the i-th of the instants at the end.
func (o *Object) instant(i int) int64 {
	at := int(o.timesAt) + 8*i
	if at+8 > len(o.blob) {
		return 0
	}
	return int64(binary.LittleEndian.Uint64([]byte(o.blob[at : at+8])))
}

// Packed is the bytes the object was made from, while they are kept: the
// message of a built-in kind, the JSON of others. They must not be changed.
func (o *Object) Packed() []byte {
	packed := o.packed.Load()
	if packed == nil {
		return nil
	}
	return unsafe.Slice(packed, o.packedLen)
}

// Size is about how many bytes of heap the object takes, packed bytes aside.
func (o *Object) Size() int { return int(unsafe.Sizeof(*o)) + len(o.blob) }
