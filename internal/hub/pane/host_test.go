package pane

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"strings"
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
	"watchglass/internal/reflector"
	"watchglass/internal/wire"
)

const (
	// linger is how long the factory keeps a source that nobody holds.
	linger = time.Minute
	// soon is long enough for whatever is under way.
	soon = 2 * time.Second
)

// host is a Host with real informers over a scripted server. It updates the pane only when
// that is asked for: after Object and Options, and when the pane stirs or wakes it.
type host struct {
	t       *testing.T
	server  *server
	kinds   *kinds.Set
	factory *informer.Factory[*object.Object]
	history *detail.History
	narrow  string // the namespace that the proxy serves, if it is one only
	offline atomic.Bool

	within  context.Context // of the pane
	leave   context.CancelFunc
	running sync.WaitGroup
	active  atomic.Int32 // goroutines that Go started
	wakes   atomic.Int32
	posts   chan func()
	dirty   chan struct{}

	// The rest belongs to the loop.
	held    map[string]bool // resources whose lists of all objects a view holds
	pane    Pane
	kind    object.Kind
	object  *object.Object
	body    string // of the object, if it is not its own
	decoder *object.Decoder
	docs    [][]byte
	sent    []byte
}

var _ Host = (*host)(nil)

// onHost runs a test with a host, in a bubble. Served are the custom kinds, of example.com
// or of the group behind a dot.
func onHost(t *testing.T, s *server, served []string, test func(t *testing.T, h *host)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		h := &host{
			t: t, server: s, kinds: new(kinds.Set), history: detail.NewHistory(detail.HistoryBudget),
			posts: make(chan func()), dirty: make(chan struct{}, 1), held: make(map[string]bool),
		}
		h.serve("v1", served...)
		ctx, cancel := context.WithCancel(t.Context())
		h.within, h.leave = context.WithCancel(ctx)
		h.factory = informer.NewFactory(ctx, linger, h.newInformer)
		ended := make(chan struct{})
		go func() { defer close(ended); h.loop(ctx) }()
		defer func() {
			h.leave()
			h.running.Wait()
			cancel()
			<-ended
			h.factory.Wait()
		}()
		test(t, h)
	})
}

// serve says which kinds the server has, beside the built-in ones.
func (h *host) serve(version string, served ...string) {
	pods, _ := object.Builtin("pods")
	found := object.Discovery{Kinds: []object.Kind{pods}}
	for _, name := range served {
		resource, group, ok := strings.Cut(name, ".")
		if !ok {
			group = "example.com"
		}
		found.Kinds = append(found.Kinds, object.Kind{Group: group, Version: version, Resource: resource, Name: resource, Namespaced: true})
	}
	h.kinds.Discovered(found)
}

func (h *host) newInformer(r wire.Request, _ string) *informer.Informer[*object.Object] {
	decoder := object.NewDecoder(h.kinds.Of(r), true)
	if r.Encoding == wire.EncodingMetadata {
		decoder = object.NewMetadataDecoder()
	}
	return informer.New(informer.Options[*object.Object]{
		Source: h.server, Decoder: decoder, Request: r,
		Key: (*object.Object).Key, Version: (*object.Object).Version, Namespace: (*object.Object).Namespace,
		Same:    func(a, b *object.Object) bool { return a.Stamp() == b.Stamp() },
		Changed: h.Stir,
	})
}

// loop is the hub's loop.
func (h *host) loop(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case f := <-h.posts:
			f()
		case <-h.dirty:
			h.Update()
		}
	}
}

// Update keeps what the pane shows, which has to be another document than before.
func (h *host) Update() {
	if h.pane == nil {
		return
	}
	if doc := h.pane.Update(time.Now()); doc != nil {
		if bytes.Equal(doc, h.sent) {
			h.t.Errorf("it is sent twice: %s", doc)
		}
		h.sent, h.docs = doc, append(h.docs, doc)
	}
}

func (h *host) Kinds() *kinds.Set { return h.kinds }

func (h *host) Link() informer.Link {
	return informer.Link{Connected: !h.offline.Load(), Heard: time.Now(), Online: true}
}

func (h *host) State(time.Time) (detail.State, *wire.Status) { return detail.Live, nil }
func (h *host) History(uid string) []detail.Seen             { return h.history.Of(uid) }

func (h *host) scoped(kind object.Kind, r wire.Request) wire.Request {
	if r.Namespace == "" && kind.Namespaced {
		r.Namespace = h.narrow
	}
	return r
}

func (h *host) Lease(kind object.Kind, s source.Selection) *source.Lease {
	return h.factory.Lease(h.scoped(kind, source.Selected(kind, s)))
}

func (h *host) LeaseHeld(kind object.Kind) *source.Lease {
	if !h.held[kind.ID()] {
		return nil
	}
	return h.factory.LeaseSynced(source.Request(kind, ""))
}

func (h *host) Get(ctx context.Context, r wire.Request) ([]byte, error) { return h.server.Get(ctx, r) }

func (h *host) Open(ctx context.Context, r wire.Request) (reflector.Stream, error) {
	return h.server.Open(ctx, h.scoped(h.kinds.Of(r), r))
}

