package port

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"

	"watchglass/internal/view"
)

// The kinds of messages. Frequent ones are binary, the others JSON.
const (
	kindLook byte = iota + 1
	kindPainted
	kindPresence
	kindAsk
	kindPatch
	kindState
	kindAnswer
	kindWatchKinds
	kindKinds
	kindCounts
	kindRemembered
	kindRights
	kindDue
	kindRenewed
	kindFocus
	kindDetail
	kindClose
	kindOpenOverview
	kindTravel
	kindPast
	kindPiece
	kindOpenTimeline
	kindKeepHistory
)

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
	var w writer
	switch m := m.(type) {
	case Look:
		w.byte(kindLook)
		w.look(m)
	case Painted:
		w.byte(kindPainted)
		w.int(int(m.ID))
	case Close:
		w.byte(kindClose)
		w.int(int(m.ID))
	case WatchKinds:
		w.byte(kindWatchKinds)
	case Piece:
		w.byte(kindPiece)
		w.int(int(m.ID))
		w.bool(m.Published)
		w.bool(m.Last)
		w.text(m.Error)
		w.b = append(w.b, m.Data...)
	case Detail:
		w.byte(kindDetail)
		w.int(int(m.ID))
		w.int(int(m.Seq))
		w.text(m.Part)
		w.b = append(w.b, m.Doc...)
	case Patch:
		w.byte(kindPatch)
		w.int(int(m.ID))
		w.patch(m.Patch)
	default:
		if kind := jsonKind(m); kind != 0 {
			return w.json(kind, m)
		}
		return nil, fmt.Errorf("%w: %T", ErrMessage, m)
	}
	return w.b, nil
}

// jsonKind returns the kind of a message that is written as JSON; 0 if it is not.
func jsonKind(m Message) byte {
	switch m.(type) {
	case Due:
		return kindDue
	case Renewed:
		return kindRenewed
	case Focus:
		return kindFocus
	case OpenOverview:
		return kindOpenOverview
	case OpenTimeline:
		return kindOpenTimeline
	case Travel:
		return kindTravel
	case KeepHistory:
		return kindKeepHistory
	case Past:
		return kindPast
	case Presence:
		return kindPresence
	case Ask:
		return kindAsk
	case State:
		return kindState
	case Answer:
		return kindAnswer
	case Kinds:
		return kindKinds
	case Counts:
		return kindCounts
	case Remembered:
		return kindRemembered
	case Rights:
		return kindRights
	}
	return 0
}

// Decode reads a message.
func Decode(b []byte) (Message, error) {
	if len(b) == 0 {
		return nil, fmt.Errorf("%w: empty", ErrMessage)
	}
	r := reader{b: b[1:]}
	switch b[0] {
	case kindLook:
		m := r.look()
		return m, r.done()
	case kindPainted:
		m := Painted{ID: uint32(r.int())}
		return m, r.done()
	case kindClose:
		m := Close{ID: uint32(r.int())}
		return m, r.done()
	case kindWatchKinds:
		return WatchKinds{}, r.done()
	case kindPatch:
		m := Patch{ID: uint32(r.int()), Patch: r.patch()}
		return m, r.done()
	case kindPiece:
		m := Piece{ID: uint32(r.int()), Published: r.bool(), Last: r.bool(), Error: r.text()}
		if r.bad {
			return nil, r.done()
		}
		m.Data, r.b = r.b, nil
		return m, r.done()
	case kindDetail:
		m := Detail{ID: uint32(r.int()), Seq: uint32(r.int()), Part: r.text()}
		if r.bad {
			return nil, r.done()
		}
		m.Doc, r.b = r.b, nil
		return m, r.done()
	}
	return decodeJSON(b[0], r.b)
}

