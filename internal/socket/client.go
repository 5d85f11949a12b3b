package socket

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"sync"
	"time"

	"watchglass/internal/wire"
)

// Conn is a WebSocket. It carries whole messages, in order. Close ends a Read. It may be called
// by any goroutine, and more than once.
type Conn interface {
	Read(ctx context.Context) ([]byte, error)
	Write(ctx context.Context, msg []byte) error
	Close() error
}

// Connection is a new connection. Greeted says that the dialer has already sent the hello.
type Connection struct {
	Conn
	Greeted bool
}

// CloseError is the reason that the other end gave for closing the connection.
type CloseError struct {
	Code   int
	Reason string
}

// FirstReason is the first of the codes with which the proxy says why it closed a connection. Lower ones are WebSocket's.
const FirstReason = 4000

func (c *CloseError) Error() string {
	if c.Reason == "" {
		return "the connection to the proxy was lost"
	}
	return c.Reason
}

// Options of a Client.
type Options struct {
	Dial func(ctx context.Context) (Connection, error)
	// Changed is called when the state of the link has changed. It must not block.
	Changed func()
}

// Link is the state of the connection to the proxy.
type Link struct {
	Connected bool
	Since     time.Time     // when it connected or disconnected
	Heard     time.Time     // when anything was last received
	Attempts  int           // failed, since it was last connected
	Err       error         // why it is not connected
	Closed    *CloseError   // why the proxy closed it, if it said so; the attempts that follow may not learn why they fail
	Welcome   *wire.Welcome // of the last connection
	// Ahead is how far the clock here is ahead of the apiserver's, if Timed. Dates are full seconds,
	// and take a while to come, so it is the least of what the answers of this connection say.
	Ahead time.Duration
	Timed bool
}

// Client owns the connection to the proxy.
type Client struct {
	options Options
	wake    chan struct{}

	mu      sync.Mutex
	link    Link
	conn    Conn
	streams map[uint32]*Stream
	lastID  uint32
	early   *earlyStream
	visit   string        // the key of the last welcome, which nobody else sees
	watched bool          // the early stream need not pause
	large   time.Duration // how long the message may take that was announced last; 0 once it is there
	pulse   pulse         // of the connection
	dialing func()        // gives up the connection that is being made; nil if there is none
	renewed bool          // the connection was closed or given up to use a renewed session
	awake   bool          // Wake was called, and nothing has been requested since
	paces   allowance
	ready   chan struct{} // closed while connected
	writing sync.Mutex
}

// earlyStream was opened by the hello, before anybody could request it.
type earlyStream struct {
	request wire.Request
	stream  *Stream
}

// New returns a client that Run connects.
func New(o Options) *Client {
	if o.Changed == nil {
		o.Changed = func() {}
	}
	return &Client{
		options: o,
		wake:    make(chan struct{}, 1),
		ready:   make(chan struct{}),
		streams: make(map[uint32]*Stream),
		lastID:  wire.EarlyStream,
		paces:   newAllowance(),
		link:    Link{Since: time.Now()},
	}
}

// Link returns the state of the connection.
func (c *Client) Link() Link {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.link
}

// VisitKey returns that of the last welcome; "" if it had none. The welcome of Link, which others see,
// lacks it.
func (c *Client) VisitKey() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.visit
}

// Wake ends the wait before the next attempt. It also closes a connection that has been silent
// for longer than wire.StaleAfter, unless a large message is arriving. It is called when the machine
// was asleep, the page is shown again or the network is back. A later wait is not shortened.
func (c *Client) Wake() {
	c.mu.Lock()
	conn, connected := c.conn, c.link.Connected
	silent := connected && c.silentLocked(time.Now(), wire.StaleAfter)
	c.awake = true
	if !connected || silent {
		select {
		case c.wake <- struct{}{}:
		default:
		}
	}
	c.mu.Unlock()
	if silent {
		conn.Close()
	}
}

