package port

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"

	"watchglass/internal/view"
)

// codecs has a row for each type of message; a further type is added here alone. A row's index is the first byte of its
// messages. Page and worker are always of one build, so a row may move.
var codecs = [...]codec{
	1:  binaryCodec((*coder).listQuery),
	2:  binaryCodec(func(c *coder, m *Painted) { c.uint32(&m.ID) }),
	3:  jsonCodec[Presence](),
	4:  jsonCodec[Ask](),
	5:  binaryCodec((*coder).patch),
	6:  jsonCodec[State](),
	7:  jsonCodec[Answer](),
	8:  binaryCodec(func(*coder, *WatchKinds) {}),
	9:  jsonCodec[Kinds](),
	10: jsonCodec[Counts](),
	11: jsonCodec[SavedNamespaces](),
	12: jsonCodec[Rights](),
	13: jsonCodec[Due](),
	14: jsonCodec[Renewed](),
	15: jsonCodec[Focus](),
	16: binaryCodec((*coder).detail),
	17: binaryCodec(func(c *coder, m *Close) { c.uint32(&m.ID) }),
	18: jsonCodec[OpenOverview](),
	19: jsonCodec[Travel](),
	20: jsonCodec[Past](),
	21: binaryCodec((*coder).chunk),
	22: jsonCodec[OpenTimeline](),
	23: jsonCodec[KeepHistory](),
	24: binaryCodec(func(c *coder, m *Pull) { c.uint32(&m.ID) }),
	25: binaryCodec(func(c *coder, m *Cancel) { c.uint32(&m.ID) }),
}

// kinds are the indexes of codecs, by the type of the message.
var kinds = func() map[reflect.Type]byte {
	all := make(map[reflect.Type]byte)
	for kind, c := range codecs {
		if c.message != nil {
			all[c.message] = byte(kind)
		}
	}
	return all
}()

// codec encodes and decodes one type of message.
type codec struct {
	message reflect.Type
	write   func(*coder, Message) // nil: the message is JSON, like read
	read    func(*coder) Message
}

// binaryCodec returns the codec of a frequent message. Fields names each field to the coder, which writes or reads it, so
// that both happen in the same order.
func binaryCodec[M any](fields func(*coder, *M)) codec {
	return codec{
		message: reflect.TypeFor[M](),
		write:   func(c *coder, m Message) { v := m.(M); fields(c, &v) },
		read:    func(c *coder) Message { var v M; fields(c, &v); return v },
	}
}

// jsonCodec returns the codec of a message that is encoded as JSON.
func jsonCodec[M any]() codec { return codec{message: reflect.TypeFor[M]()} }

// ErrMessage is returned for bytes that are not a message.
var ErrMessage = errors.New("malformed message")

// encodeSafely encodes a message for a port that must survive every message. In place of an answer that
// can't be encoded it returns a failed answer, so that the asker does not wait forever; in place of another
// message it returns nothing.
func encodeSafely(m Message) (b []byte, err error) {
	if b, err = Encode(m); err == nil {
		return b, nil
	}
	err = fmt.Errorf("a message of type %T was not sent: %w", m, err)
	if a, ok := m.(Answer); ok {
		b, _ = Encode(Answer{ID: a.ID, Error: err.Error()}) // a number and a text never fail to encode
		return b, err
	}
	return nil, err
}

// Encode writes a message.
func Encode(m Message) ([]byte, error) {
	kind, ok := kinds[reflect.TypeOf(m)]
	if !ok {
		return nil, fmt.Errorf("%w: %T", ErrMessage, m)
	}
	if write := codecs[kind].write; write != nil {
		c := coder{b: []byte{kind}}
		write(&c, m)
		return c.b, nil
	}
	doc, err := json.Marshal(m)
	return append([]byte{kind}, doc...), err
}

// Decode reads a message.
func Decode(b []byte) (Message, error) {
	if len(b) == 0 {
		return nil, fmt.Errorf("%w: empty", ErrMessage)
	}
	kind := int(b[0])
	if kind >= len(codecs) || codecs[kind].message == nil {
		return nil, fmt.Errorf("%w: kind %d", ErrMessage, kind)
	}
	if read := codecs[kind].read; read != nil {
		c := coder{b: b[1:], reading: true}
		m := read(&c)
		if c.bad || len(c.b) > 0 {
			return nil, fmt.Errorf("%w: wrong length", ErrMessage)
		}
		return m, nil
	}
	m := reflect.New(codecs[kind].message)
	if err := json.Unmarshal(b[1:], m.Interface()); err != nil {
		return nil, fmt.Errorf("%w: %v", ErrMessage, err)
	}
	return m.Elem().Interface(), nil
}

// coder writes values to bytes, or reads them from there: numbers as varints, texts and lists after their length. What it
// reads after an error is zero.
type coder struct {
	b            []byte
	reading, bad bool
	shared       string // what b was when it was shared; "": texts are copied one by one
}

// share lets all texts that follow share one copy of the bytes, since a patch has hundreds. Any of them keeps it alive.
func (c *coder) share() {
	if c.reading {
		c.shared = string(c.b)
	}
}

func (c *coder) fail() {
	c.b, c.bad = nil, true
}

