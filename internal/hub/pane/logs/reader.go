package logs

import (
	"context"
	"time"

	"watchglass/internal/hub/pane"
	"watchglass/internal/wire"
)

// reader opens a log and reads it to its end, for a stream. Its context ends with the pane,
// or earlier when the stream is closed. After that it changes nothing, not even through calls
// that already wait for the loop.
type reader struct {
	host    pane.Host
	stream  *stream
	request wire.Request
	ctx     context.Context
}

// start begins to read, and returns a function that ends it.
func (r *reader) start() context.CancelFunc {
	ctx, cancel := context.WithCancel(context.Background())
	r.ctx = ctx
	r.host.Go(func(within context.Context) func() {
		defer context.AfterFunc(within, cancel)()
		err := r.read()
		return r.unlessEnded(func() { r.stream.onEnd(time.Now(), err) })
	})
	return cancel
}

// unlessEnded returns a function for the loop that runs f, unless the stream is closed by
// then.
func (r *reader) unlessEnded(f func()) func() {
	return func() {
		if r.ctx.Err() == nil {
			f()
			r.host.Stir()
		}
	}
}

// read reads until the log ends. Credit is given for what the store has.
func (r *reader) read() error {
	stream, err := r.host.Open(r.ctx, r.request)
	if err != nil {
		return err
	}
	defer stream.Close()
	r.host.Post(r.ctx, r.unlessEnded(r.stream.onOpen)) // the first line may take long
	for {
		batch, err := stream.Next(r.ctx)
		if err != nil {
			return err
		}
		stored := make(chan struct{})
		r.host.Post(r.ctx, r.unlessEnded(func() {
			r.stream.store(batch)
			close(stored)
		}))
		select {
		case <-stored:
			stream.Credit(batch.Bytes)
		case <-r.ctx.Done():
			return r.ctx.Err()
		}
	}
}
