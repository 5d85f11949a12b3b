//go:build !js

package relay

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"

	"watchglass/internal/wire"
)

// sharedWatch is one watch of the apiserver that several streams read. It keeps the events that some of
// them have not read yet, and a few more for streams that change to it.
type sharedWatch struct {
	usage  *usage // by all shared watches of the user
	cancel context.CancelFunc
	born   time.Time

	mu      sync.Mutex
	unread  bool // its last reader has left, so it ends
	readers map[*reader]struct{}
	base    uint64        // it has every event after this version
	head    uint64        // the last version that it has heard of
	first   int           // the number of events[0]
	events  []sharedEvent // the last ones
	bytes   int           // of events
	change  signal        // at the next event, or at the end
	room    signal        // when a reader has read something
	end     error         // why it ended; io.EOF if without an error
}

// sharedEvent is an event as the streams pass it on.
type sharedEvent struct {
	mark
	typ     wire.EventType
	payload []byte
	read    int64 // when, in unix nanoseconds
}

const (
	// sharedBytes is how many bytes of events are kept for readers that have not read them.
	// sharedLargest is the largest object that is shared: a larger one would leave no room for others.
	sharedBytes   = 1 << 20
	sharedLargest = sharedBytes / 2
	// sharedTail is how many bytes that all have read are kept. While all shared watches of a user keep
	// more than sharedMost, each makes room down to this, and none shares an object that is larger.
	sharedTail = 32 << 10
	sharedMost = 16 << 20
	// sharedPatience is how long the watch waits, in all, for readers that are as far behind as they may be.
	// A reader that has caught up has all of it again; one that has used it up loses its place.
	sharedPatience = 250 * time.Millisecond
	// sharedJoins is how long streams may join. sharedLasts is how long it lasts, so that each stream
	// that has joined can stay until its own time is over.
	sharedJoins = 10 * time.Minute
	sharedLasts = sharedJoins + maxWatch*time.Second
)

// errUnshareable ends a shared watch whose answer is not like that of the streams' own watches, or whose
// versions go back.
var errUnshareable = errors.New("the watch cannot be shared")

// errFull ends a shared watch with a large object, while the user's shared watches keep too much.
var errFull = errors.New("no room for a large object")

func newShared(k *usage, version uint64, cancel context.CancelFunc) *sharedWatch {
	return &sharedWatch{usage: k, cancel: cancel, born: time.Now(), base: version, head: version, readers: make(map[*reader]struct{})}
}

// read requests the watch from a version on, and reads it until it ends.
func (w *sharedWatch) read(ctx context.Context, o Options, r wire.Request, version uint64) error {
	r.ResourceVersion = strconv.FormatUint(version, 10)
	resp, err := w.request(ctx, o, r)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode/100 != 2 {
		return statusOfResponse(resp)
	}
	var heard int64
	body := &heardReader{resp.Body, func() { heard = time.Now().UnixNano() }}
	h := &hold{heavy: o.Heavy, user: o.User, ctx: ctx}
	defer h.release()
	u := &unframer{
		body: bufio.NewReaderSize(body, readBytes), withhold: withholdOf(r), hold: h, largest: sharedLargest,
		emit: func(t wire.EventType, payload []byte) error { return w.add(t, payload, heard) },
	}
	read, encoding, status := u.answer(r, resp)
	switch {
	case status != nil:
		return status
	case encoding != wire.EncodingProtobuf:
		return errUnshareable
	}
	return read()
}

func (w *sharedWatch) request(ctx context.Context, o Options, r wire.Request) (*http.Response, error) {
	req, status := Build(ctx, o.Upstream.Base, r)
	if status != nil {
		return nil, status
	}
	q := req.URL.Query()
	q.Set("timeoutSeconds", strconv.Itoa(int(sharedLasts/time.Second)))
	req.URL.RawQuery = q.Encode()
	admitted, err := o.Limiter.wait(ctx, req.URL.Host, o.User, r)
	if err != nil {
		return nil, err
	}
	resp, err := asker{o.Upstream, o.Places, func(code int, asked time.Time) {
		if o.Meter != nil {
			o.Meter.Answered(r.Verb, code, time.Since(asked))
		}
	}}.roundTrip(r, req)
	admitted.end(err == nil)
	return resp, err
}

