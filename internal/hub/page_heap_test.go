package hub

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"watchglass/internal/hub/inspect"
	"watchglass/internal/port"
	"watchglass/internal/socket"
	"watchglass/internal/view"
	"watchglass/internal/wire"
)

// pageHeap is the heap that a further page may take on a list of 10,000 pods with 1,000 nodes and owners. It is 0.27 to
// 0.29 MB: the objects by slot and their order are 120 KB, and the codes of six columns 80 KB. All pages share the texts.
const pageHeap = 400_000

// TestPageHeap checks what a further page on the same list costs: no more if the page was there before
// the objects, which then come to it as changes, than if it came later.
func TestPageHeap(t *testing.T) {
	for _, early := range []bool{false, true} {
		each := heapOfPage(t, early)
		t.Logf("a further page takes %d bytes; it was there before the objects: %v", each, early)
		if each > pageHeap {
			t.Errorf("want at most %d", pageHeap)
		}
	}
}

// heapOfPage returns what the heap of a hub whose pages all show 10,000 pods loses with each page that
// goes. The first page, or all of them, are there before the pods are.
func heapOfPage(t *testing.T, early bool) int64 {
	const further = 9
	p := &proxy{holdLists: true}
	ctx, cancel := context.WithCancel(t.Context())
	h := New(ctx, Options{Dial: func(ctx context.Context, _ string) (socket.Connection, error) { return p.dial(ctx) }})
	ended := make(chan struct{})
	go func() { h.Run(); close(ended) }()
	defer func() { cancel(); <-ended }()
	var leave []func()
	for i := range further + 1 {
		page := &benchPage{in: make(chan port.Message, 256)}
		leave = append(leave, h.Connect(Connection{Port: page}))
		page.in <- port.ListQuery{ID: listID, Resource: "pods", Query: view.Query{Seq: 1, Sort: "name", Limit: 50}}
		until(t, h, func() bool { return len(h.pages) > i && showsPods(h.pages[i]) })
		if i == 0 && !early {
			p.list10000(t, h)
		}
	}
	if early {
		p.list10000(t, h)
	}
	until(t, h, func() bool {
		return !slices.ContainsFunc(h.pages, func(p *Page) bool { return showsNew(p) })
	})
	inspect.Heap(true)
	all := inspect.Heap(true)
	last, _ := h.pages[further].lists[0].Shown()
	for _, f := range leave[1:] {
		f()
	}
	leave = nil
	until(t, h, func() bool { return len(h.pages) == 1 })
	if total, _, _ := last.View.Rows(0, 1, time.Now()); total > 0 {
		t.Error("the view of a page that is gone has not given up the texts that it shared")
	}
	inspect.Heap(true)
	one := inspect.Heap(true)
	return (int64(all) - int64(one)) / further
}

func showsPods(p *Page) bool {
	if len(p.lists) != 1 {
		return false
	}
	_, ok := p.lists[0].Shown()
	return ok
}

// showsNew reports whether the view of a page's list has something to send.
func showsNew(p *Page) bool {
	shown, _ := p.lists[0].Shown()
	return shown.View.Dirty()
}

// list10000 answers the list that is open with 10,000 pods, and waits until the hub has it.
func (p *proxy) list10000(t *testing.T, h *Hub) {
	const pods, inFrame = 10_000, 20 // the relay sends several in a frame, too; one by one, the hub steps for each of them
	waiting := func() (ids []uint32) {
		p.mu.Lock()
		defer p.mu.Unlock()
		for id, s := range p.open {
			if s.Verb == wire.Watch && s.id() == "pods" {
				ids = append(ids, id)
			}
		}
		return ids
	}
	until(t, h, func() bool { return len(waiting()) == 1 })
	id := waiting()[0]
	p.mu.Lock()
	var frame []byte
	for i := range pods {
		o := pod(fmt.Sprint("team-", i%50), fmt.Sprintf("web-%05d", i), "Running")
		o.node, o.controller = fmt.Sprint("node-", i%1000), fmt.Sprint("DaemonSet.apps web-", i%1000)
		p.version++
		o.resource, o.version = "pods", p.version
		p.things = append(p.things, o)
		if i%inFrame == 0 {
			p.open[id].seq++
			frame = wire.AppendData(nil, id, p.open[id].seq)
		}
		if frame = wire.AppendEvent(frame, wire.Added, podBytes(o)); i%inFrame == inFrame-1 {
			p.write(frame)
		}
	}
	p.end(id)
	p.mu.Unlock()
	until(t, h, func() bool {
		from := h.pages[0].lists[0].Sources()[0]
		return from.Store().Len() == pods && from.HasSynced()
	})
}

// until waits until something is true on the hub's loop.
func until(t *testing.T, h *Hub, f func() bool) {
	t.Helper()
	for {
		is := make(chan bool, 1)
		h.loop.Post(t.Context(), func() { is <- f() })
		select {
		case ok := <-is:
			if ok {
				return
			}
		case <-t.Context().Done():
			t.Fatal("it never was")
		}
		<-time.After(5 * time.Millisecond)
	}
}
