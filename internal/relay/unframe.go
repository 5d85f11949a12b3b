//go:build !js

package relay

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"watchglass/internal/object/encoded"
	"watchglass/internal/wire"
)

// maxObject is the size of the largest object that passes. It must fit a frame.
const maxObject = wire.MaxFrame - 64

// implausible is a length that no object has. The first four letters of any text, read as a
// length, are more.
const implausible = 256 << 20

// errTooLarge is an object that does not fit a frame.
var errTooLarge = errors.New("an object is too large")

// unframer splits an answer of the apiserver into events, removes what is withheld, and calls
// emit with each. Payloads are valid until emit returns.
type unframer struct {
	body *bufio.Reader
	withhold
	emit func(t wire.EventType, payload []byte) error
	hold *hold
	// largest is the size of the largest object that is read (default maxObject).
	largest int

	frame []byte // of the apiserver
	out   []byte
}

// eventTypes are those of the apiserver's watch.
var eventTypes = map[string]wire.EventType{
	"ADDED": wire.Added, "MODIFIED": wire.Modified, "DELETED": wire.Deleted, "BOOKMARK": wire.Bookmark, "ERROR": wire.Error,
}

// keepBytes is the largest buffer that an idle watch keeps. Every watch of every tab may keep
// one, and an object may be a hundred times as large.
const keepBytes = 64 << 10

// pass emits an event.
func (u *unframer) pass(t wire.EventType, payload []byte) error {
	u.hold.shrink(max(len(u.frame), len(payload)))
	return u.emit(t, payload)
}

// passed frees the buffers that a large object enlarged, and the room held for it.
func (u *unframer) passed() {
	if cap(u.frame) > keepBytes {
		u.frame = nil
	}
	if cap(u.out) > keepBytes {
		u.out = nil
	}
	u.hold.release()
}

// watchProtobuf reads a watch: messages with a length of four bytes before each, every one a
// WatchEvent around an object.
func (u *unframer) watchProtobuf() error {
	for {
		var size [4]byte
		if _, err := io.ReadFull(u.body, size[:]); err != nil {
			return ended(err)
		}
		frame, err := u.read(u.frame, uint64(binary.BigEndian.Uint32(size[:])))
		if err != nil {
			return err
		}
		u.frame = frame
		name, extension, err := encoded.Pair(frame)
		if err != nil {
			return err
		}
		payload, _, err := encoded.Pair(extension) // a RawExtension, whose field 1 is the object
		if err != nil {
			return err
		}
		if err := u.eventProtobuf(string(name), payload); err != nil {
			return err
		}
		u.passed()
	}
}

// ended turns io.EOF between two events into nil.
func ended(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// read fills into with the next n bytes, if an object may have that many.
func (u *unframer) read(into []byte, n uint64) ([]byte, error) {
	if n > implausible {
		return into, fmt.Errorf("%w: a frame that would have %d bytes", encoded.ErrMalformed, n)
	}
	if n > uint64(cmp.Or(u.largest, maxObject)) {
		return into, fmt.Errorf("%w: %d bytes", errTooLarge, n)
	}
	if uint64(cap(into)) < n {
		if err := u.hold.reserve(int(n), int(n)); err != nil {
			return into, err
		}
		into = make([]byte, n)
	}
	into = into[:n]
	if _, err := io.ReadFull(u.body, into); err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return into, err
	}
	return into, nil
}

func (u *unframer) eventProtobuf(name string, payload []byte) error {
	t, ok := eventTypes[name]
	if !ok {
		return fmt.Errorf("%w: event %q", encoded.ErrMalformed, name)
	}
	e, err := openEnvelope(payload)
	if err != nil {
		return err
	}
	if t == wire.Error {
		return u.emitStatus(statusOfProtobuf(e.raw))
	}
	return u.emitProtobuf(t, e)
}

func (u *unframer) emitProtobuf(t wire.EventType, e envelope) (err error) {
	if u.out, err = u.protobuf(u.out[:0], e); err != nil {
		return err
	}
	return u.pass(t, u.out)
}

func (u *unframer) emitStatus(s *wire.Status) error {
	body, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return u.emit(wire.Error, body)
}

func statusOfProtobuf(raw []byte) *wire.Status {
	var s metav1.Status
	if err := s.Unmarshal(raw); err != nil {
		return &wire.Status{Origin: wire.FromProxy, Reason: wire.ReasonMalformed, Message: "the apiserver sent an error that is not a Status: " + err.Error()}
	}
	return statusOf(&s)
}

// objectProtobuf reads one object: a get.
func (u *unframer) objectProtobuf() error {
	defer u.passed()
	payload, err := u.readAll()
	if err != nil {
		return err
	}
	e, err := openEnvelope(payload)
	if err != nil {
		return err
	}
	return u.emitProtobuf(wire.Item, e)
}

