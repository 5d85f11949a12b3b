package rewrite

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"

	"watchglass/internal/object"
	"watchglass/internal/object/encoded"
	"watchglass/internal/object/schema"
)

// An Edit returns the replacement of one text of an object, and whether the text stays. One that does not is
// left out of a map or of an object in JSON; elsewhere it becomes empty. The path has the names of the members that
// lead to the text, without indexes of lists; for a value of a map, it ends with the key. Bytes are passed as a text.
// The path is valid only during the call.
type Edit func(path []string, text string) (now string, stays bool)

// Once passes each text of a payload of a kind to an edit, and returns the resulting payload. The
// payload is an object in protobuf or JSON, or a row of a Table. Fields unknown to the schema are left
// out, since no edit could decide about them.
func Once(k object.Kind, payload []byte, edit Edit) ([]byte, error) {
	return New(edit).Rewrite(nil, k, Result{}, payload)
}

// Result is a payload and its result after the same edit.
type Result struct{ Payload, Out []byte }

// Rewriter applies an Edit to payloads. It reuses its memory, so only one goroutine may use it.
type Rewriter struct {
	// Skips, if it is not nil, says which messages nobody wants to look into, by their paths and types. They are
	// empty in the result.
	Skips func(path []string, m *schema.Message) bool

	edit  Edit
	of    wrapping
	path  []string
	depth int
}

// New returns a Rewriter that applies an edit.
func New(edit Edit) *Rewriter { return &Rewriter{edit: edit} }

// Rewrite is like Once, given an earlier version of the object, or a similar object. Parts that are
// the same in both are copied and not passed to the edit again, so the edit must depend only on its
// arguments. The result is appended to into, whose memory may not be of the earlier version.
func (e *Rewriter) Rewrite(into []byte, k object.Kind, last Result, payload []byte) (_ []byte, err error) {
	e.path, e.depth = e.path[:0], 0
	if !encoded.IsProtobuf(payload) {
		return e.document(slices.Grow(into, len(payload)), payload)
	}
	of := e.wrapping(k)
	raw, ok := of.unwrap(payload)
	if !ok {
		apiVersion, kind, _, _ := encoded.Open(payload)
		return nil, fmt.Errorf("%w: %q %q", object.ErrKind, apiVersion, kind)
	}
	into = append(slices.Grow(into, len(payload)+binary.MaxVarintLen64), of.before...)
	at := len(into)
	into = makeRoom(into, len(raw))
	if before := of.unwrapBoth(last); before.Payload != nil && bytes.Equal(raw, before.Payload) {
		into = append(into, before.Out...)
	} else if into, err = e.message(into, of.message, raw, before); err != nil {
		return nil, err
	}
	return prefixed(into, at, len(raw)), nil
}

// wrapping is what is around the protobuf messages of a kind.
type wrapping struct {
	group, version, name string
	apiVersion           string
	message              *schema.Message // nil: none is known
	before               []byte          // all up to the length of the message
}

// wrapping returns that of a kind, which is mostly that of the last payload.
func (e *Rewriter) wrapping(k object.Kind) *wrapping {
	if w := &e.of; w.name == k.Name && w.group == k.Group && w.version == k.Version && w.apiVersion != "" {
		return w
	}
	e.of = wrapping{group: k.Group, version: k.Version, name: k.Name, apiVersion: k.APIVersion()}
	e.of.before = encoded.AppendEnvelope(nil, e.of.apiVersion, k.Name)
	e.of.message, _ = schema.Of(e.of.apiVersion, k.Name)
	return &e.of
}

// noEncoding follows the message in what an apiserver writes: two empty texts.
const noEncoding = "\x1a\x00\x22\x00"

// unwrap returns the message in a payload, and false if that is not of the kind. Those that an apiserver or
// Rewrite has written are not parsed.
func (w *wrapping) unwrap(payload []byte) ([]byte, bool) {
	if w.message == nil {
		return nil, false
	}
	if rest, ok := bytes.CutPrefix(payload, w.before); ok {
		if raw, size := protowire.ConsumeBytes(rest); size == len(rest) || size > 0 && string(rest[size:]) == noEncoding {
			return raw, true
		}
	}
	apiVersion, kind, raw, err := encoded.Open(payload)
	return raw, err == nil && string(apiVersion) == w.apiVersion && string(kind) == w.name
}

