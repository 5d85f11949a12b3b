package hub

import (
	"context"
	"time"

	"watchglass/internal/history"
	"watchglass/internal/history/replay"
	"watchglass/internal/history/shelf"
	"watchglass/internal/port"
)

// newArchive returns what moves history to disk; nil if there is no disk.
func newArchive(o Options) *shelf.Archive {
	if o.Shelf == nil {
		return nil
	}
	return shelf.New(o.Shelf)
}

// stepDisk turns history on disk on while a page wants it, for the clusters whose proxy allows it. It is
// cleared once no page does: the choice was turned off, or everybody has signed out or left.
func (h *Hub) stepDisk() {
	if h.archive == nil {
		return
	}
	wanted := false
	for _, p := range h.pages {
		wanted = wanted || p.keepsDisk
	}
	if h.archive.Turn(wanted); !wanted {
		return
	}
	for _, c := range h.clusters {
		switch {
		case c.relay != nil || c.opened == nil:
		case c.opened.NoDiskHistory || c.userChanged():
			h.archive.Leave(c.history)
		default:
			h.archive.Keep(c.history)
		}
	}
	h.archive.Wake()
}

// keepHistory turns history on disk on or off, for all pages: they share the browser's setting.
func (h *Hub) keepHistory(p *Page, on bool) {
	if p.keepsDisk = on; on {
		return
	}
	for _, other := range h.pages {
		other.keepsDisk = false
	}
}

// kept returns what is remembered of a live cluster, with what is on disk.
func (c *Cluster) kept() history.Tape {
	if c.archive == nil || !c.archive.Status().On {
		return c.history
	}
	return c.archive.Tape(c.ctx, c.history)
}

// tellDisk returns what the page may know of history on disk.
func (p *Page) tellDisk() (out port.Disk) {
	c := p.own()
	if c.archive == nil {
		return out
	}
	s := c.archive.Status()
	out = port.Disk{Can: true, On: s.On, Bytes: s.Bytes, Room: s.Room, Dropped: s.Dropped, Failed: s.Failed}
	out.Forbidden = c.opened != nil && c.opened.NoDiskHistory
	out.Memory, _ = c.history.Span()
	return out
}

// fetch reads what the page's lists need from disk for a moment, and then shows it.
func (p *Page) fetch(m port.Travel, now time.Time) {
	t := &p.past
	tape, ok := t.relay.Tape().(*shelf.Tape)
	if !ok {
		p.show(m.At, m, now)
		return
	}
	c, relay, streams := p.own(), t.relay, p.streamsShown(tape)
	t.fetching = true
	c.start(func() {
		failed := load(c.ctx, tape, streams, m)
		c.post(c.ctx, func() { p.fetched(relay, m, failed) })
	})
}

// load reads streams at a moment, and returns why one can't be read.
func load(ctx context.Context, tape *shelf.Tape, streams []int, m port.Travel) (failed string) {
	for _, i := range streams {
		if err := tape.Load(i, m.At); err != nil && ctx.Err() == nil {
			failed = "The history on disk can't be read: " + err.Error()
		}
	}
	return failed
}

// fetched shows a moment that was read from disk, unless the page has gone elsewhere meanwhile.
func (p *Page) fetched(relay *replay.Relay, m port.Travel, failed string) {
	t := &p.past
	if t.relay != relay || t.seq != m.Seq {
		return
	}
	now := time.Now()
	if t.fetching, t.failed = false, failed; failed == "" {
		p.show(m.At, m, now)
	}
	t.due = now.Add(arriveWithin)
	p.cluster.requestStep()
}
