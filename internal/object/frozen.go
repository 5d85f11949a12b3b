package object

import (
	"encoding/binary"
	"fmt"
	"math"
	"unsafe"

	"watchglass/internal/object/encoded"
)

// A Freezer encodes the printed rows of one decoder's objects. A Thawer decodes them, much faster than
// from the server's bytes. Shared text is written once. The packed bytes are not included: Restore
// gives them back. Only the same build can read the result, since it contains printed cells.
type Freezer struct {
	words    map[string]uint64 // numbers, from 1; 0 is the empty text
	excerpts map[uint32]uint64 // words of excerpts, by their number
}

// The bits of the flags of a frozen object. Its health is above them.
const (
	frozenDeleting = 1 << iota
	frozenQuiet
	frozenHealth = 2
)

// Append appends an object.
func (f *Freezer) Append(dst []byte, o *Object) []byte {
	flags := o.health << frozenHealth
	if o.deleting {
		flags |= frozenDeleting
	}
	if o.quiet {
		flags |= frozenQuiet
	}
	dst = append(dst, flags)
	end := uint32(0)
	for _, at := range [...]uint32{o.nameAt, o.keyLen, o.plainLen, o.textLen, o.versionAt, o.timesAt, uint32(len(o.blob))} {
		dst, end = binary.AppendUvarint(dst, uint64(at-end)), at
	}
	dst = append(dst, o.blob...)
	dst = binary.AppendVarint(dst, o.created)
	dst = binary.AppendUvarint(dst, uint64(o.packedLen))
	dst = f.word(dst, string(o.labels))
	dst = f.word(dst, string(o.imagesAndOwners))
	return f.excerpt(dst, o)
}

// word appends the number of a text, and the text if it is new.
func (f *Freezer) word(dst []byte, text string) []byte {
	if text == "" {
		return append(dst, 0)
	}
	number, ok := f.words[text]
	if ok {
		return binary.AppendUvarint(dst, number)
	}
	if f.words == nil {
		f.words = make(map[string]uint64)
	}
	number = uint64(len(f.words) + 1)
	f.words[text] = number
	dst = binary.AppendUvarint(binary.AppendUvarint(dst, number), uint64(len(text)))
	return append(dst, text...)
}

// excerpt appends the excerpt of an object as a word.
func (f *Freezer) excerpt(dst []byte, o *Object) []byte {
	number := o.Excerpt()
	if number == 0 {
		return append(dst, 0)
	}
	if word, ok := f.excerpts[number]; ok {
		return binary.AppendUvarint(dst, word)
	}
	text := string(o.source.excerpter.table.excerptText(number))
	dst = f.word(dst, text)
	if f.excerpts == nil {
		f.excerpts = make(map[uint32]uint64)
	}
	f.excerpts[number] = f.words[text]
	return dst
}

// A Thawer decodes what a Freezer wrote, in order. Its decoder must not be used concurrently.
type Thawer struct {
	decoder  *Decoder
	words    []string          // by number, from 1
	excerpts map[string]uint32 // numbers
	left     []byte
	failed   bool
}

// NewThawer returns a Thawer whose objects are those of a decoder.
func NewThawer(d *Decoder) *Thawer { return &Thawer{decoder: d, excerpts: make(map[string]uint32)} }

// Next returns the first object of some bytes, which it does not retain, and the bytes after it.
func (t *Thawer) Next(src []byte) (o *Object, rest []byte, err error) {
	t.left, t.failed = src, false
	flags := t.take(1)
	var at [7]uint32
	end := uint64(0)
	for i := range at {
		n := t.number()
		t.failed = t.failed || n > math.MaxUint32-end
		end = min(end+n, math.MaxUint32) // a sum that overflows has failed
		at[i] = uint32(end)
	}
	blob := t.take(end)
	d := t.decoder
	o = &Object{source: d.source, layout: d.layout, nameAt: at[0], keyLen: at[1], plainLen: at[2], textLen: at[3], versionAt: at[4], timesAt: at[5]}
	o.created = t.signed()
	o.packedLen = uint32(min(t.number(), math.MaxUint32))
	o.labels, o.imagesAndOwners = Labels(t.word()), imagesAndOwners(t.word())
	o.excerpt.Store(t.excerpt())
	if t.failed || o.nameAt == o.keyLen || int(flags[0]>>frozenHealth) >= len(healths) {
		return nil, nil, fmt.Errorf("%w: a frozen object", encoded.ErrMalformed)
	}
	o.blob, o.deleting, o.quiet, o.health = string(blob), flags[0]&frozenDeleting != 0, flags[0]&frozenQuiet != 0, flags[0]>>frozenHealth
	d.row.coder.encode(o, blob)
	return o, t.left, nil
}

// take returns the next n bytes.
func (t *Thawer) take(n uint64) []byte {
	if n > uint64(len(t.left)) {
		t.failed, n = true, 0
	}
	if t.failed {
		return []byte{0}
	}
	some := t.left[:n:n]
	t.left = t.left[n:]
	return some
}

func (t *Thawer) number() uint64 {
	v, n := binary.Uvarint(t.left)
	t.take(uint64(max(n, 0)))
	t.failed = t.failed || n <= 0
	return v
}

func (t *Thawer) signed() int64 {
	v, n := binary.Varint(t.left)
	t.take(uint64(max(n, 0)))
	t.failed = t.failed || n <= 0
	return v
}

// word reads a word.
func (t *Thawer) word() string {
	number := t.number()
	switch known := uint64(len(t.words)); {
	case t.failed || number == 0:
		return ""
	case number <= known:
		return t.words[number-1]
	case number > known+1:
		t.failed = true
		return ""
	}
	text := string(t.take(t.number()))
	t.words = append(t.words, text)
	return text
}

// excerpt reads an excerpt, and returns its number in the decoder's table.
func (t *Thawer) excerpt() uint32 {
	text := t.word()
	if text == "" || t.failed || t.decoder.source == nil || t.decoder.source.excerpter == nil {
		return 0
	}
	number, ok := t.excerpts[text]
	if !ok {
		number = t.decoder.source.excerpter.table.excerptNumber([]byte(text))
		t.excerpts[text] = number
	}
	return number
}

// encode gives an object the codes of its namespace and of its cells, which are in its blob.
func (c *coder) encode(o *Object, blob []byte) {
	if o.nameAt > 0 {
		o.codes[NamespaceCode] = c.namespace(blob[:o.nameAt-1])
	}
	cell, begin := -1, 0
	for i := int(o.keyLen); i <= int(o.textLen); i++ {
		if i < int(o.textLen) && blob[i] != separator {
			continue
		}
		if cell >= 0 {
			c.note(o, cell, blob[begin:i])
		}
		cell, begin = cell+1, i+1
	}
}

// PackedLen returns the length of the object's packed bytes, whether or not it still has them.
func (o *Object) PackedLen() int { return int(o.packedLen) }

// Restore gives a thawed object its packed bytes, which it retains. It does nothing if the length
// differs, or if the object has packed bytes.
func (o *Object) Restore(raw []byte) {
	if len(raw) == int(o.packedLen) && len(raw) > 0 {
		o.packed.CompareAndSwap(nil, unsafe.SliceData(raw))
	}
}
