package savedlist

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"time"

	"watchglass/internal/object"
	"watchglass/internal/timeslice"
)

// About says what a saved list holds: all objects of a source at a version.
type About struct {
	Version string    `json:"version"`
	Cluster string    `json:"cluster,omitempty"` // its unique name; "" if nobody could say
	At      time.Time `json:"at"`                // when they were the server's
	Objects int       `json:"objects"`
	Since   string    `json:"since,omitempty"`   // an earlier version
	Changes int       `json:"changes,omitempty"` // of the source, since that one
}

// The first byte of a block says what follows. The rows of all objects come first, so that they show
// before the bodies are read.
const (
	aboutBlock  = 'a' // About, as JSON
	rowsBlock   = 'r' // frozen objects
	bodiesBlock = 'b' // per object with packed bytes: its index, their length, the bytes
)

// blockSize is the size at which a block is written.
const blockSize = 256 << 10

// workFor is how long a saved list is written or read without a rest.
const workFor = 4 * time.Millisecond

// Write writes a saved list, in the order of the objects' keys, and sorts the slice for that. It rests
// regularly. It returns how many bytes were put.
func Write(ctx context.Context, w Writer, a About, objects []*object.Object, rest timeslice.Rest) (bytes int, err error) {
	a.Objects = len(objects)
	head, err := json.Marshal(a)
	if err != nil {
		return 0, err
	}
	if err := w.Put(ctx, append([]byte{aboutBlock}, head...)); err != nil {
		return 0, err
	}
	b := &blocks{ctx: ctx, w: w, timer: timeslice.Timer{Rest: rest, For: workFor}}
	byKey(objects, &b.timer)
	b.begin(rowsBlock)
	var f object.Freezer
	for _, o := range objects {
		b.block = f.Append(b.block, o)
		b.putFull()
	}
	b.put()
	b.begin(bodiesBlock)
	for i, o := range objects {
		raw := o.Packed()
		if len(raw) == 0 {
			continue
		}
		b.block = binary.AppendUvarint(binary.AppendUvarint(b.block, uint64(i)), uint64(len(raw)))
		b.block = append(b.block, raw...)
		b.putFull()
	}
	b.put()
	return b.bytes, b.err
}

// blocks puts what is appended to block, in pieces of about blockSize.
type blocks struct {
	ctx   context.Context
	w     Writer
	timer timeslice.Timer
	block []byte
	bytes int
	err   error
}

func (b *blocks) begin(kind byte) { b.block = append(b.block[:0], kind) }

// putFull puts the block if it is large enough.
func (b *blocks) putFull() {
	b.timer.RestIfDue()
	if len(b.block) >= blockSize {
		b.put()
	}
}

// put puts the block, unless it is empty or an earlier one failed, and begins another of its kind.
func (b *blocks) put() {
	if len(b.block) > 1 && b.err == nil {
		b.err = b.w.Put(b.ctx, b.block)
		b.bytes += len(b.block)
	}
	b.block = b.block[:1]
}

// List is a saved list that is being read: first what it is about, then its objects, then their bodies.
type List struct {
	About
	reader  Reader
	decoder *object.Decoder
	objects []*object.Object
	bodies  []byte // the first block of them
}

// ErrBroken is a saved list that is not as it was written.
var ErrBroken = errors.New("can't read the saved list")

// Read begins to read a saved list of a decoder's objects. The caller closes it.
func Read(ctx context.Context, r Reader, d *object.Decoder) (*List, error) {
	v := &List{reader: r, decoder: d}
	block, err := r.Next(ctx)
	switch {
	case err != nil:
		return nil, err
	case len(block) == 0 || block[0] != aboutBlock || json.Unmarshal(block[1:], &v.About) != nil || v.Version == "":
		return nil, fmt.Errorf("%w: it does not begin with what it is about", ErrBroken)
	}
	return v, nil
}

// Close ends the reading. It may be called more than once.
func (l *List) Close() { l.reader.Close() }

// All yields the objects, without their bodies. An error means that some are missing.
func (l *List) All(ctx context.Context) iter.Seq2[*object.Object, error] {
	return func(yield func(*object.Object, error) bool) {
		thawer := object.NewThawer(l.decoder)
		for {
			block, err := l.reader.Next(ctx)
			ended := err == io.EOF || err == nil && len(block) > 0 && block[0] == bodiesBlock
			switch {
			case ended && len(l.objects) == l.Objects:
				l.bodies = block
				return
			case ended || err == nil && (len(block) == 0 || block[0] != rowsBlock):
				err = fmt.Errorf("%w: it has %d of %d objects", ErrBroken, len(l.objects), l.Objects)
			}
			if err != nil {
				yield(nil, err)
				return
			}
			if !l.thaw(thawer, block[1:], yield) {
				return
			}
		}
	}
}

// thaw yields the objects of a block, and reports whether more are wanted.
func (l *List) thaw(t *object.Thawer, block []byte, yield func(*object.Object, error) bool) bool {
	for len(block) > 0 {
		o, rest, err := t.Next(block)
		if err != nil {
			yield(nil, fmt.Errorf("%w: %w", ErrBroken, err))
			return false
		}
		if l.objects = append(l.objects, o); !yield(o, nil) {
			return false
		}
		block = rest
	}
	return true
}

// Body is an object with the bytes that Restore gives back to it.
type Body struct {
	Object *object.Object
	Raw    []byte
}

// Bodies yields the bodies of the objects that All has yielded, in batches that are valid until the
// next. An error ends them.
func (l *List) Bodies(ctx context.Context) iter.Seq2[[]Body, error] {
	return func(yield func([]Body, error) bool) {
		var batch []Body
		for block := l.bodies; block != nil; {
			var err error
			if batch, err = l.bodiesOf(batch[:0], block); !yield(batch, err) || err != nil {
				return
			}
			switch block, err = l.reader.Next(ctx); {
			case err == io.EOF:
				return
			case err != nil:
				yield(nil, err)
				return
			}
		}
	}
}

// bodiesOf appends the bodies of a block. They are copies, since a block is of many objects.
func (l *List) bodiesOf(dst []Body, block []byte) ([]Body, error) {
	if len(block) == 0 || block[0] != bodiesBlock {
		return dst, ErrBroken
	}
	for block = block[1:]; len(block) > 0; {
		place, n := binary.Uvarint(block)
		size, k := binary.Uvarint(block[max(n, 0):])
		if n <= 0 || k <= 0 || place >= uint64(len(l.objects)) || size > uint64(len(block)-n-k) {
			return dst, ErrBroken
		}
		block = block[n+k:]
		dst = append(dst, Body{l.objects[place], append([]byte(nil), block[:size]...)})
		block = block[size:]
	}
	return dst, nil
}
