package reflector

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"time"

	"watchglass/internal/wire"
)

// beside is what is done beside a watch that is open. It belongs to the goroutine
// that does it while there is one, and else to the one that runs.
type beside struct {
	learn   bool   // the name of the cluster that the list came from
	cluster string // that name
	audit   bool   // compare the store with the server
}

// attend does what is to be done beside a watch. The context it returns ends with
// the reason for which the watch has to; stop waits for what was begun.
func (r *Reflector[T]) attend(ctx context.Context) (attended context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	var running sync.WaitGroup
	if r.beside.learn || r.beside.audit {
		running.Go(func() {
			r.learn(ctx)
			if err := r.audit(ctx); err != nil && ctx.Err() == nil {
				cancel(err)
			}
		})
	}
	return ctx, func() { cancel(nil); running.Wait() }
}

// learn asks which cluster the list came from, once.
func (r *Reflector[T]) learn(ctx context.Context) {
	if !r.beside.learn {
		return
	}
	name, err := r.cluster(ctx)
	if ctx.Err() == nil && !mayYet(err) { // else with the next watch
		r.beside.learn, r.beside.cluster = false, name
	}
}

const (
	// auditWithin is when an audit begins at the latest: those of many tabs and
	// sources do not begin together.
	auditWithin = 2 * time.Second
	// auditTries is how often an audit that does not come through is tried.
	auditTries = 5
)

// audit compares the store with what the server has at the very version that the
// store is of, once there was an outage: a history that has meanwhile overtaken
// the one that was reached shows in nothing else. Its error is that they differ;
// what does not come through is given up, and State says so.
func (r *Reflector[T]) audit(ctx context.Context) error {
	c := r.options.Checks
	if !r.beside.audit || c.Snapshot == nil || c.Stamp == nil || c.ReadStamp == nil {
		return nil
	}
	var wait backoff
	delay := rand.N(auditWithin)
	for try := range auditTries {
		sleep(ctx, delay, nil)
		err := r.auditOnce(ctx)
		status := wire.StatusOf(err)
		switch {
		case ctx.Err() != nil:
			return nil // the next watch begins it again
		case err == nil:
			r.change(func(s *State) { s.Audits++ })
		case status != nil && status.VersionTooLarge() && try > 0: // once may be a replica that is behind
			err = errRewound
		}
		r.change(func(s *State) { s.Unaudited = err })
		if err == nil || isAnother(err) {
			r.beside.audit = false
			return err
		}
		delay = wait.next(r.options.Backoff, r.options.Backoff.Most, time.Now())
		if status != nil {
			if status.Unsupported() || status.Denied() {
				break
			}
			delay = max(delay, status.Wait())
		}
	}
	r.beside.audit = false
	return nil
}

// auditOnce makes one comparison.
func (r *Reflector[T]) auditOnce(ctx context.Context) error {
	objects, version, err := r.options.Checks.Snapshot(ctx)
	if err != nil {
		return err
	}
	stored, err := r.stamps(ctx, objects)
	if err != nil {
		return err
	}
	request := r.request(wire.List, wire.ListOptions{ResourceVersion: version, ResourceVersionMatch: "Exact"})
	request.Encoding = wire.EncodingMetadata
	stream, err := r.options.Source.Open(ctx, request)
	if err != nil {
		return err
	}
	defer stream.Close()
	c := comparison{stored: stored, version: version}
	err = r.items(ctx, stream, func(e wire.Event) error {
		switch e.Type {
		case wire.Item:
			key, stamp, err := r.options.Checks.ReadStamp(e.Payload)
			c.take(key, stamp)
			return err
		case wire.Error:
			return statusOf(e.Payload)
		}
		return nil
	}, func(s Stream, b wire.Batch) { s.Credit(b.Bytes) })
	if err != nil {
		return err
	}
	return c.result(r.State().Unread)
}

// comparison counts how a list differs from a store at its version.
type comparison struct {
	version string
	stored  map[string]string // key → stamp, of what the list has not had yet
	missing int               // the list has, and the store has not
	others  int               // both have, at different versions
}

func (c *comparison) take(key, stamp string) {
	switch was, ok := c.stored[key]; {
	case !ok:
		c.missing++
	case was != stamp:
		c.others++
	}
	delete(c.stored, key)
}

// result is an error if they differ by more than the objects that could not be read.
func (c *comparison) result(unread int) error {
	if c.missing <= unread && c.others == 0 && len(c.stored) == 0 {
		return nil
	}
	return fmt.Errorf("%w: of what it has at %s, %d are missing, %d are others, %d are too many", errDiffers, c.version, c.missing, c.others, len(c.stored))
}

// stamps lays out what is stored. It lets others have their turn, where there is
// one thread.
func (r *Reflector[T]) stamps(ctx context.Context, objects []T) (map[string]string, error) {
	stored := make(map[string]string, len(objects))
	for i, obj := range objects {
		stored[r.options.Key(obj)] = r.options.Checks.Stamp(obj)
		if i%1024 == 1023 {
			runtime.Gosched()
			if err := ctx.Err(); err != nil {
				return nil, err
			}
		}
	}
	return stored, nil
}
