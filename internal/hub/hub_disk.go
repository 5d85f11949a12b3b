package hub

import "watchglass/internal/history/shelf"

// newArchive returns what moves history to disk; nil if there is no disk.
func newArchive(o Options) *shelf.Archive {
	if o.Shelf == nil {
		return nil
	}
	return shelf.New(o.Shelf, o.Rest)
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