// Renew reconnects with the renewed session. Streams that were opened under the old one end
// with it. A connection that is being made is given up: it may have been asked for under the
// old one, and would then keep it.
func (c *Client) Renew() {
	c.mu.Lock()
	conn, dialing := c.conn, c.dialing
	c.renewed = conn != nil || dialing != nil
	c.mu.Unlock()
	if dialing != nil {
		dialing()
	}
	if conn != nil {
		conn.Close()
	}
	c.Wake()
}

// takeRenewed reports, once, that the connection was closed or given up to use a renewed
// session.
func (c *Client) takeRenewed() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	was := c.renewed
	c.renewed = false
	return was
}

// The wait between attempts doubles, with jitter, so that tabs do not all return at once when
// their proxy restarts. The longest leaves a second of the five after which a tab is live again.
const (
	backoffFirst = 250 * time.Millisecond
	backoffMost  = 4 * time.Second
	dialWithin   = 10 * time.Second
	// settled is how long a connection has to last for the waits to start over. Something on the way may let every
	// connection open and then cut it.
	settled = time.Second
)

// Run connects, and reconnects whenever the connection ends, until the context ends. It does
// not wait if the proxy asked the tab to reconnect.
func (c *Client) Run(ctx context.Context) error {
	for wait := backoffFirst; ; wait = min(2*wait, backoffMost) {
		began := time.Now()
		err := c.connect(ctx)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if c.disconnected(err) >= max(wait, settled) {
			wait = backoffFirst
		}
		if c.takeRenewed() {
			continue
		}
		if errors.Is(err, errMoved) && time.Since(began) > backoffFirst { // unless the proxy turns everybody away at once
			wait = backoffFirst / 2
			continue
		}
		timer := time.NewTimer(wait/2 + rand.N(wait/2))
		select {
		case <-ctx.Done():
		case <-timer.C:
		case <-c.wake:
		}
		timer.Stop()
	}
}

// connect dials, sends the hello and serves one connection until it ends.
func (c *Client) connect(ctx context.Context) error {
	dialing, cancel := context.WithTimeout(ctx, dialWithin)
	defer cancel()
	c.mu.Lock()
	c.dialing = cancel
	c.mu.Unlock()
	d, err := c.options.Dial(dialing)
	if err != nil {
		return fmt.Errorf("connect to the proxy: %w", err)
	}
	defer d.Close()
	if !d.Greeted {
		hello, _ := json.Marshal(wire.Hello{V: wire.Version, Large: true, Queue: true, Pause: true}) // cannot fail
		if err := d.Write(dialing, hello); err != nil {
			return fmt.Errorf("greet the proxy: %w", err)
		}
	}
	welcome, err := awaitWelcome(dialing, d)
	if err != nil {
		return err
	}
	if !c.connected(d.Conn, welcome) {
		return errRenewed
	}
	ctx, end := context.WithCancelCause(ctx)
	var beats sync.WaitGroup
	defer beats.Wait()
	defer end(nil)
	beats.Go(func() { c.beat(ctx, d.Conn, end) })
	err = c.read(ctx, d.Conn, end)
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return err
}

func awaitWelcome(ctx context.Context, conn Conn) (*wire.Welcome, error) {
	msg, err := conn.Read(ctx)
	if err != nil {
		return nil, fmt.Errorf("wait for the proxy's welcome: %w", err)
	}
	f, err := wire.ParseFrame(msg)
	if err != nil {
		return nil, err
	}
	switch f.Kind {
	case wire.KindWelcome:
		var w wire.Welcome
		return &w, f.JSON(&w)
	case wire.KindEnd:
		var e wire.End
		if err := f.JSON(&e); err != nil {
			return nil, err
		}
		if e.Status != nil {
			return nil, e.Status
		}
	}
	return nil, fmt.Errorf("%w: kind %d instead of a welcome", wire.ErrFrame, f.Kind)
}

// errRenewed gives up a connection because the session was renewed while it was being made.
var errRenewed = errors.New("the session was renewed while connecting")