func (h *host) Go(f func(ctx context.Context) (then func())) {
	within := h.within
	h.active.Add(1)
	h.running.Go(func() {
		defer h.active.Add(-1)
		then := f(within)
		h.Post(within, func() {
			if within.Err() == nil {
				then()
			}
		})
	})
}

func (h *host) Post(ctx context.Context, f func()) {
	select {
	case h.posts <- f:
	case <-ctx.Done():
	}
}

func (h *host) Stir() {
	select {
	case h.dirty <- struct{}{}:
	default:
	}
}

func (h *host) Wake(after time.Duration) {
	h.wakes.Add(1)
	time.AfterFunc(after, h.Stir)
}

// Do runs f on the loop, and waits until all is at rest that does not wait for time.
func (h *host) Do(f func()) {
	h.t.Helper()
	h.Post(h.t.Context(), f)
	synctest.Wait()
}

// Wait lets time pass.
func (h *host) Wait(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// views has a view hold the list of all objects of a resource, which stays to the end.
func (h *host) views(resource string) {
	h.t.Helper()
	kind, ok := h.kinds.Find(resource)
	if !ok {
		h.t.Fatalf("there is no %s", resource)
	}
	h.Do(func() {
		h.held[kind.ID()] = true
		h.factory.Lease(source.Request(kind, ""))
	})
	h.Wait(soon)
	h.server.asks()
}

// opens opens a pane on an object, with options. It closes the one before.
func (h *host) opens(open Open, resource, namespace, name string, options any) {
	h.t.Helper()
	h.Close()
	kind, ok := h.kinds.Find(resource)
	if !ok {
		h.t.Fatalf("there is no %s", resource)
	}
	h.Do(func() {
		h.within, h.leave = context.WithCancel(h.t.Context())
		h.kind, h.object, h.sent = kind, nil, nil
		if h.decoder = object.NewDecoder(kind, true); !kind.Printed() {
			if _, err := h.decoder.SetColumns([]byte(widgetColumns)); err != nil {
				h.t.Error(err)
			}
		}
		h.pane = open(h, Subject{Kind: kind, Namespace: namespace, Name: name, Since: time.Now()})
	})
	h.options(options)
}

// options gives the pane options; nil is none.
func (h *host) options(options any) {
	h.t.Helper()
	var raw json.RawMessage
	if options != nil {
		doc, err := json.Marshal(options)
		if err != nil {
			h.t.Fatal(err)
		}
		raw = doc
	}
	h.Do(func() { h.pane.Options(raw); h.Update() })
}

// Close closes the pane.
func (h *host) Close() {
	h.Do(func() {
		if h.pane != nil {
			h.pane.Close()
			h.leave()
			h.pane = nil
		}
	})
}

// shows gives the pane a version of its object.
func (h *host) shows(o thing) {
	h.t.Helper()
	h.Do(func() {
		before := h.object
		h.body = o.body
		var err error
		if h.object, err = h.decoder.Decode(o.payload()); err != nil {
			h.t.Error(err)
			return
		}
		h.history.Note(time.Now(), h.decoder.Columns(), before, h.object)
		h.pane.Object(h.version(false))
		h.Update()
	})
}

// deletes tells the pane that its object is gone.
func (h *host) deletes() {
	h.t.Helper()
	h.Do(func() { h.pane.Object(h.version(true)); h.Update() })
}

func (h *host) version(gone bool) Version {
	kind, o, body, columns := h.kind, h.object, h.body, h.decoder.Columns()
	return Version{
		Object: o, Gone: gone,
		Body: func() (detail.Value, error) {
			if body != "" {
				return detail.ParseValue([]byte(body))
			}
			return ParseBody(kind, o)
		},
		Cells: func() (out []detail.Cell) {
			for i, c := range columns {
				out = append(out, detail.Cell{Name: c.Name, Text: o.Cell(columns, i).Text})
			}
			return out
		},
	}
}

// shown returns the documents since it was last called.
func (h *host) shown() (docs [][]byte) {
	h.Do(func() { docs, h.docs = h.docs, nil })
	return docs
}

// read returns the documents since the last call, which are JSON.
func read[T any](h *host) []T {
	h.t.Helper()
	docs := h.shown()
	out := make([]T, len(docs))
	for i, doc := range docs {
		if err := json.Unmarshal(doc, &out[i]); err != nil {
			h.t.Error(err)
		}
	}
	return out
}

// last returns the last document since the last call, of which there has to be one.
func last[T any](h *host) T {
	h.t.Helper()
	all := read[T](h)
	if len(all) == 0 {
		h.t.Fatal("nothing was sent")
	}
	return all[len(all)-1]
}

// wantAsked checks what the server was asked since the last time.
func (h *host) wantAsked(want string) {
	h.t.Helper()
	if got := h.server.asks(); got != want {
		h.t.Errorf("the server was asked %q, want %q", got, want)
	}
}

// wantShown checks how many documents were sent since the last time.
func (h *host) wantShown(want int) {
	h.t.Helper()
	if docs := h.shown(); len(docs) != want {
		h.t.Errorf("%d documents were sent, want %d: %s", len(docs), want, bytes.Join(docs, []byte("\n")))
	}
}

func sorted(names []string) string {
	slices.Sort(names)
	return strings.Join(names, ", ")
}
