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

// reader opens a log and reads it to its end, into a sink. Once it is ended, or the pane is closed, it changes nothing,
// not even through calls that already wait for the loop.
type reader struct {
	host    pane.Host
	sink    sink
	request wire.Request
}

// start begins to read, and returns a function that ends it.
func (r *reader) start() (end context.CancelFunc) {
	return r.host.Go(func(ctx context.Context) func() {
		err := r.read(ctx)
		return func() {
			r.sink.onEnd(time.Now(), err)
			r.host.RequestUpdate()
		}
	})
}

// read reads until the log ends. Credit is given for what the store has.
func (r *reader) read(ctx context.Context) error {
	stream, err := r.host.Open(ctx, r.request)
	if err != nil {
		return err
	}
	defer stream.Close()
	r.host.Post(ctx, func() {
		r.sink.onOpen()
		r.host.RequestUpdate()
	})
	for {
		batch, err := stream.Next(ctx)
		if err != nil {
			return err
		}
		stored := make(chan struct{})
		r.host.Post(ctx, func() {
			r.sink.store(batch)
			r.host.RequestUpdate()
			close(stored)
		})
		select {
		case <-stored:
			stream.Credit(batch.Bytes)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
