package reflector

import "time"

const (
	// bypassFor is how long lists are requested from a server that does not support watch-lists.
	bypassFor = 10 * time.Minute
	// refusedMost is how many watch-lists in a row may be refused for now, by an apiserver or a
	// gateway, before a list is requested. An apiserver whose cache is not filled, or lags, refuses
	// them as long as that lasts, and meanwhile serves lists.
	refusedMost = 2
)

// bypass is why a list is requested where a watch-list would do, and for how long.
type bypass struct {
	until   time.Time // since the server does not support watch-lists
	once    bool      // until a list is complete, which may work where a watch-list does not
	refused int       // watch-lists in a row
}

// active reports whether the next request is a list.
func (b *bypass) active(now time.Time) bool { return b.once || !now.After(b.until) }

// unsupported notes that the server does not support watch-lists.
func (b *bypass) unsupported(now time.Time) { b.until = now.Add(bypassFor) }

// refuse notes that a watch-list was refused for now. If that goes on, the next request is a list.
func (b *bypass) refuse() {
	b.refused++
	b.once = b.refused >= refusedMost
}

// listed notes that a list is complete, or that it was refused as well.
func (b *bypass) listed() { b.once, b.refused = false, 0 }