// add adds an event.
func (w *sharedWatch) add(t wire.EventType, payload []byte, read int64) error {
	m, _, ok := markOf(t, payload)
	if t == wire.Error { // the watch ends with it
		m, ok = mark{version: math.MaxUint64}, true
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case ok && m.version < w.head && t == wire.Bookmark:
		return nil // the server is behind the one on which the watch began
	case !ok || m.version < w.head:
		return fmt.Errorf("%w: version %d after %d", errUnshareable, m.version, w.head)
	case len(payload) > sharedTail && w.usage.bytes.Load() > sharedMost:
		return errFull
	}
	w.makeRoomLocked(len(payload))
	w.head = m.version
	w.events = append(w.events, sharedEvent{m, t, bytes.Clone(payload), read})
	w.countLocked(len(payload))
	w.change.notifyLocked()
	return nil
}

// countLocked counts bytes that are kept, or no longer.
func (w *sharedWatch) countLocked(bytes int) {
	w.bytes += bytes
	w.usage.bytes.Add(int64(bytes))
}

// makeRoomLocked forgets events, so that there is room for another: what all have read, but for a tail,
// and then what some have not read, for which it waits. It gives up w.mu meanwhile.
func (w *sharedWatch) makeRoomLocked(bytes int) {
	for len(w.events) > 0 {
		next, slow := w.slowestLocked()
		most := sharedTail
		if slow != nil && next <= w.first && w.usage.bytes.Load() <= sharedMost {
			most = sharedBytes
		}
		if w.bytes+bytes <= most {
			return
		}
		if slow == nil || next > w.first || !w.waitLocked(slow) {
			w.forgetLocked()
		}
	}
}

// slowestLocked returns the reader that is furthest behind, and the number of its next event. Readers that
// have lost their place are ignored.
func (w *sharedWatch) slowestLocked() (next int, slow *reader) {
	for r := range w.readers {
		if r.next >= w.first && (slow == nil || r.next < next) {
			next, slow = r.next, r
		}
	}
	return next, slow
}

// forgetLocked forgets the oldest event. A reader that has not read it loses its place.
func (w *sharedWatch) forgetLocked() {
	for r := range w.readers {
		if r.next == w.first {
			r.split = r.begun && r.has == w.events[0].version
		}
	}
	w.base = w.events[0].version
	w.countLocked(-len(w.events[0].payload))
	w.events[0] = sharedEvent{}
	w.events, w.first = w.events[1:], w.first+1
}

// waitLocked waits until a reader has read something, and reports whether one has. It waits as long as the
// slowest reader's patience lasts, and takes the time from all that have something to read.
func (w *sharedWatch) waitLocked(slow *reader) bool {
	if slow.patience <= 0 {
		return false
	}
	late := time.NewTimer(slow.patience)
	defer late.Stop()
	began := time.Now()
	room := w.room.nextLocked()
	w.mu.Unlock()
	moved := false
	select {
	case <-room:
		moved = true
	case <-late.C:
	}
	w.mu.Lock()
	for r := range w.readers {
		if r.next < w.first+len(w.events) {
			r.patience -= time.Since(began)
		}
	}
	return moved
}

// finish tells the readers that nothing follows. What concerns only sharing ends them without an error, and
// their tabs open watches of their own.
func (w *sharedWatch) finish(err error) {
	if err == nil || errors.Is(err, errTooLarge) || errors.Is(err, errUnshareable) || errors.Is(err, errFull) || errors.Is(err, context.Canceled) {
		err = io.EOF
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.end = err
	w.change.notifyLocked()
	w.emptyLocked()
}

// emptyLocked frees the events of a watch that has ended, if nobody reads them.
func (w *sharedWatch) emptyLocked() {
	for w.end != nil && len(w.readers) == 0 && len(w.events) > 0 {
		w.forgetLocked()
	}
}

// isOver reports whether the watch accepts no more readers.
func (w *sharedWatch) isOver() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.overLocked()
}

func (w *sharedWatch) overLocked() bool {
	return w.end != nil || w.unread || time.Since(w.born) >= sharedJoins
}

