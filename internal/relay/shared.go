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
	"strconv"
	"sync"
	"time"

	"watchglass/internal/wire"
)

// shared is one watch of the apiserver that several streams read. It keeps its last events, for
// streams that join a little behind it or read a little slower than it does.
type shared struct {
	cancel context.CancelFunc
	born   time.Time

	mu      sync.Mutex
	opened  bool // the apiserver has accepted it
	retired bool // nobody joins any more
	readers map[*reader]struct{}
	base    uint64        // it has every event after this version
	head    uint64        // the last version that it has heard of
	first   int           // the number of events[0]
	events  []sharedEvent // the last ones
	bytes   int           // of events
	change  chan struct{} // closed at the next change, if a reader waits
	room    chan struct{} // closed when a reader has read something, if the watch waits
	end     error         // why it ended; io.EOF if without an error
}

// sharedEvent is an event as the streams pass it on.
type sharedEvent struct {
	typ     wire.EventType
	payload []byte
	version uint64
	read    int64 // when, in unix nanoseconds
}

const (
	// sharedBytes is how many bytes of events are kept. sharedLargest is the largest object that is
	// shared: a larger one would leave no room for others, so all readers end before it.
	sharedBytes   = 1 << 20
	sharedLargest = sharedBytes / 2
	// sharedPatience is how long the watch waits for readers that have not read what is to be forgotten.
	// Whoever takes longer holds up the others no further.
	sharedPatience = 250 * time.Millisecond
	// sharedJoins is how long streams may join. sharedLasts is how long it lasts, so that each stream
	// that has joined can stay until its own time is over.
	sharedJoins = 10 * time.Minute
	sharedLasts = sharedJoins + maxWatch*time.Second
)

// errUnlike ends a shared watch whose answer is not like that of the streams' own watches, or whose
// versions do not grow.
var errUnlike = errors.New("the watch cannot be shared")

func newShared(version uint64, cancel context.CancelFunc) *shared {
	return &shared{cancel: cancel, born: time.Now(), base: version, head: version, readers: make(map[*reader]struct{})}
}

// read requests the watch from a version on, and reads it until it ends.
func (w *shared) read(ctx context.Context, o Options, r wire.Request, version uint64) error {
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
		return errUnlike
	}
	w.open()
	return read()
}

func (w *shared) request(ctx context.Context, o Options, r wire.Request) (*http.Response, error) {
	req, status := Build(ctx, o.Upstream.Base, r)
	if status != nil {
		return nil, status
	}
	q := req.URL.Query()
	q.Set("timeoutSeconds", strconv.Itoa(int(sharedLasts/time.Second)))
	req.URL.RawQuery = q.Encode()
	turn, err := o.Turnstile.wait(ctx, req.URL.Host, o.User, r)
	if err != nil {
		return nil, err
	}
	resp, err := asker{o.Upstream, func(code int, asked time.Time) {
		if o.Meter != nil {
			o.Meter.Answered(r.Verb, code, time.Since(asked))
		}
	}}.roundTrip(r, req)
	turn.end(err == nil)
	return resp, err
}

// open lets streams join.
func (w *shared) open() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.opened = true
}

