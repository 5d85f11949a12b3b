//go:build !js

package recorded

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"watchglass/internal/hub"
	"watchglass/internal/port"
	"watchglass/internal/relay"
	"watchglass/internal/socket"
	"watchglass/internal/view"
	"watchglass/internal/wire/wiretest"
)

// The IDs of what a Tab shows.
const (
	listID     = 1
	overviewID = 2
)

// never is how often lists are audited: a recording has no answers for that.
const never = 1000 * time.Hour

// Tab is a hub that reaches an apiserver through a relay, and a page that shows its problems. Its methods may be called
// from any goroutine.
type Tab struct {
	ctx context.Context
	in  chan port.Message

	mu       sync.Mutex
	state    string // of the list
	overview port.Overview
	asked    uint32
	answers  map[uint32]chan port.Answer
}

// Open opens a tab that looks for problems in some kinds besides those of the rules. It ends with the context; wait
// returns once nothing of it runs any more.
func Open(ctx context.Context, up relay.Upstream, kinds ...string) (t *Tab, wait func()) {
	t = &Tab{ctx: ctx, in: make(chan port.Message, 256), answers: make(map[uint32]chan port.Answer)}
	up.Heard = time.Now // the apiserver is there all the time
	var running sync.WaitGroup
	h := hub.New(ctx, hub.Options{AuditEvery: never, Dial: func(context.Context, string) (socket.Connection, error) {
		near, far := wiretest.Pipe(256)
		running.Go(func() {
			_ = relay.Serve(ctx, far, relay.Options{Upstream: up}) // the hub dials again
		})
		return socket.Connection{Conn: near}, nil
	}})
	running.Go(h.Run)
	h.Connect(hub.Connection{Port: t})
	t.in <- port.OpenOverview{ID: overviewID, Kinds: kinds}
	t.in <- port.ListQuery{ID: listID, Resource: port.Problems, Query: view.Query{Seq: 1, Limit: 10}}
	return t, running.Wait
}

// Receive returns what the page sends.
func (t *Tab) Receive() <-chan port.Message { return t.in }

// Send takes what the hub sends to the page.
func (t *Tab) Send(m port.Message) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch m := m.(type) {
	case port.Patch:
		t.reply(port.Painted{ID: m.ID})
	case port.State:
		if t.state == "" {
			t.reply(port.SavedNamespaces{Namespaces: []string{}})
		}
		t.state = m.Source.State
	case port.Answer:
		t.answers[m.ID] <- m
		delete(t.answers, m.ID)
	case port.Detail:
		if m.Part == port.OverviewPart {
			t.overview, _ = port.ReadOverview(m.Doc) // what it lacks is missed
		}
	}
}

// reply sends a message to the hub, which may be gone.
func (t *Tab) reply(m port.Message) {
	select {
	case t.in <- m:
	case <-t.ctx.Done():
	}
}

// State returns the state of the list of problems: "live" once it has all that it rests on.
func (t *Tab) State() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.state
}

// Overview returns the last overview.
func (t *Tab) Overview() port.Overview {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.overview
}

// Rows returns the rows of the list of problems.
func (t *Tab) Rows() (map[string]Row, error) {
	doc, err := t.ask("rows", `{"offset":0,"limit":1000000}`)
	if err != nil {
		return nil, err
	}
	var table struct {
		Columns []struct{ Name string }
		Rows    []struct {
			UID   string
			Cells []string
		}
	}
	if err := json.Unmarshal(doc, &table); err != nil {
		return nil, err
	}
	columns := make([]string, len(table.Columns))
	for i, c := range table.Columns {
		columns[i] = c.Name
	}
	all := make(map[string]Row)
	for _, r := range table.Rows {
		all[r.UID] = ReadRow(columns, r.Cells)
	}
	return all, nil
}

// ask asks the hub a question about the list.
func (t *Tab) ask(method, args string) ([]byte, error) {
	t.mu.Lock()
	t.asked++
	id, answer := t.asked, make(chan port.Answer, 1)
	t.answers[id] = answer
	t.mu.Unlock()
	t.reply(port.Ask{ID: id, List: listID, Method: method, Args: json.RawMessage("[" + args + "]")})
	select {
	case a := <-answer:
		if a.Error != "" {
			return nil, fmt.Errorf("%s: %s", method, a.Error)
		}
		return a.Value, nil
	case <-t.ctx.Done():
		return nil, errors.Join(errors.New(method), t.ctx.Err())
	}
}
