package logs

import (
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
	"watchglass/internal/detail/log"
	"watchglass/internal/hub/kinds"
	"watchglass/internal/hub/pane"
	"watchglass/internal/hub/source"
	"watchglass/internal/informer"
	"watchglass/internal/object"
	"watchglass/internal/reflector"
	"watchglass/internal/wire"
)

const (
	// linger is how long a released list is kept.
	linger = time.Minute
	// soon is enough for whatever does not wait on purpose.
	soon = 2 * documentEvery
)

// host is a pane and its Host. It calls Update only when the contract says so: after
// Options, Object, Stir and Wake, and not after what was posted.
type host struct {
	t       *testing.T
	ctx     context.Context // of the pane
	cancel  context.CancelFunc
	kind    object.Kind
	pane    *logPane
	cluster *cluster
	kubelet *kubelet
	factory *informer.Factory[*object.Object]
	posts   chan func()
	stirs   chan struct{}
	running atomic.Int64 // goroutines that Go started

	// Of the loop.
	closed  bool
	version int
	state   detail.State
	said    *wire.Status
	docs    []*log.Document
	at      []time.Time // of the documents
	pieces  []*log.Piece
}

var _ pane.Host = (*host)(nil)

// onPane runs a test in a bubble, with the pane of an object of a kind.
func onPane(t *testing.T, resource string, c *cluster, test func(t *testing.T, h *host)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		kind, ok := object.Builtin(resource)
		if !ok {
			t.Fatal(resource)
		}
		h := &host{t: t, kind: kind, cluster: c, kubelet: &kubelet{}, state: detail.Live, posts: make(chan func(), 16), stirs: make(chan struct{}, 1)}
		ctx, cancel := context.WithCancel(t.Context())
		h.ctx, h.cancel = context.WithCancel(ctx)
		h.factory = informer.NewFactory(ctx, linger, h.informer)
		h.pane = newPane(h, pane.Subject{Kind: kind, Namespace: "a", Name: "it"})
		done := make(chan struct{})
		go h.loop(done)
		defer func() {
			h.Close()
			cancel()
			h.factory.Wait()
			close(done)
		}()
		test(t, h)
	})
}

func (h *host) informer(r wire.Request, _ string) *informer.Informer[*object.Object] {
	var kind object.Kind
	for _, name := range []string{"pods", "jobs.batch"} {
		if k, _ := object.Builtin(name); k.Resource == r.Resource {
			kind = k
		}
	}
	return informer.New(informer.Options[*object.Object]{
		Source: h.cluster, Decoder: object.NewDecoder(kind, true), Request: r,
		Key: (*object.Object).Key, Version: (*object.Object).Version, Changed: h.Stir,
		Same: func(a, b *object.Object) bool { return a.Version() == b.Version() && a.UID() == b.UID() },
	})
}

func (h *host) loop(done chan struct{}) {
	for {
		select {
		case <-done:
			return
		case f := <-h.posts:
			f()
		case <-h.stirs:
			h.Update()
		}
	}
}

// Update calls the pane as the hub does, and keeps what it returns.
func (h *host) Update() {
	if h.closed {
		return
	}
	now := time.Now()
	doc := h.pane.Update(now)
	if doc == nil {
		return
	}
	d, piece, err := log.Parse(doc)
	switch {
	case err != nil:
		h.t.Error(err)
	case piece != nil:
		h.pieces = append(h.pieces, piece)
	default:
		h.docs, h.at = append(h.docs, d), append(h.at, now)
	}
}

func (h *host) Kinds() *kinds.Set                                 { return &kinds.Set{} }
func (h *host) History(string) []detail.Seen                      { return nil }
func (h *host) LeaseHeld(object.Kind) *source.Lease               { return nil }
func (h *host) State(time.Time) (detail.State, *wire.Status)      { return h.state, h.said }
func (h *host) Get(context.Context, wire.Request) ([]byte, error) { panic("logs get nothing") }
func (h *host) Wake(after time.Duration)                          { time.AfterFunc(after, h.Stir) }

