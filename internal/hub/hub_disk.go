package hub

import "watchglass/internal/history/disk"

// newArchive returns the archive that moves history to disk; nil if there is no disk.
func newArchive(o Options) *disk.Archive {
	if o.Disk == nil {
		return nil
	}
	return disk.New(o.Disk, o.Rest)
}

// stepDisk turns history on disk on while it is chosen, for clusters whose proxy allows it. Once it is not, or all users
// have signed out or left, it is cleared.
func (h *Hub) stepDisk() {
	if h.archive == nil {
		return
	}
	h.keepsDisk = h.keepsDisk && len(h.pages) > 0
	if h.archive.Set(h.keepsDisk); !h.keepsDisk {
		return
	}
	for _, c := range h.clusters {
		switch {
		case c.Relay != nil || c.Opened == nil:
		case c.Opened.NoDiskHistory || c.UserChanged():
			h.archive.Leave(c.History)
		default:
			h.archive.Keep(c.History)
		}
	}
	h.archive.Wake()
}
