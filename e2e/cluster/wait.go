package cluster

import (
	"context"
	"errors"
	"fmt"
	"time"
)

const pollInterval = 20 * time.Millisecond

// fatalError is an error after which there is nothing to wait for.
type fatalError struct{ error }

func (e fatalError) Unwrap() error { return e.error }

// fatal makes waitFor give up with err at once.
func fatal(err error) error { return fatalError{err} }

// waitFor calls cond until it returns nil. It gives up at ctx's end or at a fatal
// error, and says what it waited for and what was still wrong.
func waitFor(ctx context.Context, what string, cond func(context.Context) error) error {
	ticker := time.NewTicker(pollInterval)
	defer ticker.Stop()
	for {
		err := cond(ctx)
		if err == nil {
			return nil
		}
		if f := (fatalError{}); errors.As(err, &f) {
			return fmt.Errorf("wait for %s: %w", what, f.error)
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("wait for %s: %w (last: %w)", what, context.Cause(ctx), err)
		case <-ticker.C:
		}
	}
}