// connected begins to use a connection, and reports whether it may be used: not if the session
// was renewed while it was being made.
func (c *Client) connected(conn Conn, w *wire.Welcome) bool {
	c.mu.Lock()
	if c.renewed {
		c.mu.Unlock()
		return false
	}
	now := time.Now()
	c.conn, c.dialing, c.large, c.pulse = conn, nil, 0, pulse{at: now}
	c.visit, w.VisitKey = w.VisitKey, ""
	c.paces.limit(w)
	c.link = Link{Connected: true, Since: now, Heard: now, Welcome: w}
	if w.EarlyRequest != nil {
		c.early = &earlyStream{*w.EarlyRequest, c.addStream(wire.EarlyStream)}
	}
	close(c.ready)
	select {
	case <-c.wake: // of a Wake while this connection was being made
	default:
	}
	c.mu.Unlock()
	c.options.Changed()
	return true
}

// disconnected ends all streams, and returns for how long there was a connection.
func (c *Client) disconnected(err error) (lasted time.Duration) {
	c.mu.Lock()
	if c.link.Connected {
		c.ready = make(chan struct{})
		now := time.Now()
		lasted, c.link.Since = now.Sub(c.link.Since), now
	}
	c.link.Connected, c.link.Err = false, err
	if closed := (*CloseError)(nil); errors.As(err, &closed) && closed.Code >= FirstReason {
		c.link.Closed = closed
	}
	c.link.Attempts++
	c.conn, c.early, c.dialing = nil, nil, nil
	ended := c.streams
	c.streams = make(map[uint32]*Stream)
	status := &wire.Status{Origin: wire.FromSocket, Reason: wire.ReasonUnreachable, Message: "the connection to the proxy was lost"}
	for _, s := range ended {
		if s.end == nil {
			s.end = &wire.End{Status: status}
		}
	}
	c.mu.Unlock()
	for _, s := range ended {
		s.notify()
	}
	c.options.Changed()
	return lasted
}

func (c *Client) addStream(id uint32) *Stream {
	s := &Stream{client: c, conn: c.conn, id: id, mu: &c.mu, changed: make(chan struct{}, 1), agedAt: time.Now()}
	c.streams[id] = s
	return s
}

// errMoved ends the connection to a proxy that is about to stop.
var errMoved = errors.New("the proxy is stopping and asked the tab to reconnect")

// leave ends the connection at a random time within a given one, so that the tabs of a
// stopping proxy do not all reach another at once.
func leave(conn Conn, within time.Duration, end context.CancelCauseFunc) *time.Timer {
	return time.AfterFunc(rand.N(within+1), func() {
		end(errMoved)
		conn.Close()
	})
}

// read handles the proxy's frames until the connection ends.
func (c *Client) read(ctx context.Context, conn Conn, end context.CancelCauseFunc) error {
	var leaving *time.Timer
	defer func() {
		if leaving != nil {
			leaving.Stop()
		}
	}()
	for {
		msg, err := conn.Read(ctx)
		if err != nil {
			return fmt.Errorf("read from the proxy: %w", err)
		}
		f, err := wire.ParseFrame(msg)
		if err != nil {
			return err
		}
		if f.Kind == wire.KindDrain && leaving == nil { // only the first one counts
			within, err := f.Drain()
			if err != nil {
				return err
			}
			leaving = leave(conn, within, end)
		}
		if err := c.handle(f); err != nil {
			return err
		}
		runtime.Gosched() // a tab has one thread: this lets the first frame show before the last is read
	}
}

func (c *Client) handle(f wire.Frame) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now()
	c.link.Heard, c.large = now, 0
	switch f.Kind {
	case wire.KindBeat:
		return c.heardBeat(f, now)
	case wire.KindLarge:
		size, err := f.Large()
		c.large = wire.LargeWithin(size)
		return err
	case wire.KindDrain:
		return nil
	case wire.KindQueued:
		return c.queuedLocked(f)
	case wire.KindPaused:
		return c.pausedLocked(f)
	}
	return c.receiveLocked(f, now)
}

