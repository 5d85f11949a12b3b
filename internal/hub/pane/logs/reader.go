package logs

import (
	"context"
	"time"

	"watchglass/internal/hub/pane"
	"watchglass/internal/wire"
)

// sink receives what a reader reads. Its methods are called on the loop.
type sink interface {
	// onOpen notes that the log is open. The first line may take long to arrive.
	onOpen()
	// store keeps a batch, which is credited once store returns.
	store(batch wire.Batch)
	// onEnd handles the end of the log; io.EOF is a clean one.
	onEnd(now time.Time, err error)
}

// reader opens a log and reads it to its end, into a sink. Its context ends with the pane, or
// earlier when the stream is closed. After that it changes nothing, not even through calls
// that already wait for the loop.
type reader struct {
	host    pane.Host
	sink    sink
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
		return r.unlessEnded(func() { r.sink.onEnd(time.Now(), err) })
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
	r.host.Post(r.ctx, r.unlessEnded(r.sink.onOpen))
	for {
		batch, err := stream.Next(r.ctx)
		if err != nil {
			return err
		}
		stored := make(chan struct{})
		r.host.Post(r.ctx, r.unlessEnded(func() {
			r.sink.store(batch)
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