// decodeJSON reads a message of a kind that is written as JSON.
func decodeJSON(kind byte, b []byte) (Message, error) {
	switch kind {
	case kindFocus:
		return fromJSON[Focus](b)
	case kindOpenOverview:
		return fromJSON[OpenOverview](b)
	case kindOpenTimeline:
		return fromJSON[OpenTimeline](b)
	case kindKeepHistory:
		return fromJSON[KeepHistory](b)
	case kindTravel:
		return fromJSON[Travel](b)
	case kindPast:
		return fromJSON[Past](b)
	case kindPresence:
		return fromJSON[Presence](b)
	case kindAsk:
		return fromJSON[Ask](b)
	case kindState:
		return fromJSON[State](b)
	case kindAnswer:
		return fromJSON[Answer](b)
	case kindKinds:
		return fromJSON[Kinds](b)
	case kindCounts:
		return fromJSON[Counts](b)
	case kindRemembered:
		return fromJSON[Remembered](b)
	case kindRights:
		return fromJSON[Rights](b)
	case kindDue:
		return fromJSON[Due](b)
	case kindRenewed:
		return fromJSON[Renewed](b)
	}
	return nil, fmt.Errorf("%w: kind %d", ErrMessage, kind)
}

func fromJSON[T any](b []byte) (Message, error) {
	var m T
	if err := json.Unmarshal(b, &m); err != nil {
		return nil, fmt.Errorf("%w: %v", ErrMessage, err)
	}
	return m, nil
}

// writer appends values: numbers as varints, texts and lists after their length.
type writer struct{ b []byte }

func (w *writer) byte(c byte) { w.b = append(w.b, c) }
func (w *writer) int(n int)   { w.b = binary.AppendVarint(w.b, int64(n)) }
func (w *writer) text(s string) {
	w.int(len(s))
	w.b = append(w.b, s...)
}

func (w *writer) bool(v bool) {
	if v {
		w.byte(1)
	} else {
		w.byte(0)
	}
}

func (w *writer) texts(list []string) {
	w.int(len(list))
	for _, s := range list {
		w.text(s)
	}
}

func (w *writer) json(kind byte, v any) ([]byte, error) {
	doc, err := json.Marshal(v)
	return append([]byte{kind}, doc...), err
}

func (w *writer) look(m Look) {
	w.int(int(m.ID))
	w.text(m.Context)
	w.text(m.Resource)
	w.int(int(m.Seq))
	w.texts(m.Namespaces)
	w.text(m.Labels)
	w.text(m.Text)
	w.int(int(m.From))
	w.int(int(m.Until))
	w.bool(m.Typing)
	w.text(m.Sort)
	w.bool(m.Descending)
	w.text(m.Group)
	w.text(m.Sum)
	w.bool(m.Wide)
	w.bool(m.Extra)
	w.texts(m.Columns)
	w.int(m.Offset)
	w.int(m.Limit)
	w.bool(m.Paused)
	w.text(m.Anchor)
	w.text(m.Locate)
}

func (w *writer) patch(p view.Patch) {
	w.int(int(p.Seq))
	w.int(p.Total)
	w.int(p.Of)
	w.text(p.Group)
	w.int(p.Matched)
	w.int(p.Offset)
	w.int(p.Above)
	w.int(p.Waiting)
	w.int(p.Located)
	w.bool(p.Held)
	w.int(len(p.Gaps))
	for _, g := range p.Gaps {
		w.gap(g)
	}
	w.int(len(p.Problems))
	for _, q := range p.Problems {
		w.byte(byte(q.Part))
		w.text(q.Text)
		w.text(q.InForce)
		w.int(q.From)
		w.int(q.To)
		w.bool(q.Incomplete)
	}
	w.columns(p.Columns)
	w.columns(p.Known)
	w.int(len(p.Order))
	for _, at := range p.Order {
		w.int(at)
	}
	w.int(len(p.Rows))
	for _, r := range p.Rows {
		w.text(r.Key)
		w.text(r.UID)
		w.texts(r.Cells)
		w.int(len(r.Instants))
		for _, at := range r.Instants {
			w.int(int(at))
		}
		w.text(r.Health)
	}
	w.int(len(p.Facets))
	for _, f := range p.Facets {
		w.text(f.Name)
		w.int(len(f.Values))
		for _, v := range f.Values {
			w.text(v.Value)
			w.int(v.Count)
			w.text(v.Sum)
		}
		w.int(f.More)
	}
}

