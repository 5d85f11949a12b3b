package reflector

import (
	"context"
	"iter"
	"time"

	"watchglass/internal/wire"
)

// Earlier is what an earlier run handed over.
type Earlier[T any] struct {
	// Objects are all that the source had at a version. An error ends them: then a list follows, as
	// if nothing were known.
	Objects iter.Seq2[T, error]
	Version string
	At      time.Time // when they were the server's
	Cluster string    // that they are of; "" if nobody could say
}

// restore hands over what an earlier run left behind. The sink is populated with it, State says as of
// when it is, and it is followed as after an interruption: a server that does not have its version
// any more, that is another one, or that was rewound since, is listed again.
func (r *Reflector[T]) restore(ctx context.Context) runState {
	r.restored = true
	earlier, ok := r.options.Earlier(ctx)
	if !ok || ctx.Err() != nil {
		return starting{}
	}
	r.change(func(s *State) { s.AsOf = earlier.At })
	c := r.collect()
	c.asOf = earlier.At
	for obj, err := range earlier.Objects {
		if err != nil || ctx.Err() != nil {
			r.change(func(s *State) { s.AsOf = time.Time{} })
			return starting{}
		}
		c.add(wire.Added, obj)
	}
	c.done(earlier.Version)
	r.contact.seen = earlier.At
	r.identity = identity{asked: earlier.Cluster != "", cluster: earlier.Cluster}
	return opening{watches{opened: 1}}
}