func (c *coder) byte(v *byte) {
	switch {
	case !c.reading:
		c.b = append(c.b, *v)
	case len(c.b) == 0:
		c.fail()
	default:
		*v, c.b = c.b[0], c.b[1:]
	}
}

func (c *coder) bool(v *bool) {
	var b byte
	if *v {
		b = 1
	}
	c.byte(&b)
	*v = b != 0
}

func (c *coder) int64(v *int64) {
	if !c.reading {
		c.b = binary.AppendVarint(c.b, *v)
		return
	}
	n, size := binary.Varint(c.b)
	if size <= 0 {
		c.fail()
		return
	}
	*v, c.b = n, c.b[size:]
}

func (c *coder) int(v *int) {
	n := int64(*v)
	c.int64(&n)
	*v = int(n)
}

func (c *coder) uint32(v *uint32) {
	n := int64(*v)
	c.int64(&n)
	*v = uint32(n)
}

// length writes the length of what follows, or reads it. Each item takes at least a byte, so a false length is noticed
// before memory is allocated for it.
func (c *coder) length(n int) int {
	if c.int(&n); c.reading && (n < 0 || n > len(c.b)) {
		c.fail()
		return 0
	}
	return n
}

func (c *coder) text(v *string) {
	n := c.length(len(*v))
	switch {
	case !c.reading:
		c.b = append(c.b, *v...)
		return
	case c.shared != "" && !c.bad:
		from := len(c.shared) - len(c.b)
		*v = c.shared[from : from+n]
	default:
		*v = string(c.b[:n])
	}
	c.b = c.b[n:]
}

// rest is the last field of a message: bytes without a length before them.
func (c *coder) rest(v *[]byte) {
	if !c.reading {
		c.b = append(c.b, *v...)
	} else {
		*v, c.b = c.b, nil
	}
}

// list codes each item of a list.
func list[T any](c *coder, v *[]T, item func(*coder, *T)) {
	n := c.length(len(*v))
	if c.reading && n > 0 {
		*v = make([]T, n)
	}
	for i := 0; i < n && !c.bad; i++ {
		item(c, &(*v)[i])
	}
}

func (c *coder) texts(v *[]string) { list(c, v, (*coder).text) }

func (c *coder) chunk(m *Chunk) {
	c.uint32(&m.ID)
	c.rest(&m.Data)
}

func (c *coder) detail(m *Detail) {
	c.uint32(&m.ID)
	c.uint32(&m.Seq)
	c.text(&m.Part)
	c.rest(&m.Doc)
}

func (c *coder) listQuery(m *ListQuery) {
	c.uint32(&m.ID)
	c.text(&m.Context)
	c.text(&m.Resource)
	c.uint32(&m.Seq)
	c.texts(&m.Namespaces)
	c.text(&m.Labels)
	c.text(&m.Text)
	c.int64(&m.From)
	c.int64(&m.Until)
	c.bool(&m.Typing)
	c.text(&m.Sort)
	c.bool(&m.Descending)
	c.text(&m.Group)
	c.text(&m.Sum)
	c.bool(&m.Wide)
	c.bool(&m.Extra)
	c.texts(&m.Columns)
	c.int(&m.Offset)
	c.int(&m.Limit)
	c.bool(&m.Paused)
	c.text(&m.Anchor)
	c.text(&m.Locate)
}

func (c *coder) patch(m *Patch) {
	c.share()
	c.uint32(&m.ID)
	c.uint32(&m.Seq)
	c.int(&m.Total)
	c.int(&m.Of)
	c.text(&m.Group)
	c.int(&m.Matched)
	c.int(&m.Offset)
	c.int(&m.Above)
	c.int(&m.Waiting)
	c.int(&m.Located)
	c.bool(&m.Held)
	list(c, &m.Gaps, (*coder).gap)
	list(c, (*[]view.Problem)(&m.Problems), (*coder).problem)
	list(c, &m.Columns, (*coder).column)
	list(c, &m.Known, (*coder).column)
	list(c, &m.Order, (*coder).int)
	list(c, &m.Rows, (*coder).row)
	list(c, &m.Facets, (*coder).facet)
}

func (c *coder) problem(p *view.Problem) {
	c.byte((*byte)(&p.Part))
	c.text(&p.Text)
	c.text(&p.InForce)
	c.int(&p.From)
	c.int(&p.To)
	c.bool(&p.Incomplete)
}

func (c *coder) column(v *view.Column) {
	c.text(&v.Name)
	c.byte(&v.Kind)
	c.int(&v.Priority)
	c.gap(&v.Gap)
	c.bool(&v.Sums)
}

func (c *coder) gap(g *view.Gap) {
	c.text(&g.Resource)
	c.text(&g.State)
	c.text(&g.Only)
	c.int(&g.Unread)
	c.text(&g.Cause)
}

func (c *coder) row(r *view.Row) {
	c.text(&r.Key)
	c.text(&r.UID)
	c.texts(&r.Cells)
	list(c, &r.Instants, (*coder).int64)
	c.text(&r.Health)
}

func (c *coder) facet(f *view.Facet) {
	c.text(&f.Name)
	list(c, &f.Values, (*coder).facetValue)
	c.int(&f.More)
}

func (c *coder) facetValue(v *view.FacetValue) {
	c.text(&v.Value)
	c.int(&v.Count)
	c.text(&v.Sum)
}
