package hub

import (
	"context"

	"watchglass/internal/history/recording"
	"watchglass/internal/port"
)

// published is the recording that was published with the page. It is read while the page starts.
type published struct {
	tape *recording.Tape // nil: it could not be read
	read bool            // reading has ended
	id   uint32          // under which the page has asked for it; 0: not yet
}

// readPublished reads it in its own goroutine.
func (f *files) readPublished(fetch func(context.Context) ([]byte, error)) {
	p, c := &published{}, f.page.own()
	f.published = p
	c.start(func() {
		var tape *recording.Tape
		data, err := fetch(c.ctx)
		if err == nil {
			tape, err = recording.ReadPlain(data, c.breather(c.ctx).pause)
		}
		c.post(c.ctx, func() {
			p.tape, p.read = tape, true
			if p.id != 0 && p == f.published {
				f.showPublished(p.id)
			}
		})
	})
}

// showPublished makes the page show it as soon as it has been read. If it could not be read, the page sends the file,
// and reading that tells why, or reads the intact part.
func (f *files) showPublished(id uint32) {
	p := f.published
	switch {
	case p == nil || p.read && p.tape == nil:
		f.page.port.Send(port.Piece{ID: id, Published: true})
	case p.read:
		f.last = id
		f.play(p.tape)
	default:
		p.id = id
		return
	}
	f.published = nil
}
