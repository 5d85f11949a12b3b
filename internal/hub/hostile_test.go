package hub

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"watchglass/internal/port"
	"watchglass/internal/socket"
	"watchglass/internal/view"
)

// TestPanicEnds checks that a panic on the loop ends the program at once. Otherwise the worker
// would keep its lock, and pages would show old data as live.
func TestPanicEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		h := New(ctx, Options{Dial: func(ctx context.Context, _ string) (socket.Connection, error) { return three().dial(ctx) }})
		ended := make(chan any, 1)
		go func() {
			defer func() { ended <- recover() }()
			h.Run()
		}()
		h.Connect(Connection{Port: &page{in: make(chan port.Message)}, Identity: "ana"})
		h.loop.Post(ctx, func() { panic("a mistake") })
		time.Sleep(time.Minute)
		synctest.Wait()
		select {
		case why := <-ended:
			if why == nil {
				t.Error("it ended without a word")
			}
		default:
			t.Error("the hub has panicked, and waits for what it started")
		}
		cancel()
	})
}

// TestHostile checks that no message of a page ends the hub, which all other tabs share.
func TestHostile(t *testing.T) {
	onPages(t, map[string]*proxy{"": three()}, func(t *testing.T, c *pagesFixture) {
		v := c.connect("", "ana")
		v.showList("pods", view.Query{Seq: 1})
		v.wantRows("live", "a/web1 a/web2 b/db1")
		least, most := -1<<62, 1<<62
		for i, q := range []view.Query{
			{Offset: -5, Limit: 10}, {Offset: least, Limit: least}, {Offset: most, Limit: most}, {Limit: most}, {Offset: 1, Limit: most}, {Limit: -1},
			{Sort: "nope", Columns: []string{"", ".", "{}", "{.a[}"}}, {Labels: "((", Text: "((", Anchor: "x", Locate: "y"}, {Namespaces: []string{"", "", "a"}},
			{Offset: least, Limit: most, Locate: "a/web1"}, {Offset: most, Limit: 1, Anchor: "a/web1"},
		} {
			q.Seq = uint32(i + 2)
			v.page.in <- port.ListQuery{ID: listID, Resource: "pods", Query: q}
			v.wait(soon)
		}
		for _, args := range []string{`[{"offset":-1,"limit":-1}]`, `[{"offset":9223372036854775807,"limit":9223372036854775807}]`, `[{"offset":1,"limit":9223372036854775807}]`, `[{"offset":-9223372036854775808,"limit":5}]`, `[null]`, `{}`, `[]`, ``, `[1,2,3]`} {
			for _, method := range []string{"rows", "export", "facets", "labels", "list", "snapshot", "inspect", "nope"} {
				v.page.locked(func() { v.page.answers[1<<30] = make(chan port.Answer, 1) })
				v.page.in <- port.Ask{ID: 1 << 30, List: listID, Method: method, Args: []byte(args)}
				v.page.in <- port.Pull{ID: 1 << 30}
				v.wait(100 * time.Millisecond)
			}
			v.wait(soon)
		}
		for _, resource := range []string{"", ".", "..", "pods/", "pods.", "a.b.c.d", "\x00"} {
			v.page.in <- port.ListQuery{ID: 9, Resource: resource}
			v.wait(soon)
			v.page.in <- port.Focus{ID: 9, Resource: resource, Name: "x", Tab: "logs", Options: []byte(`[`)}
			v.wait(soon)
			v.page.in <- port.Focus{ID: 9, Resource: resource, Tab: "access", Options: []byte(`[`)}
			v.wait(soon)
			v.page.in <- port.Focus{ID: 9, Resource: "pods", Namespace: "a", Name: "web1", Tab: "nope"}
			v.wait(soon)
			v.page.in <- port.Close{ID: 9}
		}
		for _, tab := range []string{"summary", "yaml", "events", "related", "changes", "logs", "access"} {
			for i, options := range []string{``, `[`, `{"offset":-1,"limit":-9,"from":-5,"to":-7,"lines":-1,"top":-1,"height":-4,"rows":-2,"tail":-1,"container":"\u0000"}`, `{"offset":4611686018427387904,"limit":4611686018427387904,"from":4611686018427387904,"lines":4611686018427387904}`} {
				v.page.in <- port.Focus{ID: uint32(50 + i), Resource: "pods", Namespace: "a", Name: "web1", Tab: tab, Options: []byte(options)}
				v.wait(soon)
			}
		}
		v.page.in <- port.SavedNamespaces{Namespaces: []string{"", "../x", "a"}}
		v.showList("pods", view.Query{Seq: 1000})
		v.wantRows("live", "a/web1 a/web2 b/db1")
	})
}
