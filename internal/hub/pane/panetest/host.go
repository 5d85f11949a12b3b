// Package panetest is a seam for tests: the hub as a pane sees it, without the hub. It does
// not import package pane, whose own tests use it.
//
// In: a server that the test scripts, and a pane. Out: what the pane shows, from a loop like
// the hub's, in a bubble where time passes when the test waits.
package panetest

import (
	"bytes"
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"watchglass/internal/detail"
	"watchglass/internal/hub/kinds"
	"watchglass/internal/hub/source"
	"watchglass/internal/informer"
	"watchglass/internal/object"
	"watchglass/internal/problem"
	"watchglass/internal/query"
	"watchglass/internal/reflector"
	"watchglass/internal/wire"
)

// Linger is how long a list is kept that nobody holds.
const Linger = time.Minute

// Server answers as a proxy and the cluster behind it would.
type Server interface {
	Get(ctx context.Context, r wire.Request) ([]byte, error)
	Open(ctx context.Context, r wire.Request) (reflector.Stream, error)
}

// Pane is what a Host calls of a pane.
type Pane interface {
	Update(now time.Time) []byte
	Close()
}

// Host is a pane.Host with real informers over a scripted server. By itself it updates the
// pane only when the pane stirs or wakes it. A test calls Update after everything else that
// would make the hub call it.
type Host struct {
	Wakes atomic.Int32       // the times at which WakeAt was to update the pane
	End   context.CancelFunc // ends the context of the pane

	// A test may set these, on the loop or before it opens a pane.
	Narrow string // the namespace that the proxy serves, if it is one only
	Stands detail.State
	Said   *wire.Status         // the cause of that state
	Seen   []detail.Observation // versions of the object
	Wrong  []problem.Row        // the rows of the list of problems
	Again  map[string]int64     // when revisions were seen to be used again, by name
	Moment time.Time            // the moment of the past that is shown; zero: the present
	// What the object used in the last 15 minutes.
	CPUs, Memories []float32

	t       *testing.T
	server  Server
	kinds   kinds.Set
	factory *informer.Factory[*object.Object]
	posts   chan func()
	stirs   chan struct{}
	running sync.WaitGroup
	active  atomic.Int32    // goroutines started by Go
	within  context.Context // of the pane

	// The rest belongs to the loop.
	held  map[string]bool // resources whose lists of all objects a view holds
	pane  Pane
	shown func(doc []byte)
	sent  []byte
	wakes map[time.Time]bool // that have been asked for
}

// Run runs a test with a Host, in a bubble.
func Run(t *testing.T, server Server, test func(t *testing.T, h *Host)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		h := &Host{
			Stands: detail.Live, t: t, server: server,
			posts: make(chan func(), 16), stirs: make(chan struct{}, 1), held: make(map[string]bool), wakes: make(map[time.Time]bool),
		}
		ctx, cancel := context.WithCancel(t.Context())
		h.within, h.End = context.WithCancel(ctx)
		h.factory = informer.NewFactory(ctx, Linger, h.newInformer)
		ended := make(chan struct{})
		go func() { defer close(ended); h.loop(ctx) }()
		defer func() {
			h.Close()
			h.running.Wait()
			cancel()
			<-ended
			h.factory.Wait()
		}()
		test(t, h)
	})
}

func (h *Host) newInformer(r wire.Request, variant string) *informer.Informer[*object.Object] {
	_, extras := source.ReadVariant(variant)
	decoder := object.NewDecoder(h.kinds.Of(r), true, extras...)
	if r.Encoding == wire.EncodingMetadata {
		decoder = object.NewMetadataDecoder()
	}
	return informer.New(informer.Options[*object.Object]{
		Source: h.server, Decoder: decoder, Request: r,
		Key: (*object.Object).Key, Version: (*object.Object).Version, Namespace: (*object.Object).Namespace,
		Labels:  func(o *object.Object) query.Labels { return o.Labels() },
		Same:    func(a, b *object.Object) bool { return a.Stamp() == b.Stamp() },
		Changed: h.RequestUpdate, Checks: reflector.Checks[*object.Object]{Identify: decoder.Identify},
	})
}

func (h *Host) loop(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case f := <-h.posts:
			f()
		case <-h.stirs:
			h.Update()
		}
	}
}

// Do runs f on the loop, and returns once all that is left waits for time to pass.
func (h *Host) Do(f func()) {
	done := make(chan struct{})
	h.posts <- func() { defer close(done); f() }
	<-done
	synctest.Wait()
}

// Wait lets time pass.
func (h *Host) Wait(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// Begin opens a pane on the loop, and closes the one before. It passes each document to
// shown.
func (h *Host) Begin(shown func(doc []byte), open func() Pane) {
	h.Close()
	h.Do(func() {
		h.within, h.End = context.WithCancel(h.t.Context())
		h.pane, h.shown, h.sent = open(), shown, nil
	})
}

// Close closes the pane and ends its context. CloseOnLoop is the same, for the loop.
func (h *Host) Close() { h.Do(h.CloseOnLoop) }

// CloseOnLoop closes the pane, if there is one, and ends its context.
func (h *Host) CloseOnLoop() {
	if h.pane != nil {
		h.pane.Close()
	}
	h.End()
	h.pane = nil
}

// Update updates the pane, which may show another document than before. It is for the loop.
func (h *Host) Update() {
	if h.pane == nil {
		return
	}
	if doc := h.pane.Update(time.Now()); doc != nil {
		if bytes.Equal(doc, h.sent) {
			h.t.Errorf("it is sent twice: %s", doc)
		}
		h.sent = doc
		h.shown(doc)
	}
}

// Hold leases the list of all objects of a kind, as a view would, until the test ends.
func (h *Host) Hold(kind object.Kind) {
	h.Do(func() {
		h.held[kind.ID()] = true
		h.factory.Lease(source.Request(kind, ""))
	})
}

// Running returns how many goroutines there are that Go started.
func (h *Host) Running() int { return int(h.active.Load()) }

// Stirred reports whether the pane is to be updated.
func (h *Host) Stirred() bool { return len(h.stirs) > 0 }
