package object

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"sync"

	"google.golang.org/protobuf/encoding/protowire"

	"watchglass/internal/object/encoded"
	"watchglass/internal/object/schema"
	"watchglass/internal/object/tree"
)

// Errors of invalid objects, besides encoded.ErrMalformed.
var (
	ErrNoName = errors.New("object without a name")
	ErrKind   = errors.New("object of another kind")
)

// Decoder decodes the apiserver's bytes into Objects of one kind. It reuses scratch memory, so
// only one goroutine may use it, except for Columns. The Objects do not refer to that memory.
type Decoder struct {
	kind   Kind
	drop   bool
	layout uint16 // number of times that the columns changed

	mu      sync.Mutex // guards the columns for other goroutines
	columns []Column
	needs   TableNeeds
	defined []byte // the server's definitions of the columns; nil: it has sent none

	message *schema.Message // of the kind, if it is built in
	plan    *Plan
	print   func(v *Values, o *Object, r *row)
	images  []int // slots
	extras  []Extra
	values  Values
	table   tableColumns
	row     row
	pack    []byte
	source  *source
	intern  interner
}

// NewDecoder returns a decoder for a kind. keep says whether objects keep their packed bytes.
// extras are added after the columns of the kind; the decoder prints them all.
func NewDecoder(kind Kind, keep bool, extras ...Extra) *Decoder {
	d := &Decoder{kind: kind, drop: !keep, intern: newInterner(), columns: plainColumns, print: printPlain, extras: extras}
	list := metadataPaths[:]
	if kind.printer != nil {
		p := kind.printer(release(kind.Printing().Release))
		d.columns, d.print, d.images, list = p.columns, p.print, p.images, p.paths.list
	}
	if m, ok := schema.Of(kind.APIVersion(), kind.Name); ok {
		d.message, d.plan = m, mustPlan(m, list...) // TestPlans
	}
	d.columns = columnsOf(extras, d.message, d.columns)
	d.markPlain()
	return d
}

// markPlain tells the row which cells are always shown, and which have codes.
func (d *Decoder) markPlain() {
	d.row.plain = d.row.plain[:0]
	for _, c := range d.columns {
		if c.Kind != NameCell {
			d.row.plain = append(d.row.plain, c.Priority == 0)
		}
	}
	d.row.coder.begin(d.columns)
}

// Columns returns the columns of the cells, in the server's order.
func (d *Decoder) Columns() []Column {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.columns
}

// Table returns the server's definitions of the columns, as SetColumns had them; nil if it sent none.
func (d *Decoder) Table() []byte {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.defined
}

// Images reports whether the decoder knows which images the objects run.
func (d *Decoder) Images() bool { return len(d.images) > 0 }

// Decode decodes an Object. It does not retain the payload.
func (d *Decoder) Decode(payload []byte) (*Object, error) {
	if encoded.IsProtobuf(payload) {
		return d.decodeProtobuf(payload)
	}
	return d.decodeJSON(payload)
}

// Payload returns an object of the kind as the apiserver sent it, for Decode; nil if its bytes
// are not kept.
func (k Kind) Payload(o *Object) []byte {
	raw := o.Packed()
	if raw == nil {
		return nil
	}
	return k.Wrap(nil, raw)
}

// Wrap appends the message of an object of the kind to dst as the apiserver sends it.
func (k Kind) Wrap(dst, raw []byte) []byte {
	dst = slices.Grow(dst, len(encoded.Magic)+len(k.Group)+len(k.Version)+len(k.Name)+len(raw)+4*binary.MaxVarintLen64)
	return protowire.AppendBytes(encoded.AppendEnvelope(dst, k.APIVersion(), k.Name), raw)
}

func (d *Decoder) decodeProtobuf(payload []byte) (*Object, error) {
	apiVersion, kind, raw, err := encoded.Open(payload)
	if err != nil {
		return nil, encoded.ErrMalformed
	}
	if string(kind) != d.kind.Name || string(apiVersion) != d.kind.APIVersion() || d.plan == nil {
		return nil, fmt.Errorf("%w: %q %q, not %s %s", ErrKind, apiVersion, kind, d.kind.APIVersion(), d.kind.Name)
	}
	return d.decodeMessage(raw)
}

func (d *Decoder) decodeMessage(raw []byte) (*Object, error) {
	v := &d.values
	if err := d.plan.Scan(raw, v); err != nil {
		return nil, err
	}
	name := v.Bytes(metaName)
	if len(name) == 0 {
		return nil, ErrNoName
	}
	o := &Object{created: seconds(v.Bytes(metaCreated)), source: d.source, deleting: v.Has(metaDeleted), layout: d.layout}
	d.row.begin(o, v.Bytes(metaNamespace), name)
	d.print(v, o, &d.row)
	for _, e := range d.extras {
		d.row.extra(e, tree.FromMessage(d.message, raw))
	}
	d.row.finish(o, v.Bytes(metaUID), v.Bytes(metaVersion))
	labels, err := d.packLabels(v.All(metaLabels))
	if err != nil {
		return nil, err
	}
	o.labels, o.imagesAndOwners = labels, d.packImagesAndOwners(v)
	d.keep(o, raw)
	return o, nil
}