// unwrapBoth returns the messages of both; the zero value if either is not of the kind.
func (w *wrapping) unwrapBoth(r Result) Result {
	payload, one := w.unwrap(r.Payload)
	out, two := w.unwrap(r.Out)
	if !one || !two {
		return Result{}
	}
	return Result{payload, out}
}

// enter goes into a member, whose name may be empty, or into something that is none, up to encoded.MaxDepth. If it
// succeeds, leave goes back.
func (e *Rewriter) enter(name string, member bool) error {
	if e.depth >= encoded.MaxDepth {
		return fmt.Errorf("%w: nests deeper than %d", encoded.ErrMalformed, encoded.MaxDepth)
	}
	e.depth++
	if member {
		e.path = append(e.path, name)
	}
	return nil
}

func (e *Rewriter) leave(member bool) {
	e.depth--
	if member {
		e.path = e.path[:len(e.path)-1]
	}
}

// down calls f for a member.
func (e *Rewriter) down(name string, f func() error) error {
	if err := e.enter(name, true); err != nil {
		return err
	}
	defer e.leave(true)
	return f()
}

// deeper calls f for something that is no member.
func (e *Rewriter) deeper(f func() error) error {
	if err := e.enter("", false); err != nil {
		return err
	}
	defer e.leave(false)
	return f()
}

// message appends a message.
func (e *Rewriter) message(dst []byte, m *schema.Message, raw []byte, last Result) ([]byte, error) {
	before := pair{message: m, payload: last.Payload, out: last.Out, taken: true}
	fields := encoded.FieldsOf(raw)
	for fields.Next() {
		f := m.Field(fields.Number)
		if f == nil {
			continue
		}
		if f.Name != "kind" { // what a reference is to is always told
			if result, ok := before.same(f, fields.Raw(), fields.Bytes); ok {
				dst = append(dst, result...)
				continue
			}
		}
		if fields.Type != protowire.BytesType {
			dst = append(dst, fields.Raw()...)
			continue
		}
		of, left := before.next(fields.Number)
		if of.Payload != nil && f.Name != "kind" && before.equal(fields.Bytes) {
			if !left {
				dst = protowire.AppendBytes(append(dst, fields.Tag()...), of.Out)
			}
			continue
		}
		var err error
		if dst, err = e.member(dst, fields.Tag(), f, fields.Bytes, of); err != nil {
			return dst, err
		}
		if rest, ok := before.rest(fields.Rest()); ok {
			return append(dst, rest...), nil
		}
	}
	return dst, fields.Err()
}

// member appends a field with its tag and its length. Only an entry of a map is left out, so that a later version
// finds the results of all other fields in their places. JSON inlines a field without a name.
func (e *Rewriter) member(dst, tag []byte, f *schema.Field, raw []byte, last Result) ([]byte, error) {
	begin := len(dst)
	dst = append(dst, tag...)
	at := len(dst)
	named := f.Name != ""
	if err := e.enter(f.Name, named); err != nil {
		return dst, err
	}
	dst, stays, err := e.field(makeRoom(dst, len(raw)), f, raw, last)
	e.leave(named)
	switch {
	case err != nil:
		return dst, err
	case stays:
		return prefixed(dst, at, len(raw)), nil
	case f.Map:
		return dst[:begin], nil
	}
	return append(dst[:at], 0), nil
}

// makeRoom appends room for a length, which is mostly that of what is rewritten.
func makeRoom(dst []byte, length int) []byte { return protowire.AppendVarint(dst, uint64(length)) }

// prefixed puts the length of what follows an offset into the room that was made there for another.
func prefixed(dst []byte, at, expected int) []byte {
	room := protowire.SizeVarint(uint64(expected))
	length := len(dst) - at - room
	switch length {
	case expected:
		return dst
	case 0:
		return append(dst[:at], 0)
	}
	var now [binary.MaxVarintLen64]byte
	return slices.Replace(dst, at, at+room, now[:binary.PutUvarint(now[:], uint64(length))]...)
}

