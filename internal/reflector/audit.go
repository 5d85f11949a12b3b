package reflector

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"time"

	"watchglass/internal/wire"
)

const (
	// auditWithin is the longest that an audit waits before it begins, so that those of many
	// tabs and sources do not begin together.
	auditWithin = 2 * time.Second
	// auditTries is how often an audit that fails is tried.
	auditTries = 5
)

// audit compares the store with the server, both at the version of the store, if an outage made
// that due. Nothing else shows a server that was rewound and has overtaken the version that was
// reached. Its error says that the two differ. An audit that keeps failing is given up, and State
// says so.
func (r *Reflector[T]) audit(ctx context.Context) error {
	c := r.options.Checks
	if !r.identity.auditDue || c.Snapshot == nil || c.Stamp == nil || c.ReadStamp == nil {
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
			r.identity.auditDue = false
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
	r.identity.auditDue = false
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
			c.add(key, stamp)
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
	missing int               // from the store
	others  int               // in both, at different versions
}

// add counts an object of the list.
func (c *comparison) add(key, stamp string) {
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

// stamps returns the stamps of the stored objects by key. It yields now and then, since a tab has
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