// receiveLocked handles a frame of a stream.
func (c *Client) receiveLocked(f wire.Frame, now time.Time) error {
	s := c.streams[f.Stream]
	if s == nil {
		return nil // it was closed
	}
	switch f.Kind {
	case wire.KindOpened:
		var o wire.Opened
		if err := f.JSON(&o); err != nil {
			return err
		}
		s.opened, s.encoding = true, o.Encoding
		if ahead := now.Sub(time.Unix(o.Date, 0)); o.Date != 0 && (!c.link.Timed || ahead < c.link.Ahead) {
			c.link.Ahead, c.link.Timed = ahead, true
		}
		s.age, s.agedAt = c.pulse.late(now), now
	case wire.KindData:
		s.frames = append(s.frames, f)
		s.received(frameBytes(f))
		s.age, s.agedAt = c.pulse.late(now), now
	case wire.KindEnd:
		var e wire.End
		if err := f.JSON(&e); err != nil {
			return err
		}
		s.end = &e
		delete(c.streams, f.Stream)
		c.paces.heed(e.Status)
	default:
		return fmt.Errorf("%w: kind %d from the proxy", wire.ErrFrame, f.Kind)
	}
	s.notify()
	return nil
}

func (c *Client) heardBeat(f wire.Frame, now time.Time) error {
	ages, err := f.Ages()
	if err != nil {
		return err
	}
	late := c.pulse.late(now)
	for _, a := range ages {
		if s := c.streams[a.Stream]; s != nil {
			s.age, s.agedAt = a.Age+late, now
		}
	}
	return nil
}

// queuedLocked notes the places of requests that wait in the proxy.
func (c *Client) queuedLocked(f wire.Frame) error {
	all, err := f.Queued()
	for _, q := range all {
		if s := c.streams[q.Stream]; s != nil {
			s.queued, s.ahead = true, q.Ahead
			s.notify()
		}
	}
	return err
}

// pausedLocked notes which streams are paused: those of the last frame, and no others.
func (c *Client) pausedLocked(f wire.Frame) error {
	all, err := f.Ages()
	for _, s := range c.streams {
		s.paused = false
	}
	for _, a := range all {
		if s := c.streams[a.Stream]; s != nil {
			s.paused = true
		}
	}
	return err
}

// silentLocked reports whether nothing has arrived within a time or, if a large message is arriving,
// within the time that it may take. A browser hands over a message only once it is complete.
func (c *Client) silentLocked(now time.Time, within time.Duration) bool {
	return now.Sub(c.link.Heard) > max(within, c.large)
}

// errSilent ends a connection from which nothing has arrived for too long.
var errSilent = errors.New("no response")

// beat sends heartbeats, and closes a connection that has become silent. The timers of a hidden
// tab may be slow. The proxy allows for that.
func (c *Client) beat(ctx context.Context, conn Conn, end context.CancelCauseFunc) {
	ticker := time.NewTicker(wire.BeatEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-ticker.C:
			c.mu.Lock()
			c.pulse.tick(time.Now()) // the ticker's time may be that before a stop
			silent := c.silentLocked(now, wire.DeadAfter)
			c.mu.Unlock()
			if silent {
				end(errSilent)
				conn.Close()
				return
			}
			c.send(conn, wire.BeatFrame(nil))
		}
	}
}

// send writes a frame to the given connection: its streams do not exist on the next one. A
// failed write closes the connection, so that the read fails too.
func (c *Client) send(conn Conn, frame []byte) {
	c.writing.Lock()
	defer c.writing.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), dialWithin)
	defer cancel()
	if err := conn.Write(ctx, frame); err != nil {
		conn.Close()
	}
}

