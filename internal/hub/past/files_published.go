package past

import (
	"context"
	"runtime/debug"
	"sync"

	"watchglass/internal/history/recording"
	"watchglass/internal/port"
)

// publishedFile is the recording that was published with the page. It is read, and shown, while the page starts.
type publishedFile struct {
	failed bool   // it could not be read
	asked  uint32 // the ID of the page's file; 0: the page has not asked for it
}

// garbageWhileRead lets the heap grow to this many percent of what is in use before garbage is collected, in place of
// 100: next to nothing of what is read becomes garbage, and looking for it takes a fifth of the time.
const garbageWhileRead = 400

// gcRelaxation is how many readers need less garbage collection. The last of them restores what was before the first: the
// setting is the program's, and several pages may read at once.
type gcRelaxation struct {
	mu      sync.Mutex
	readers int
	before  int
}

var garbage gcRelaxation

func (g *gcRelaxation) relax() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.readers++; g.readers == 1 {
		g.before = debug.SetGCPercent(garbageWhileRead)
	}
}

func (g *gcRelaxation) restore() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.readers--; g.readers == 0 {
		debug.SetGCPercent(g.before)
	}
}

// ReadPublished fetches the recording that was published with the page, in a goroutine of its own. The page shows it with
// the first list that it opens.
func (f *Files) ReadPublished(fetch func(context.Context) ([]byte, error)) {
	p, c := &publishedFile{}, f.past.Own()
	f.published = p
	c.Start(func() {
		var record *recording.Recording
		data, err := fetch(c.Ctx)
		if err == nil {
			garbage.relax()
			record, err = recording.ReadPlain(data, newBreather(c.Ctx, c.Rest).pause)
			garbage.restore()
		}
		c.Post(c.Ctx, func() {
			switch {
			case p != f.published: // the user has opened another file
			case err != nil:
				p.failed = true
				f.askPublished(p.asked)
			default:
				f.published = nil
				f.play(record)
				f.past.host.Cluster().Early = c.Early
			}
		})
	})
}

// askPublished has the page send the file, if the hub can't read it: reading the pieces tells why, or gets the intact
// part.
func (f *Files) askPublished(id uint32) {
	switch p := f.published; {
	case p != nil && !p.failed:
		p.asked = id
	case id != 0 && f.past.about == nil: // else the page learns that it is shown already
		f.published = nil
		f.past.host.Send(port.Piece{ID: id, Published: true})
	}
}
