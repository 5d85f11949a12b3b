package past

import (
	"context"
	"runtime/debug"
	"sync"

	"watchglass/internal/history/recording"
)

// publishedFile is the recording that was published with the page. It is read, and shown, while the page starts.
type publishedFile struct {
	failed bool     // it could not be read
	asked  *reading // the page's own, if the page has asked for it
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
			record, err = recording.ReadPlain(data, newPauser(c.Ctx, c.Rest).pause)
			garbage.restore()
		}
		c.Post(c.Ctx, func() {
			switch {
			case p != f.published: // the user has opened another file
			case err != nil:
				if p.failed = true; p.asked != nil {
					f.openPublished(p.asked)
				}
			default:
				f.published = nil
				if p.asked != nil {
					f.end(p.asked, nil)
				}
				f.play(record)
				f.past.host.Cluster().Early = c.Early
			}
		})
	})
}

// openPublished reads the page's file if the hub can't read its own: that tells why, or gets the intact part.
func (f *Files) openPublished(r *reading) {
	switch p := f.published; {
	case p != nil && !p.failed:
		p.asked = r
	case f.past.about == nil:
		f.published = nil
		f.read(r)
	default: // it is shown already
		f.end(r, nil)
	}
}
