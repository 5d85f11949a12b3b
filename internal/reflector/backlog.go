package reflector

import (
	"errors"
	"time"
)

// A watch that is resumed brings first what happened meanwhile. While that is coming, the
// objects are older than the answer of the server, and the source is not live. This ends with the
// version that the server had when it was verified. A kind in which nothing happens does not
// reach that version, so it also ends when nothing more comes.

// backlogPause is how long nothing comes once the backlog is read.
const backlogPause = 150 * time.Millisecond

// errBacklogRead ends the wait for more of a backlog.
var errBacklogRead = errors.New("the backlog is read")

// behind reports whether the backlog of a resumed watch is not known to be read.
func (w *watching) behind() bool { return w.newest != "" }

// catchUp makes the source live once the version is reached that the server had.
func (r *Reflector[T]) catchUp(w *watching) {
	if w.behind() && !older(r.position.version, w.newest) {
		r.caughtUp(w)
	}
}

func (r *Reflector[T]) caughtUp(w *watching) {
	w.newest = ""
	r.setPhase(Watching)
}