// join makes a reader begin after its last event, and reports whether it can: the next is among the events
// that are kept, or the last is and came at most sharedBehind after the reader's own, and every event
// between them is or will be there.
func (w *sharedWatch) join(r *reader, last, next mark, read int64) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.overLocked() || last.version < w.base {
		return false
	}
	if !slices.ContainsFunc(w.events, func(e sharedEvent) bool {
		return e.sum != 0 && (e.mark == next || e.mark == last && e.read-read <= int64(sharedBehind))
	}) {
		return false
	}
	*r = reader{from: w, next: w.first, has: last.version, patience: sharedPatience}
	w.readers[r] = struct{}{}
	return true
}

// endUnread ends the watch if nobody reads it, and reports whether that is so.
func (w *sharedWatch) endUnread() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.readers) == 0 {
		w.unread = true
		w.cancel()
	}
	return len(w.readers) == 0
}

// reader is a stream's place in a shared watch. The zero value reads none.
type reader struct {
	from     *sharedWatch
	next     int           // the number of the next event
	has      uint64        // the version of the last event that the stream has passed on
	begun    bool          // that was one of the shared watch, so there may be more of this version
	split    bool          // the place was lost between two events of one version
	late     bool          // the stream's time is over
	patience time.Duration // for which the watch still waits for it
}

// follow passes on the events of the shared watch until it ends, the stream's own time is over, or
// it has fallen too far behind.
func (m *member) follow(ctx context.Context, b *batch) error {
	over := time.NewTimer(time.Until(m.stream.began.Add(lasts(m.stream.request))))
	defer over.Stop()
	for {
		e, err := m.reader.read(ctx, over.C)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		m.stream.heard.Store(e.read)
		if err := b.add(e.typ, e.payload); err != nil {
			return err
		}
	}
}

// read returns the next event, or io.EOF at the end. When its time is over, it still returns the events of
// a version that it has begun to return.
func (r *reader) read(ctx context.Context, over <-chan time.Time) (sharedEvent, error) {
	for {
		select {
		case <-over:
			r.late = true
		case <-ctx.Done():
			return sharedEvent{}, context.Cause(ctx)
		default:
		}
		e, change, err := r.tryRead()
		if err != nil || change == nil {
			return e, err
		}
		select {
		case <-change:
		case <-over:
			return e, io.EOF
		case <-ctx.Done():
			return e, context.Cause(ctx)
		}
	}
}

// tryRead returns the next event, or what is closed when there may be one. If r is late, that event must have
// the version of the last.
func (r *reader) tryRead() (e sharedEvent, change <-chan struct{}, err error) {
	w := r.from
	w.mu.Lock()
	defer w.mu.Unlock()
	for ; r.next >= w.first && r.next < w.first+len(w.events); r.next++ {
		if e = w.events[r.next-w.first]; !r.begun && e.version <= r.has {
			continue // the stream has it already
		}
		if r.late && !(r.begun && e.version == r.has) {
			return e, nil, io.EOF
		}
		r.next, r.has, r.begun = r.next+1, e.version, true
		w.room.notifyLocked()
		return e, nil, nil
	}
	switch {
	case r.next < w.first && r.split:
		return e, nil, splitStatus(r.has)
	case r.next < w.first || r.late:
		return e, nil, io.EOF
	case w.end != nil:
		return e, nil, w.end
	}
	r.patience = sharedPatience
	return e, w.change.nextLocked(), nil
}

// splitStatus ends a stream that has passed on only some of the events of a version, and cannot get the
// others. The tab would resume after that version, so it has to list.
func splitStatus(version uint64) *wire.Status {
	return &wire.Status{
		Origin: wire.FromProxy, Code: http.StatusGone, Reason: wire.ReasonExpired,
		Message: fmt.Sprintf("the page read too slowly to get all changes of version %d", version),
	}
}

// leave gives up the place. The last reader ends a watch that accepts no more.
func (r *reader) leave() {
	w := r.from
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.readers, r)
	w.room.notifyLocked()
	if len(w.readers) == 0 && w.overLocked() {
		w.cancel()
	}
	w.emptyLocked()
}
