//go:build !js

package relay

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"watchglass/internal/object/encoded"
	"watchglass/internal/wire"
)

// jsonValue reads one JSON value, up to its closing bracket or quote. It is valid until the next
// call.
func (u *unframer) jsonValue() ([]byte, error) {
	first, err := u.peekByte()
	if err != nil {
		return nil, err
	}
	u.frame = u.frame[:0]
	switch {
	case strings.IndexByte("-0123456789tfn", first) >= 0:
		return u.jsonScalar()
	case first != '{' && first != '[' && first != '"':
		return nil, fmt.Errorf("%w: %q begins no JSON value", encoded.ErrMalformed, first)
	}
	for at := (jsonPlace{}); ; {
		chunk, err := u.more()
		if err != nil {
			return nil, err
		}
		n, whole := at.end(chunk)
		value, err := u.consume(chunk[:n])
		if whole || err != nil {
			return value, err
		}
	}
}

// jsonPlace is a place in a JSON value.
type jsonPlace struct {
	depth             int
	inString, escaped bool
}

// end moves on to the end of the value or of the chunk, whichever comes first. It returns how many bytes that
// is, and whether the value ends there.
func (p *jsonPlace) end(chunk []byte) (n int, whole bool) {
	at := *p // a copy, since the compiler can keep it in registers
	for i, c := range chunk {
		switch {
		case at.escaped:
			at.escaped = false
		case at.inString:
			at.escaped = c == '\\'
			at.inString = c != '"'
		case c == '"':
			at.inString = true
		case c == '{' || c == '[':
			at.depth++
		case c == '}' || c == ']':
			at.depth--
		}
		if at.depth == 0 && !at.inString {
			return i + 1, true
		}
	}
	*p = at
	return len(chunk), false
}

// jsonScalar reads a number, true, false or null.
func (u *unframer) jsonScalar() ([]byte, error) {
	for {
		c, err := u.body.ReadByte()
		if err != nil {
			return nil, cut(err)
		}
		if strings.IndexByte(",:]} \t\r\n", c) >= 0 {
			return u.frame, u.body.UnreadByte()
		}
		if u.frame = append(u.frame, c); len(u.frame) > 64 {
			return nil, fmt.Errorf("%w: %q… is no JSON", encoded.ErrMalformed, u.frame[:32])
		}
	}
}

// more returns what is buffered of the answer: at least one byte.
func (u *unframer) more() ([]byte, error) {
	if _, err := u.body.Peek(1); err != nil {
		return nil, cut(err)
	}
	return u.body.Peek(u.body.Buffered())
}

// consume appends buffered bytes to the current value.
func (u *unframer) consume(chunk []byte) ([]byte, error) {
	size := len(u.frame) + len(chunk)
	if size > maxObject {
		return nil, errTooLarge
	}
	if err := u.hold.reserve(size, maxObject); err != nil {
		return nil, err
	}
	if size > cap(u.frame) { // append alone would copy more often
		u.frame = slices.Grow(u.frame, min(max(len(chunk), cap(u.frame)), maxObject-len(u.frame)))
	}
	u.frame = append(u.frame, chunk...)
	_, err := u.body.Discard(len(chunk))
	return u.frame, err
}

