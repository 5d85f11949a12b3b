package reflector

import (
	"context"

	"watchglass/internal/wire"
)

// openStream requests a list or a watch. While it waits in the proxy, State says how many are before it.
func (r *Reflector[T]) openStream(ctx context.Context, verb wire.Verb, o wire.ListOptions) (Stream, error) {
	before, told := r.State().Err, false
	waiting := wire.OnQueued(ctx, func(ahead int) {
		told = true
		r.change(func(s *State) { s.Err = wire.QueuedStatus(ahead) })
	})
	stream, err := r.options.Source.Open(waiting, r.request(verb, o))
	if told && err == nil {
		r.change(func(s *State) { s.Err = before })
	}
	return stream, err
}