// field appends the value of a field without its length, and reports whether the field stays.
func (e *Rewriter) field(dst []byte, f *schema.Field, raw []byte, last Result) ([]byte, bool, error) {
	if f.Map {
		return e.entry(dst, f, raw)
	}
	switch f.Type {
	case schema.String, schema.Bytes:
		now, stays := e.edit(e.path, string(raw))
		return append(dst, now...), stays, nil
	case schema.Nested:
		m := f.Message()
		if e.Skips != nil && e.Skips(e.path, m) {
			return dst, true, nil
		}
		dst, err := e.message(dst, m, raw, last)
		return dst, true, err
	case schema.Raw:
		return e.raw(dst, raw)
	}
	if inner := f.Inner(); inner != nil {
		dst, err := e.message(dst, inner, raw, last)
		return dst, true, err
	}
	return append(dst, raw...), true, nil // times, quantities and numbers
}

// entry appends an entry of a map.
func (e *Rewriter) entry(dst []byte, f *schema.Field, raw []byte) (_ []byte, stays bool, err error) {
	key, value, err := encoded.Pair(raw)
	if err != nil {
		return dst, false, err
	}
	dst = protowire.AppendBytes(protowire.AppendTag(dst, 1, protowire.BytesType), key)
	dst = protowire.AppendTag(dst, 2, protowire.BytesType)
	at, one := len(dst), *f
	one.Map = false
	err = e.down(string(key), func() (err error) {
		dst, stays, err = e.field(makeRoom(dst, len(value)), &one, value, Result{})
		return err
	})
	return prefixed(dst, at, len(value)), stays, err
}

// raw appends a message whose field 1 is JSON, and perhaps of another kind.
func (e *Rewriter) raw(dst, raw []byte) ([]byte, bool, error) {
	doc, _, err := encoded.Pair(raw)
	if err != nil {
		return dst, false, err
	}
	if len(doc) == 0 {
		return dst, true, nil
	}
	dst = protowire.AppendTag(dst, 1, protowire.BytesType)
	at := len(dst)
	dst, stays, err := e.value(makeRoom(dst, len(doc)), doc)
	return prefixed(dst, at, len(doc)), stays, err
}

// document appends an object, or a row of a Table.
func (e *Rewriter) document(dst, doc []byte) ([]byte, error) {
	cells, obj, err := encoded.Row(doc)
	if err != nil {
		return dst, err
	}
	if cells == nil {
		dst, _, err = e.value(dst, obj)
		return dst, err
	}
	dst = append(dst, `{"cells":`...)
	if err = e.down("cells", func() (err error) {
		dst, _, err = e.value(dst, cells)
		return err
	}); err != nil {
		return dst, err
	}
	dst, _, err = e.value(append(dst, `,"object":`...), obj)
	return append(dst, '}'), err
}

// value appends a value in JSON, and reports whether it stays. A text that does not stay in a list
// becomes empty, so that the others keep their places.
func (e *Rewriter) value(dst, doc []byte) (_ []byte, stays bool, err error) {
	switch doc = bytes.TrimLeft(doc, " \n\t\r"); {
	case len(doc) == 0:
		return dst, false, encoded.ErrMalformed
	case doc[0] == '{':
		dst, err = e.members(dst, doc)
		return dst, true, err
	case doc[0] == '[':
		dst = append(dst, '[')
		err = e.deeper(func() error {
			return encoded.Elements(doc, func(value []byte) (err error) {
				if dst[len(dst)-1] != '[' {
					dst = append(dst, ',')
				}
				before := len(dst)
				if dst, stays, err = e.value(dst, value); !stays {
					dst = append(dst[:before], `""`...)
				}
				return err
			})
		})
		return append(dst, ']'), true, err
	case doc[0] == '"':
		now, stays := e.edit(e.path, encoded.Unquote(doc))
		return encoded.AppendString(dst, now), stays, nil
	}
	return append(dst, doc...), true, nil
}

// members appends an object in JSON.
func (e *Rewriter) members(dst, doc []byte) ([]byte, error) {
	dst = append(dst, '{')
	err := encoded.Members(doc, func(key string, value []byte) error {
		before := len(dst)
		if dst[before-1] != '{' {
			dst = append(dst, ',')
		}
		dst = append(encoded.AppendString(dst, key), ':')
		return e.down(key, func() (err error) {
			var stays bool
			if dst, stays, err = e.value(dst, value); !stays {
				dst = dst[:before]
			}
			return err
		})
	})
	return append(dst, '}'), err
}
