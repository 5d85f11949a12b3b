package front

import (
	"context"
	"net/http"
	"sync"
	"testing"
	"time"

	"watchglass/e2e/stage"
	"watchglass/internal/hub"
	"watchglass/internal/port"
	"watchglass/internal/socket"
	"watchglass/internal/view"
)

// tab is a page without a screen: it has a list, and notes its state.
type tab struct {
	port.Port
	mu    sync.Mutex
	state port.Source
	rows  int  // that match
	one   bool // it was just one for a while
}

// openTab opens a list in a hub of its own, which compares it with the apiserver every few seconds.
func openTab(t *testing.T, dial func(context.Context) (socket.Connection, error), look port.ListQuery) *tab {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	h := hub.New(ctx, hub.Options{AuditEvery: 4 * time.Second, Dial: func(ctx context.Context, _ string) (socket.Connection, error) { return dial(ctx) }})
	ended := make(chan struct{})
	go func() { h.Run(); close(ended) }()
	near, far := port.Pipe()
	v := &tab{Port: near}
	go v.receive(ctx)
	disconnect := h.Connect(hub.Connection{Port: far})
	t.Cleanup(func() { disconnect(); cancel(); <-ended })
	near.Send(look)
	return v
}

func (v *tab) receive(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case m := <-v.Receive():
			v.mu.Lock()
			switch m := m.(type) {
			case port.State:
				v.state = m.Source
			case port.Patch:
				v.rows, v.one = m.Total, v.one || m.Total == 1
				v.Send(port.Painted{ID: m.ID})
			}
			v.mu.Unlock()
		}
	}
}

// now returns the state of the list, and how many objects match.
func (v *tab) now() (port.Source, int) {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.state, v.rows
}

// TestAuditFindsALostPod loses the event of a new pod between the apiserver and the proxy. Before that,
// an audit of 5,000 pods in pages finds no difference; after it, one does, and the pod is there.
func TestAuditFindsALostPod(t *testing.T) {
	f := start(t, func(*http.Request) pass { return pass{lose: "lost-pod"} })
	b, err := f.serve(t).SignIn(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	ns := stage.Namespace(t)
	v := openTab(t, b.Dial, port.ListQuery{ID: 1, Resource: "pods", Query: view.Query{Seq: 1, Limit: 5, Namespaces: []string{ns}}})
	stage.WaitFor(t, "an audit", func() bool { s, _ := v.now(); return s.State == port.Live && !s.Audited.IsZero() })
	if s, _ := v.now(); s.Differences != 0 || s.Objects < podsSeeded {
		t.Fatalf("%+v", s)
	}
	if pages, _ := f.seen("continue="); len(pages) < podsSeeded/500-1 {
		t.Errorf("the audit came in %d further pages", len(pages))
	}
	stage.Create(t, ns, "lost-pod")
	stage.Create(t, ns, "seen-pod")
	t.Cleanup(func() {
		if t.Failed() {
			s, rows := v.now()
			t.Logf("%d rows, %+v", rows, s)
		}
	})
	stage.WaitFor(t, "both pods", func() bool { s, rows := v.now(); return rows == 2 && s.Differences == 1 })
	if !v.one {
		t.Error("no event was lost")
	}
}