// readAll reads the whole answer.
func (u *unframer) readAll() ([]byte, error) {
	for u.frame = u.frame[:0]; ; {
		if _, err := u.body.Peek(1); err != nil {
			return u.frame, ended(err)
		}
		chunk, err := u.more()
		if err != nil {
			return nil, err
		}
		if _, err := u.consume(chunk); err != nil {
			return nil, err
		}
	}
}

// listProtobuf reads a list as it comes, and holds one item at a time. The message is the list's
// envelope: its kind, then the list. Field 1 of the list is its metadata, field 2 its items.
func (u *unframer) listProtobuf() error {
	head := make([]byte, len(encoded.Magic))
	if _, err := io.ReadFull(u.body, head); err != nil {
		return fmt.Errorf("read the list's envelope: %w", err)
	}
	if !encoded.IsProtobuf(head) {
		return fmt.Errorf("%w: no protobuf envelope", encoded.ErrMalformed)
	}
	var kind []byte
	var meta wire.ListMeta
	for whole := false; ; {
		number, size, err := u.field()
		switch {
		case errors.Is(err, io.EOF) && whole:
			return u.emitListEnd(meta)
		case errors.Is(err, io.EOF):
			return io.ErrUnexpectedEOF
		case err != nil:
			return err
		case number == 1:
			list, err := u.read(nil, size)
			if err != nil {
				return err
			}
			if kind, err = itemKind(list); err != nil {
				return err
			}
		case number == 2:
			if meta, err = u.listItems(kind, size); err != nil {
				return err
			}
			whole = true
		default:
			if u.frame, err = u.read(u.frame, size); err != nil {
				return err
			}
		}
	}
}

// field reads the head of a field of an envelope or a list. All these fields are bytes.
func (u *unframer) field() (number protowire.Number, size uint64, err error) {
	tag, err := u.uvarint()
	if err != nil {
		return 0, 0, err
	}
	number, typ := protowire.DecodeTag(tag)
	if typ != protowire.BytesType {
		return 0, 0, fmt.Errorf("%w: field %d of a list has wire type %d", encoded.ErrMalformed, number, typ)
	}
	size, err = u.uvarint()
	return number, size, cut(err)
}

// uvarint reads a number. It returns io.EOF only before the first byte. A number that is too
// long is malformed, not cut off.
func (u *unframer) uvarint() (uint64, error) {
	var digits [binary.MaxVarintLen64]byte
	for i := range digits {
		c, err := u.body.ReadByte()
		if err != nil && i > 0 {
			return 0, cut(err)
		}
		if err != nil {
			return 0, err
		}
		digits[i] = c
		if n, size := protowire.ConsumeVarint(digits[:i+1]); size > 0 {
			return n, nil
		}
	}
	return 0, fmt.Errorf("%w: the head of a field is no number", encoded.ErrMalformed)
}

// itemKind returns the type of a list's items, from the type of the list.
func itemKind(list []byte) ([]byte, error) {
	a, err := aboutProtobuf(list)
	item, ok := strings.CutSuffix(a.kind, "List")
	if err == nil && (!ok || item == "") {
		err = fmt.Errorf("%w: a list of kind %q", encoded.ErrMalformed, a.kind)
	}
	return typeMetaOf(a.apiVersion, item), err
}

func (u *unframer) listItems(kind []byte, size uint64) (meta wire.ListMeta, err error) {
	for read := uint64(0); read < size; {
		number, n, err := u.field()
		if err != nil {
			return meta, fmt.Errorf("read a list: %w", err)
		}
		if u.frame, err = u.read(u.frame, n); err != nil {
			return meta, err
		}
		switch number {
		case 1:
			meta, err = listMetaProtobuf(u.frame)
		case 2:
			err = u.emitProtobuf(wire.Item, envelope{kind, u.frame})
		}
		if err != nil {
			return meta, err
		}
		u.passed()
		read += uint64(protowire.SizeTag(number)) + uint64(protowire.SizeBytes(int(n)))
	}
	return meta, nil
}

func listMetaProtobuf(raw []byte) (wire.ListMeta, error) {
	var m metav1.ListMeta
	if err := m.Unmarshal(raw); err != nil {
		return wire.ListMeta{}, fmt.Errorf("%w: list metadata: %v", encoded.ErrMalformed, err)
	}
	meta := wire.ListMeta{ResourceVersion: m.ResourceVersion, Continue: m.Continue}
	if m.RemainingItemCount != nil {
		meta.RemainingItemCount = *m.RemainingItemCount
	}
	return meta, nil
}

func (u *unframer) emitListEnd(meta wire.ListMeta) error {
	body, err := json.Marshal(meta)
	if err != nil {
		return err
	}
	return u.emit(wire.ListEnd, body)
}