// Open opens a stream and waits until the apiserver has accepted it. If the apiserver rejects
// it, the error is the Status. Without a connection, Open waits for one. While the proxy keeps the
// request waiting, Open reports its place; see wire.OnQueued.
func (c *Client) Open(ctx context.Context, r wire.Request) (*Stream, error) {
	s, err := c.start(ctx, r)
	if err != nil {
		return nil, err
	}
	for {
		c.mu.Lock()
		opened, end, queued, ahead := s.opened, s.end, s.queued, s.ahead
		s.queued = false
		c.mu.Unlock()
		if queued && !opened && end == nil {
			wire.ReportQueued(ctx, ahead)
		}
		switch {
		case opened:
			return s, nil
		case end != nil && end.Status != nil:
			return nil, end.Status
		case end != nil:
			return nil, &wire.Status{Origin: wire.FromProxy, Reason: wire.ReasonUnreachable, Message: "the stream ended before it was accepted"}
		}
		select {
		case <-s.changed:
		case <-ctx.Done():
			s.Close()
			return nil, ctx.Err()
		}
	}
}

// tooLong returns a Status if the request is larger than what the proxy reads. The proxy would end
// the connection, and with it the streams of all tabs.
func tooLong(r wire.Request) error {
	r.Now = true // as it may be sent
	n := len(wire.JSONFrame(wire.KindOpen, math.MaxUint32, r))
	if n <= wire.MaxControl {
		return nil
	}
	return &wire.Status{
		Origin: wire.FromTab, Code: 400, Reason: wire.ReasonBadRequest,
		Message: fmt.Sprintf("names and selectors are too long: the request would have %d bytes, the maximum is %d", n, wire.MaxControl),
	}
}

// start waits for a connection and sends the request, or takes over the early stream.
func (c *Client) start(ctx context.Context, r wire.Request) (*Stream, error) {
	if err := tooLong(r); err != nil {
		return nil, err
	}
	for paced := !r.Counts(); ; {
		c.mu.Lock()
		ready, connected := c.ready, c.conn != nil
		if connected && (paced || c.hasEarly(r)) {
			return c.sendLocked(r), nil
		}
		c.mu.Unlock()
		if connected {
			if err := c.paces.wait(ctx, r); err != nil {
				return nil, err
			}
			paced = true
			continue
		}
		select {
		case <-ready:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// sendLocked sends a request, or takes over the early stream. It releases the lock.
func (c *Client) sendLocked(r wire.Request) *Stream {
	early := c.takeEarly(r)
	if early != nil && early.request.Same(r) {
		c.mu.Unlock()
		return early.stream
	}
	c.lastID++
	s := c.addStream(c.lastID)
	r.Now, c.awake = c.awake, false
	c.mu.Unlock()
	if early != nil {
		early.stream.Close() // nobody will request it
	}
	c.send(s.conn, wire.JSONFrame(wire.KindOpen, s.id, r))
	return s
}

// Watched says that a list is on screen. Until then the early stream pauses after a screenful,
// because the page is still starting and needs the CPU more than it needs further rows.
func (c *Client) Watched() {
	c.mu.Lock()
	c.watched = true
	s := c.streams[wire.EarlyStream]
	c.mu.Unlock()
	if s != nil {
		s.Credit(0)
	}
}

// hasEarly reports whether the early stream is that of a request.
func (c *Client) hasEarly(r wire.Request) bool { return c.early != nil && c.early.request.Same(r) }

// takeEarly returns the early stream if r is the first watch, else nil. If that watch is a
// different request, the early stream was a wrong guess.
func (c *Client) takeEarly(r wire.Request) *earlyStream {
	if r.Verb != wire.Watch {
		return nil
	}
	e := c.early
	c.early = nil
	return e
}

// Get requests a single document: an object, the server's kinds, a review.
func (c *Client) Get(ctx context.Context, r wire.Request) ([]byte, error) {
	s, err := c.Open(ctx, r)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	for {
		b, err := s.Next(ctx)
		if err != nil {
			return nil, fmt.Errorf("no answer: %w", err)
		}
		for _, e := range b.Events {
			if e.Type == wire.Item {
				return e.Payload, nil
			}
		}
	}
}
