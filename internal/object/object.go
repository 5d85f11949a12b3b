package object

import (
	"encoding/binary"
	"strings"
	"sync/atomic"
	"unsafe"

	"watchglass/internal/object/tone"
)

// Object is one object of the cluster. It is immutable.
//
// All text that it does not share with other objects is in one string, so that an object costs
// the garbage collector two or three pointers:
//
//	namespace/name ␟ cell ␟ cell … | uid | version | instants
//
// Cells are in column order, without the name, which is part of the key.
// A text filter searches what is before the first bar.
type Object struct {
	blob            string
	labels          Labels
	imagesAndOwners imagesAndOwners
	packed          atomic.Pointer[byte] // a Budget may drop it
	created         int64
	source          *source // shared by the objects of a decoder; nil: it has nothing to say

	packedLen uint32
	textLen   uint32
	plainLen  uint32 // of textLen, up to the last cell that is always shown
	versionAt uint32
	timesAt   uint32
	keyLen    uint32
	nameAt    uint32
	excerpt   atomic.Uint32          // number; 0: not taken
	counted   atomic.Uint32          // state in its Budget
	layout    uint16                 // the Decoder's, when it made the object
	codes     [codedCells + 1]uint16 // of cells, and of the namespace
	number    uint16                 // the first number that it prints, plus one; 0: it is not known, or large
	deleting  bool
	health    uint8 // an index of healths
	quiet     bool  // its computed cells from exits on are empty
}

// separator separates cells. Text from the cluster never contains it, because row replaces
// control characters.
const separator = '\x1f'

// Key returns "namespace/name", or the name alone if there is no namespace.
func (o *Object) Key() string { return o.blob[:o.keyLen] }

// Name returns the object's name.
func (o *Object) Name() string { return o.blob[o.nameAt:o.keyLen] }

// Namespace returns the object's namespace, or "".
func (o *Object) Namespace() string { return o.blob[:max(o.nameAt, 1)-1] }

// UID returns the object's UID.
func (o *Object) UID() string { return o.blob[o.textLen:o.versionAt] }

// Version returns the object's resourceVersion.
func (o *Object) Version() string { return o.blob[o.versionAt:o.timesAt] }

// Layout changes when the columns of the object's decoder change: the same version of an object
// then has other cells.
func (o *Object) Layout() uint16 { return o.layout }

// Created returns when the object was created, in unix seconds.
func (o *Object) Created() int64 { return o.created }

// Deleting reports whether the object is being deleted.
func (o *Object) Deleting() bool { return o.deleting }

// healths are the tones that an object's cells need not show.
var healths = [...]tone.Tone{tone.Plain, tone.OK, tone.Pending, tone.Warning, tone.Failed}

// Health returns the object's tone if its cells need not show it: a job's. Otherwise it is Plain.
func (o *Object) Health() tone.Tone { return healths[o.health] }

// Labels returns the object's labels.
func (o *Object) Labels() Labels { return o.labels }

// Text returns what the object prints, except ages: its key and its cells, separated by control
// characters. If wide, it includes the cells that are shown only when wide.
func (o *Object) Text(wide bool) string {
	if wide {
		return o.blob[:o.textLen]
	}
	return o.blob[:o.plainLen]
}

// PrintedText returns the text of the i-th cell after the name.
func (o *Object) PrintedText(i int) string {
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

// instant returns the i-th of the instants at the end.
func (o *Object) instant(i int) int64 {
	at := int(o.timesAt) + 8*i
	if at+8 > len(o.blob) {
		return 0
	}
	return int64(binary.LittleEndian.Uint64([]byte(o.blob[at : at+8])))
}

// Packed returns the bytes that the object was decoded from, or nil if they were dropped: the
// message of a built-in kind, the JSON of others. They must not be changed.
func (o *Object) Packed() []byte {
	o = o.Base()
	packed := o.packed.Load()
	if packed == nil {
		return nil
	}
	return unsafe.Slice(packed, o.packedLen)
}

// Lost reports whether the object was decoded from bytes that it does not have now: a Budget dropped
// them, or they have not been restored yet.
func (o *Object) Lost() bool {
	o = o.Base()
	return o.packedLen > 0 && o.packed.Load() == nil
}

// Size returns roughly how many bytes of heap the object takes, without the packed bytes.
func (o *Object) Size() int { return int(unsafe.Sizeof(*o)) + len(o.blob) }