func (h *host) Link() informer.Link {
	return informer.Link{Connected: true, Online: true, Heard: time.Now()}
}

func (h *host) Lease(kind object.Kind, s source.Selection) *source.Lease {
	return h.factory.Lease(source.Selected(kind, s))
}

func (h *host) Open(ctx context.Context, r wire.Request) (reflector.Stream, error) {
	return h.kubelet.open(ctx, r)
}

func (h *host) Go(f func(ctx context.Context) func()) {
	h.running.Add(1)
	go func() {
		then := f(h.ctx)
		h.running.Add(-1)
		h.Post(h.ctx, func() {
			if !h.closed {
				then()
			}
		})
	}()
}

func (h *host) Post(ctx context.Context, f func()) {
	select {
	case h.posts <- f:
	case <-ctx.Done():
	}
}

func (h *host) Stir() {
	select {
	case h.stirs <- struct{}{}:
	default:
	}
}

// Do runs f on the loop, and returns when nothing is left to do.
func (h *host) Do(f func()) {
	var done sync.WaitGroup
	done.Add(1)
	h.posts <- func() { f(); done.Done() }
	done.Wait()
	synctest.Wait()
}

// Wait lets time pass.
func (h *host) Wait(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

func (h *host) Close() {
	h.Do(func() {
		if !h.closed {
			h.pane.Close()
			h.cancel()
			h.closed = true
		}
	})
}

// ask gives the pane options. The window is the end of the log.
func (h *host) ask(o log.Options) {
	h.t.Helper()
	o.Follow, o.Limit = true, 100
	h.askAsIs(o)
}

func (h *host) askAsIs(o log.Options) {
	h.t.Helper()
	raw, err := json.Marshal(o)
	if err != nil {
		h.t.Fatal(err)
	}
	h.Do(func() { h.pane.Options(raw); h.Update() })
}

// object tells the pane of a version of the object.
func (h *host) object(m manifest) { h.t.Helper(); h.tell(m, false) }

// deleted tells the pane that the object, as it last was, is gone.
func (h *host) deleted(m manifest) { h.t.Helper(); h.tell(m, true) }

func (h *host) tell(m manifest, gone bool) {
	h.t.Helper()
	h.version++
	o, err := object.NewDecoder(h.kind, true).Decode(m.doc(h.kind, h.version))
	if err != nil {
		h.t.Fatal(err)
	}
	v := pane.Version{Object: o, Gone: gone, Body: func() (detail.Value, error) { return bodyOf(h.kind, o) }}
	h.Do(func() { h.pane.Object(v); h.Update() })
}

// last returns the last document, once there is nothing to do.
func (h *host) last() *log.Document {
	h.t.Helper()
	h.Wait(soon)
	var last *log.Document
	h.Do(func() {
		if n := len(h.docs); n > 0 {
			last = h.docs[n-1]
		}
	})
	if last == nil {
		h.t.Fatal("there is no document")
	}
	return last
}

// rows are those of a document as text; notes stand behind "-- ".
func rows(d *log.Document) (out []string) {
	for _, r := range d.Window {
		text := r.Text()
		if r.Note {
			text = "-- " + text
		}
		out = append(out, text)
	}
	return out
}

func (h *host) wantRows(want ...string) {
	h.t.Helper()
	if got := rows(h.last()); !slices.Equal(got, want) {
		h.t.Errorf("the log is\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// wantOpen checks which logs are open, and how they were asked for.
func (h *host) wantOpen(want ...string) {
	h.t.Helper()
	if got := h.kubelet.reading(); !slices.Equal(got, want) {
		h.t.Errorf("open are %q, want %q", got, want)
	}
}

// wantState checks the state of the only source.
func (h *host) wantState(state, said string) {
	h.t.Helper()
	if s := h.last().Sources; len(s) != 1 || s[0].State != state || s[0].Said != said {
		h.t.Errorf("the sources are %+v, want one that is %s: %q", s, state, said)
	}
}
