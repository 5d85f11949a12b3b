package hub

import (
	"context"
	"runtime/debug"

	"watchglass/internal/history/recording"
	"watchglass/internal/port"
)

// published is the recording that was published with the page. It is read, and shown, while the page starts.
type published struct {
	failed bool   // it could not be read
	asked  uint32 // the ID of the page's file; 0: the page has not asked for it
}

// garbageWhileRead lets the heap grow to this many percent of what is in use before garbage is collected, in place of
// 100: next to nothing of what is read becomes garbage, and looking for it takes a fifth of the time.
const garbageWhileRead = 400

// readPublished reads it in its own goroutine, and then makes the page show it, with the list that the page opens
// first.
func (f *files) readPublished(fetch func(context.Context) ([]byte, error)) {
	p, c := &published{}, f.page.own()
	f.published = p
	c.start(func() {
		var tape *recording.Tape
		data, err := fetch(c.ctx)
		if err == nil {
			before := debug.SetGCPercent(garbageWhileRead)
			tape, err = recording.ReadPlain(data, c.breather(c.ctx).pause)
			debug.SetGCPercent(before)
		}
		c.post(c.ctx, func() {
			switch {
			case p != f.published: // the user has opened another file
			case err != nil:
				p.failed = true
				f.askPublished(p.asked)
			default:
				f.published = nil
				f.play(tape)
				f.page.cluster.early = c.early
			}
		})
	})
}

// askPublished has the page send the file, if the hub can't read it: reading the pieces tells why, or gets the intact
// part.
func (f *files) askPublished(id uint32) {
	switch p := f.published; {
	case p != nil && !p.failed:
		p.asked = id
	case id != 0 && f.page.past.about == nil: // else the page learns that it is shown already
		f.published = nil
		f.page.port.Send(port.Piece{ID: id, Published: true})
	}
}
