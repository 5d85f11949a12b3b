package reflector

import (
	"context"
	"iter"
	"time"

	"watchglass/internal/wire"
)

// Earlier is the saved result of an earlier run.
type Earlier[T any] struct {
	// Objects yields every object at Version. After an error, the reflector lists as usual.
	Objects iter.Seq2[T, error]
	Version string
	At      time.Time // when the server last had them
	Cluster string    // unique name of their cluster; "" if unknown
	Tally   Tally     // of that run
}

// restore fills the sink from an earlier run, and resumes the watch from its version. State.AsOf is set
// until that watch opens. Nothing of the watch is read before the server has said which version and which
// cluster it has, since this run has not met it yet. If the version has expired, or the server is another
// one or was rewound, it lists.
func (r *Reflector[T]) restore(ctx context.Context) runState {
	r.restored = true
	earlier, ok := r.options.Earlier(ctx)
	if !ok || ctx.Err() != nil {
		return starting{}
	}
	r.change(func(s *State) { s.AsOf, s.Restored, s.Cluster = earlier.At, true, earlier.Cluster })
	c := r.collect()
	c.asOf = earlier.At
	for obj, err := range earlier.Objects {
		if err != nil || ctx.Err() != nil {
			if c.objects == 0 { // else those that were read stay marked as saved, and go if the list is refused
				r.change(func(s *State) { s.AsOf = time.Time{} })
			}
			return starting{}
		}
		c.add(wire.Added, obj)
	}
	c.done(earlier.Version)
	r.recount(earlier.Tally)
	r.lastList.unfollowed = false // that the user may list is yet to be seen
	r.contact.seen = earlier.At
	r.contact.raise(broken)
	r.identity = identity{asked: earlier.Cluster != "", cluster: earlier.Cluster}
	return opening{watches{opened: 1}}
}

// unconfirmed reports whether the objects are those of an earlier run, to which this server has not
// answered yet.
func (r *Reflector[T]) unconfirmed() bool { return !r.State().AsOf.IsZero() }
