package past

import (
	"context"
	"time"

	"watchglass/internal/history/disk"
	"watchglass/internal/port"
)

// diskReport returns the state of history on disk, for the page.
func (p *Past) diskReport() (out port.Disk) {
	c := p.Own()
	if c.Archive == nil {
		return out
	}
	s := c.Archive.Status()
	out = port.Disk{Can: true, On: s.On, Bytes: s.Bytes, Room: s.Room, Dropped: s.Dropped, Failed: s.Failed}
	out.Forbidden = c.Opened != nil && c.Opened.NoDiskHistory
	out.Memory, _ = c.History.Span()
	return out
}

// fetch loads a moment of the page's lists from disk, and then shows it.
func (p *Past) fetch(m port.Travel, now time.Time) {
	record, ok := p.relay.Record().(*disk.Record)
	if !ok {
		p.show(m.At, m, now)
		return
	}
	c, streams := p.Own(), p.streamsShown(record)
	ctx := p.fetching.Begin(c.Ctx)
	c.Start(func() {
		failed := load(ctx, record, streams, m)
		c.Post(ctx, func() { p.fetched(m, failed) })
	})
}

// load loads streams at a moment. It returns an error message if one can't be read.
func load(ctx context.Context, record *disk.Record, streams []int, m port.Travel) (failed string) {
	for _, i := range streams {
		if err := record.Load(i, m.At); err != nil && ctx.Err() == nil {
			failed = "Can't read the history on disk: " + err.Error()
		}
	}
	return failed
}

// fetched shows a moment loaded from disk.
func (p *Past) fetched(m port.Travel, failed string) {
	now := time.Now()
	p.fetching.End()
	if p.failed = failed; failed == "" {
		p.show(m.At, m, now)
	}
	p.due = now.Add(arriveWithin)
	p.host.Cluster().RequestStep()
}