// add adds an event, and forgets the oldest ones if there are too many bytes.
func (w *shared) add(t wire.EventType, payload []byte, read int64) error {
	version, _, ok := versionOf(t, payload)
	if t == wire.Error { // the watch ends with it, and nobody joins behind it
		version, ok = math.MaxUint64, true
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if !ok || version < w.head || version == w.head && t != wire.Bookmark {
		return fmt.Errorf("%w: version %d after %d", errUnlike, version, w.head)
	}
	w.makeRoomLocked(len(payload))
	w.head = version
	w.events = append(w.events, sharedEvent{t, bytes.Clone(payload), version, read})
	w.bytes += len(payload)
	w.changedLocked()
	return nil
}

// makeRoomLocked forgets the oldest events, so that there is room for another. It waits a little for
// who has yet to read them, and gives up w.mu meanwhile.
func (w *shared) makeRoomLocked(bytes int) {
	patience := time.Now().Add(sharedPatience)
	for w.bytes+bytes > sharedBytes && len(w.events) > 0 {
		if w.unreadLocked() && w.waitLocked(time.Until(patience)) {
			continue
		}
		w.base = w.events[0].version
		w.bytes -= len(w.events[0].payload)
		w.events[0] = sharedEvent{}
		w.events, w.first = w.events[1:], w.first+1
	}
}

// unreadLocked reports whether the oldest event is somebody's next. Whoever lags further is lost.
func (w *shared) unreadLocked() bool {
	for r := range w.readers {
		if r.next == w.first {
			return true
		}
	}
	return false
}

// waitLocked waits until a reader has read something, and reports whether one has in time.
func (w *shared) waitLocked(within time.Duration) bool {
	if within <= 0 {
		return false
	}
	late := time.NewTimer(within)
	defer late.Stop()
	room := make(chan struct{})
	w.room = room
	w.mu.Unlock()
	defer w.mu.Lock()
	select {
	case <-room:
		return true
	case <-late.C:
		return false
	}
}

// roomLocked tells the watch that a reader has moved.
func (w *shared) roomLocked() {
	if w.room != nil {
		close(w.room)
		w.room = nil
	}
}

// finish tells the readers that nothing follows. They are not told of what concerns only sharing:
// their tabs open watches of their own.
func (w *shared) finish(err error) {
	if err == nil || errors.Is(err, errTooLarge) || errors.Is(err, errUnlike) {
		err = io.EOF
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.end = err
	w.changedLocked()
}

func (w *shared) changedLocked() {
	if w.change != nil {
		close(w.change)
		w.change = nil
	}
}

// joinable reports whether streams may join, now or when it is open.
func (w *shared) joinable() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.end == nil && !w.retired && time.Since(w.born) < sharedJoins
}

// join makes a reader begin after a version, unless some of the events after that are not there.
func (w *shared) join(r *reader, version uint64) (ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.opened || w.end != nil || version < w.base {
		return false
	}
	*r = reader{from: w, next: w.first, after: version}
	w.readers[r] = struct{}{}
	return true
}

// retire lets nobody else join. The last reader ends it.
func (w *shared) retire() {
	w.mu.Lock()
	w.retired = true
	w.mu.Unlock()
	w.endUnread()
}

// endUnread ends the watch if nobody reads it, and reports whether that is so.
func (w *shared) endUnread() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.readers) == 0 {
		w.retired = true
		w.cancel()
	}
	return len(w.readers) == 0
}

// reader is a stream's place in a shared watch. The zero value reads none.
type reader struct {
	from  *shared
	next  int    // the number of the next event
	after uint64 // the stream has passed on the events up to this version
}

// follow passes on the events of the shared watch until it ends, the stream's own time is over, or
// it has fallen too far behind.
func (m *member) follow(ctx context.Context, b *batch) error {
	over := time.NewTimer(time.Until(m.stream.began.Add(lasts(m.stream.request))))
	defer over.Stop()
	for {
		e, err := m.read(ctx, over.C)
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

// read returns the next event, or io.EOF at the end.
func (r *reader) read(ctx context.Context, over <-chan time.Time) (sharedEvent, error) {
	for {
		e, change, err := r.take()
		if err != nil || change == nil && e.version > r.after {
			return e, err
		}
		if change == nil {
			continue // the stream has it already
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

// take returns the next event, or what is closed when there may be one.
func (r *reader) take() (e sharedEvent, change <-chan struct{}, err error) {
	w := r.from
	w.mu.Lock()
	defer w.mu.Unlock()
	switch i := r.next - w.first; {
	case i < 0:
		return e, nil, io.EOF // some of what it has not read is forgotten
	case i < len(w.events):
		r.next++
		w.roomLocked()
		return w.events[i], nil, nil
	case w.end != nil:
		return e, nil, w.end
	}
	if w.change == nil {
		w.change = make(chan struct{})
	}
	return e, w.change, nil
}

// leave gives up the place. The last reader of a retired watch ends it.
func (r *reader) leave() {
	w := r.from
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.readers, r)
	w.roomLocked()
	if len(w.readers) == 0 && (w.retired || time.Since(w.born) >= sharedJoins) {
		w.cancel()
	}
}