func (w *writer) columns(columns []view.Column) {
	w.int(len(columns))
	for _, c := range columns {
		w.text(c.Name)
		w.byte(c.Kind)
		w.int(c.Priority)
		w.gap(c.Gap)
		w.bool(c.Sums)
	}
}

func (w *writer) gap(g view.Gap) {
	w.text(g.Resource)
	w.text(g.State)
	w.text(g.Only)
	w.text(g.Cause)
}

// reader reads values. After an error it returns zero values; done returns the error.
type reader struct {
	b   []byte
	bad bool
}

func (r *reader) fail() {
	r.b, r.bad = nil, true
}

func (r *reader) done() error {
	if r.bad || len(r.b) > 0 {
		return fmt.Errorf("%w: wrong length", ErrMessage)
	}
	return nil
}

func (r *reader) byte() byte {
	if len(r.b) == 0 {
		r.fail()
		return 0
	}
	c := r.b[0]
	r.b = r.b[1:]
	return c
}

func (r *reader) bool() bool { return r.byte() != 0 }

func (r *reader) int() int {
	n, size := binary.Varint(r.b)
	if size <= 0 {
		r.fail()
		return 0
	}
	r.b = r.b[size:]
	return int(n)
}

func (r *reader) instant() int64 { return int64(r.int()) }

func (r *reader) text() string {
	n := r.int()
	if n < 0 || n > len(r.b) {
		r.fail()
		return ""
	}
	s := string(r.b[:n])
	r.b = r.b[n:]
	return s
}

// list reads a length and that many items. An item takes at least a byte, so a false length
// is noticed before memory is allocated for it.
func list[T any](r *reader, item func() T) []T {
	n := r.int()
	if n < 0 || n > len(r.b) {
		r.fail()
		return nil
	}
	if n == 0 {
		return nil
	}
	out := make([]T, 0, n)
	for range n {
		if out = append(out, item()); r.bad {
			return nil
		}
	}
	return out
}

func (r *reader) texts() []string { return list(r, r.text) }

func (r *reader) column() view.Column {
	return view.Column{Name: r.text(), Kind: r.byte(), Priority: r.int(), Gap: r.gap(), Sums: r.bool()}
}

func (r *reader) gap() view.Gap {
	return view.Gap{Resource: r.text(), State: r.text(), Only: r.text(), Cause: r.text()}
}

func (r *reader) look() Look {
	return Look{ID: uint32(r.int()), Context: r.text(), Resource: r.text(), Query: view.Query{
		Seq: uint32(r.int()), Namespaces: r.texts(), Labels: r.text(), Text: r.text(), From: int64(r.int()), Until: int64(r.int()), Typing: r.bool(), Sort: r.text(),
		Descending: r.bool(), Group: r.text(), Sum: r.text(), Wide: r.bool(), Extra: r.bool(), Columns: r.texts(), Offset: r.int(), Limit: r.int(), Paused: r.bool(), Anchor: r.text(), Locate: r.text(),
	}}
}

func (r *reader) patch() view.Patch {
	return view.Patch{
		Seq: uint32(r.int()), Total: r.int(), Of: r.int(), Group: r.text(), Matched: r.int(), Offset: r.int(), Above: r.int(), Waiting: r.int(), Located: r.int(), Held: r.bool(), Gaps: list(r, r.gap),
		Problems: list(r, func() view.Problem {
			return view.Problem{Part: view.Part(r.byte()), Text: r.text(), InForce: r.text(), From: r.int(), To: r.int(), Incomplete: r.bool()}
		}),
		Columns: list(r, r.column),
		Known:   list(r, r.column),
		Order:   list(r, r.int),
		Rows: list(r, func() view.Row {
			return view.Row{Key: r.text(), UID: r.text(), Cells: r.texts(), Instants: list(r, r.instant), Health: r.text()}
		}),
		Facets: list(r, func() view.Facet {
			return view.Facet{
				Name:   r.text(),
				Values: list(r, func() view.FacetValue { return view.FacetValue{Value: r.text(), Count: r.int(), Sum: r.text()} }),
				More:   r.int(),
			}
		}),
	}
}
