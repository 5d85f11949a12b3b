package object

import (
	"sync"

	"google.golang.org/protobuf/encoding/protowire"

	"watchglass/internal/object/encoded"
	"watchglass/internal/object/schema"
	"watchglass/internal/object/tree"
)

// An excerpt is the part of an object that other lists and computed columns compute with: what a
// pod requests and how it ended, what a node has. It is taken when it is first asked for, or when a Budget drops the packed bytes.
// Most objects have the same excerpt as others, so each distinct one is kept once in the
// CodeTable, and an object has only its number.

// quietExcerpt is the code of objects whose excerpts show nothing, taken or not. No excerpt has that
// number.
const quietExcerpt = 1

// mostExcerpts is how many excerpts a CodeTable keeps: it never frees one.
const mostExcerpts = 1 << 18

// excerpts are the distinct excerpts of a CodeTable.
type excerpts struct {
	numbers map[string]uint32
	texts   []string // by number, from quietExcerpt
}

// excerptNumber returns the number of an excerpt, and keeps it if it is new; 0 if none are left.
func (t *CodeTable) excerptNumber(text []byte) uint32 {
	t.mu.Lock()
	defer t.mu.Unlock()
	e := &t.excerpts
	if number, ok := e.numbers[string(text)]; ok || len(e.texts) == mostExcerpts {
		return number
	}
	if e.numbers == nil {
		e.numbers, e.texts = make(map[string]uint32), make([]string, quietExcerpt)
	}
	word := string(text)
	e.texts = append(e.texts, word)
	e.numbers[word] = uint32(len(e.texts))
	return uint32(len(e.texts))
}

// Excerpt returns the JSON of an excerpt of a kind by its number, which is not 0.
func (t *CodeTable) Excerpt(k Kind, number uint32) ([]byte, error) {
	m, ok := schema.Of(k.APIVersion(), k.Name)
	if !ok {
		return nil, ErrKind
	}
	return tree.FromMessage(m, t.excerptText(number)).AppendJSON(nil)
}

// excerptText returns an excerpt by its number, which is not 0.
func (t *CodeTable) excerptText(number uint32) []byte {
	t.mu.Lock()
	defer t.mu.Unlock()
	return []byte(t.excerpts.texts[number-1])
}

// Excerpt returns the number of the object's excerpt, 0 if it has none. Objects of a kind with
// the same number have the same excerpt. Any goroutine may call it.
func (o *Object) Excerpt() uint32 {
	o = o.Base()
	if number := o.excerpt.Load(); number != 0 || o.source == nil || o.source.excerpter == nil {
		return number
	}
	if raw := o.Packed(); raw != nil && raw[0] != '{' {
		o.excerpt.Store(o.source.excerpter.of(raw))
	}
	return o.excerpt.Load() // if the bytes were just dropped, the Budget has taken it
}

// TakenExcerpt returns the number of the object's excerpt, 0 if it has none or it has not been taken:
// that is what takes long.
func (o *Object) TakenExcerpt() uint32 {
	if o.source != nil && o.source.base != nil {
		o = o.source.base
	}
	return o.excerpt.Load()
}

// excerpter takes the excerpts of the objects of a decoder.
type excerpter struct {
	kind    *Kind
	message *schema.Message
	root    *planNode
	table   *CodeTable

	mu     sync.Mutex
	text   []byte
	last   []byte // neighbours mostly have the same
	number uint32
	reader *factReader // nil: nobody has asked for facts
	facts  map[uint32]facts
	values Values
}

// of returns the number of a message's excerpt.
func (e *excerpter) of(raw []byte) uint32 {
	e.mu.Lock()
	defer e.mu.Unlock()
	var ok bool
	if e.text, ok = e.root.excerpt(e.text[:0], raw); !ok {
		return 0
	}
	if e.number == 0 || string(e.text) != string(e.last) {
		e.last = append(e.last[:0], e.text...)
		e.number = e.table.excerptNumber(e.text)
	}
	return e.number
}

// excerpt appends the fields of a message that are on the paths of a plan.
func (n *planNode) excerpt(dst, msg []byte) ([]byte, bool) {
	f := encoded.FieldsOf(msg)
	for f.Next() {
		if f.Number >= len(n.next) || n.next[f.Number] == nil {
			continue
		}
		child := n.next[f.Number]
		if child.next == nil {
			dst = append(dst, f.Raw()...)
			continue
		}
		// The length comes first and is known last, so it takes three bytes, which is valid even
		// where one would do.
		dst = append(append(dst, f.Tag()...), 0, 0, 0)
		start, ok := len(dst), f.Type == protowire.BytesType
		if ok {
			dst, ok = child.excerpt(dst, f.Bytes)
		}
		if !ok || len(dst)-start >= 1<<21 {
			return dst, false
		}
		n := len(dst) - start
		dst[start-3], dst[start-2], dst[start-1] = byte(n)|0x80, byte(n>>7)|0x80, byte(n>>14)
	}
	return dst, f.Err() == nil
}