// keep gives the object a copy of its bytes, unless the decoder drops them.
func (d *Decoder) keep(o *Object, raw []byte) {
	if !d.drop && len(raw) > 0 {
		packed := bytes.Clone(raw)
		o.packed.Store(&packed[0])
		o.packedLen = uint32(len(packed))
	}
}

func (d *Decoder) packLabels(entries []Value) (Labels, error) {
	d.pack = d.pack[:0]
	for _, e := range entries {
		key, value, err := encoded.Pair(e.Bytes)
		if err != nil {
			return "", err
		}
		d.pack = append(append(d.pack, key...), 0)
		d.pack = append(append(d.pack, value...), 0)
	}
	return Labels(d.intern.get(d.pack)), nil
}

// Cell returns the i-th cell of an object. columns are those of the decoder that made it, or of another of its kind.
func (o *Object) Cell(columns []Column, i int) Cell {
	column := &columns[i] // columns are large
	if column.derived > 0 {
		return o.derivedCell(column)
	}
	if column.computed != notComputed {
		return o.computedCell(columns, column)
	}
	if column.Kind == NameCell {
		return Cell{Kind: NameCell, Text: plain(o.Name())}
	}
	if key := column.label; key != "" {
		return Cell{Kind: column.Kind, Text: o.labelText(key)}
	}
	c := Cell{Kind: column.Kind}
	text, instant := places(columns, i)
	if c.Kind.Ticks() {
		c.At = o.instant(instant)
	}
	if c.Kind == SpanCell {
		c.End = o.instant(instant + 1)
	}
	if c.At == 0 || c.Kind == CountedCell || column.dated {
		c.Text = o.PrintedText(text)
	}
	return c
}

// Ages returns what reads the numbers of a column of ages, if its cells are instants and nothing else; otherwise nil.
func Ages(columns []Column, i int) func(o *Object) (n float64, known bool) {
	if c := &columns[i]; c.Kind != AgeCell || c.dated || !c.printed() {
		return nil
	}
	_, place := places(columns, i)
	return func(o *Object) (float64, bool) { at := o.instant(place); return -float64(at), at != 0 }
}

// places returns the places of a column's text and first instant among those that are printed at decode.
//
//go:noinline
func places(columns []Column, i int) (text, instant int) {
	for at := range columns[:i] {
		if c := &columns[at]; c.printed() {
			if instant += c.Kind.instants(); c.Kind != NameCell && c.label == "" {
				text++
			}
		}
	}
	return text, instant
}

// plain cleans a text for printing; nearly all are clean already.
func plain(s string) string {
	for i := range len(s) {
		if s[i] < ' ' || s[i] >= 0x7f {
			return string(appendCleaned(nil, []byte(s)))
		}
	}
	return s
}

// endAnnotation marks the bookmark that ends the initial events.
const endAnnotation = "k8s.io/initial-events-end"

// Bookmark is ReadBookmark.
func (d *Decoder) Bookmark(payload []byte) (version string, end bool, err error) {
	return ReadBookmark(payload)
}

// ReadBookmark parses a bookmark of any kind. It returns the version reached, and whether the
// initial events end there.
func ReadBookmark(payload []byte) (version string, end bool, err error) {
	if !encoded.IsProtobuf(payload) {
		return bookmarkJSON(payload)
	}
	_, _, raw, err := encoded.Open(payload)
	if err != nil {
		return "", false, encoded.ErrMalformed
	}
	var v Values
	if err := bookmarkPlan().Scan(raw, &v); err != nil {
		return "", false, err
	}
	for _, e := range v.All(1) {
		key, value, err := encoded.Pair(e.Bytes)
		if err != nil {
			return "", false, err
		}
		end = end || string(key) == endAnnotation && string(value) == "true"
	}
	return string(v.Bytes(0)), end, nil
}

// EndOfList returns a bookmark, for any kind, that ends the initial events at a version.
func EndOfList(version string) []byte {
	doc := encoded.AppendString([]byte(`{"metadata":{"resourceVersion":`), version)
	return append(encoded.AppendString(append(doc, `,"annotations":{`...), endAnnotation), `:"true"}}}`...)
}

// bookmarkPlan works for every kind, since the metadata is field 1 of each. It is made on first
// use, because reading the schema takes time.
var bookmarkPlan = sync.OnceValue(func() *Plan {
	m, _ := schema.Of("v1", "Pod")
	return mustPlan(m, "metadata.resourceVersion", "metadata.annotations{}")
})
