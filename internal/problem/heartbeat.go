package problem

// heartbeats are when kubelets last reported. A node whose heartbeat is far behind that of others is
// silent, whatever its conditions say: nobody has updated them. The clock of this computer matters only
// for heartbeats that are ahead of it: a node whose clock is fast makes no other silent.
type heartbeats struct {
	last            map[*record]int64
	newest, checked int64
}

// maySkip is how far the heartbeat of a node may be behind the newest, in seconds: a kubelet reports at
// least every five minutes.
const (
	maySkip    = 20 * 60
	checkBeats = 60
)

// noteBeat notes when a node's kubelet last reported, and looks for those that did not. In a recording that is not known:
// one node's last change may be its heartbeat, and another's not.
func (e *Engine) noteBeat(r *record) {
	at := r.kind.reader.Heartbeat(r.Object)
	if at == 0 || e.options.Recorded {
		return
	}
	b := &e.beats
	at = min(at, r.applied)
	b.last[r], b.newest = at, max(b.newest, at)
	if r.Silent = b.newest-at > maySkip; b.newest < b.checked+checkBeats {
		return
	}
	b.checked = b.newest
	for r, at := range b.last {
		if silent := b.newest-at > maySkip; silent != r.Silent {
			r.Silent = silent
			e.place(r)
			e.markDirty(r)
		}
	}
}
