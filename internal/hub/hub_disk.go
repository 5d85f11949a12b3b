package hub

import "watchglass/internal/history/shelf"

// newArchive returns the archive that moves history to disk; nil if there is no disk.
func newArchive(o Options) *shelf.Archive {
	if o.Shelf == nil {
		return nil
	}
	return shelf.New(o.Shelf, o.Rest)
}

// stepDisk turns history on disk on while a page wants it, for clusters whose proxy allows it. Once no page
// wants it, because the choice was turned off or all users have signed out or left, it is cleared.
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