// cut turns io.EOF within a value into io.ErrUnexpectedEOF.
func cut(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// peekByte skips white space and returns the byte after it, unread.
func (u *unframer) peekByte() (byte, error) {
	for {
		c, err := u.body.ReadByte()
		if err != nil {
			return 0, err
		}
		if c != ' ' && c != '\n' && c != '\t' && c != '\r' {
			return c, u.body.UnreadByte()
		}
	}
}

// expect reads one given byte.
func (u *unframer) expect(want byte) error {
	c, err := u.peekByte()
	if err != nil {
		return cut(err)
	}
	if c != want {
		return fmt.Errorf("%w: %q where %q belongs", encoded.ErrMalformed, c, want)
	}
	_, err = u.body.Discard(1)
	return err
}

// watchJSON reads a watch: one JSON document after another.
func (u *unframer) watchJSON() error {
	for {
		if _, err := u.peekByte(); err != nil {
			return ended(err)
		}
		doc, err := u.jsonValue()
		if err != nil {
			return err
		}
		var name string
		var obj []byte
		err = encoded.Members(doc, func(key string, value []byte) error {
			switch key {
			case "type":
				name = strings.Trim(string(value), `"`)
			case "object":
				obj = value
			}
			return nil
		})
		if err != nil {
			return err
		}
		if err := u.eventJSON(name, obj); err != nil {
			return err
		}
		u.passed()
	}
}

func (u *unframer) eventJSON(name string, obj []byte) error {
	t, ok := eventTypes[name]
	if !ok || obj == nil {
		return fmt.Errorf("%w: event %q", encoded.ErrMalformed, name)
	}
	if t == wire.Error {
		return u.emitStatus(statusOfJSON(obj))
	}
	if table, err := readTable(obj); err != nil || table.is() {
		return errors.Join(err, u.emitTable(t, table))
	}
	return u.emitJSON(t, obj)
}

func (u *unframer) emitJSON(t wire.EventType, obj []byte) (err error) {
	if u.out, err = u.json(u.out[:0], obj); err != nil {
		return err
	}
	return u.pass(t, u.out)
}

// table holds the parts of an object that may be a Table; is reports whether it is one.
type table struct{ kind, columns, rows []byte }

func (t table) is() bool { return string(t.kind) == `"Table"` }

func readTable(obj []byte) (t table, err error) {
	err = encoded.Members(obj, func(key string, value []byte) error {
		switch key {
		case "kind":
			t.kind = value
		case "columnDefinitions":
			t.columns = value
		case "rows":
			t.rows = value
		}
		return nil
	})
	return t, err
}

func (u *unframer) emitTable(t wire.EventType, tab table) error {
	if err := u.emitColumns(tab.columns); err != nil || tab.rows == nil {
		return err
	}
	return encoded.Elements(tab.rows, func(row []byte) error { return u.emitRow(t, row) })
}

func (u *unframer) emitColumns(columns []byte) error {
	if len(columns) == 0 || string(columns) == "null" || string(columns) == "[]" {
		return nil
	}
	return u.emit(wire.Columns, columns)
}

func (u *unframer) emitRow(t wire.EventType, row []byte) (err error) {
	if u.out, err = u.row(u.out[:0], row); err != nil {
		return err
	}
	return u.pass(t, u.out)
}

// objectJSON reads one document: the answer to a get, a review or discovery. A get as a Table is
// a Table with one row.
func (u *unframer) objectJSON() error {
	defer u.passed()
	doc, err := u.document()
	if err != nil {
		return err
	}
	if table, err := readTable(doc); err != nil || table.is() {
		return errors.Join(err, u.emitTable(wire.Item, table))
	}
	return u.emitJSON(wire.Item, doc)
}

// onlyObject reads the answer to a get in JSON, which must be an object. A Table is refused.
func (u *unframer) onlyObject() error {
	defer u.passed()
	doc, err := u.document()
	if err != nil {
		return err
	}
	return u.emitJSON(wire.Item, doc)
}

// document reads an answer that must be a single document. What is withheld depends on its kind,
// and a second document could have another kind.
func (u *unframer) document() ([]byte, error) {
	doc, err := u.jsonValue()
	if err != nil {
		return nil, cut(err)
	}
	switch c, err := u.peekByte(); {
	case err == nil:
		return nil, fmt.Errorf("%w: %q behind the document", encoded.ErrMalformed, c)
	case !errors.Is(err, io.EOF):
		return nil, err
	}
	return doc, nil
}

// listJSON reads a list or a Table as it comes, and holds one item or row at a time.
func (u *unframer) listJSON() error {
	if err := u.expect('{'); err != nil {
		return err
	}
	var l listHead
	for {
		c, err := u.peekByte()
		if err != nil {
			return cut(err)
		}
		if c == '}' {
			return u.emitListEnd(l.meta)
		}
		if c == ',' {
			if err := u.expect(','); err != nil {
				return err
			}
		}
		if err := u.listMember(&l); err != nil {
			return err
		}
	}
}

// listHead is what is known of a list besides its items.
type listHead struct {
	apiVersion, kind string
	meta             wire.ListMeta
}

func (u *unframer) listMember(l *listHead) error {
	key, err := u.jsonValue()
	if err != nil {
		return cut(err)
	}
	name := string(key)
	if err := u.expect(':'); err != nil {
		return err
	}
	if name == `"items"` || name == `"rows"` {
		return u.listElements(func(value []byte) error {
			if name == `"rows"` {
				return u.emitRow(wire.Item, value)
			}
			return u.emitItem(l, value)
		})
	}
	value, err := u.jsonValue()
	if err != nil {
		return cut(err)
	}
	switch name {
	case `"kind"`:
		if l.kind != "" { // its items may have been read as the wrong kind
			return fmt.Errorf("%w: a list of two kinds", encoded.ErrMalformed)
		}
		l.kind = textOf(value)
	case `"apiVersion"`:
		l.apiVersion = textOf(value)
	case `"metadata"`:
		if err := json.Unmarshal(value, &l.meta); err != nil {
			return fmt.Errorf("%w: list metadata: %v", encoded.ErrMalformed, err)
		}
	case `"columnDefinitions"`:
		return u.emitColumns(value)
	}
	return nil
}

func (u *unframer) listElements(f func(value []byte) error) error {
	c, err := u.peekByte()
	if err != nil {
		return cut(err)
	}
	if c != '[' {
		_, err := u.jsonValue() // null
		return err
	}
	if err := u.expect('['); err != nil {
		return err
	}
	for {
		c, err := u.peekByte()
		if err != nil {
			return cut(err)
		}
		switch c {
		case ']', ',':
			if err := u.expect(c); err != nil || c == ']' {
				return err
			}
		default:
			value, err := u.jsonValue()
			if err != nil {
				return cut(err)
			}
			if err := f(value); err != nil {
				return err
			}
			u.passed()
		}
	}
}

// emitItem emits an item. Items of a typed list have no kind; it is added.
func (u *unframer) emitItem(l *listHead, item []byte) (err error) {
	hasKind := false
	if err := encoded.Members(item, func(key string, _ []byte) error {
		hasKind = hasKind || key == "kind"
		return nil
	}); err != nil {
		return err
	}
	if hasKind {
		return u.emitJSON(wire.Item, item)
	}
	kind := strings.TrimSuffix(l.kind, "List")
	head := append([]byte(`{"kind":`), encoded.AppendString(nil, kind)...)
	head = append(append(head, `,"apiVersion":`...), encoded.AppendString(nil, l.apiVersion)...)
	if rest := strings.TrimSpace(string(item[1:])); rest != "}" {
		head = append(head, ',')
	}
	return u.emitJSON(wire.Item, append(head, item[1:]...))
}
