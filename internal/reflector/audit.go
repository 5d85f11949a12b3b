package reflector

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"time"

	"watchglass/internal/wire"
)

const (
	// auditWithin is the maximum delay of an audit. The delay is random, so that those of many
	// tabs and sources do not start together.
	auditWithin = 2 * time.Second
	// auditTries is how often an audit that fails is tried.
	auditTries = 5
	// healMost is how many audits in a row may request a new list. If the store still differs after
	// that many, another list would not help.
	healMost = 3
)

// Audit requests one comparison of the store with the server, during the current or the next watch. After a
// difference, the source lists again. State has the result. Audit may be called at any time.
func (r *Reflector[T]) Audit() {
	select {
	case r.audits <- struct{}{}:
	default:
	}
}

// Auditable reports whether Audit can compare anything.
func (r *Reflector[T]) Auditable() bool {
	c := r.options.Checks
	return c.Snapshot != nil && c.Stamp != nil && c.ReadStamp != nil
}

// errInexact means that the server answers with another version than the requested one.
var errInexact = errors.New("the server does not support lists at an exact version")

// awaitAudit waits for a call of Audit, and makes the comparison. It returns only a difference, which a new
// list repairs. Other errors are left to the next call.
func (r *Reflector[T]) awaitAudit(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return nil
	case <-r.audits:
	}
	if !r.Auditable() {
		return nil
	}
	err := r.auditOnce(ctx)
	if ctx.Err() != nil {
		r.Audit() // during the next watch
		return nil
	}
	differs := errors.As(err, new(difference))
	if differs {
		r.drifted++
		r.differed()
	} else if err == nil {
		r.drifted = 0
	}
	r.change(func(s *State) {
		s.Unaudited = err
		if differs {
			s.Differences++
		}
		if differs || err == nil {
			s.audited()
		}
	})
	if !differs || r.drifted > healMost {
		return nil
	}
	return err
}

// differed reports a difference.
func (r *Reflector[T]) differed() {
	if report := r.options.Checks.Differed; report != nil {
		report()
	}
}

// audited notes that a comparison was completed.
func (s *State) audited() { s.Audits, s.Audited = s.Audits+1, time.Now() }

// audit compares the store with the server, both at the version of the store, if an outage made
// that due. Nothing else shows a server that was rewound and has overtaken the version that was
// reached. Its error says that the two differ. An audit that keeps failing is given up, and State
// says so.
func (r *Reflector[T]) audit(ctx context.Context) error {
	if !r.identity.auditDue || !r.Auditable() {
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
			r.change((*State).audited)
		case errors.As(err, new(difference)):
			err = fmt.Errorf("%w: %w", errDiffers, err)
			r.differed()
		case status != nil && status.VersionTooLarge() && try > 0: // once may be a replica that is behind
			err = errRewound
		}
		r.change(func(s *State) { s.Unaudited = err })
		if err == nil || isAnother(err) {
			r.identity.auditDue = false
			return err
		}
		delay = wait.next(r.options.Backoff, r.options.Backoff.Most, time.Now())
		if errors.Is(err, errInexact) || errors.Is(err, errUnnamed) {
			break
		}
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

// auditOnce makes one comparison. It lists the metadata in pages, so that neither side has to hold
// the whole list.
func (r *Reflector[T]) auditOnce(ctx context.Context) error {
	c, err := r.newComparison(ctx)
	if err != nil {
		return err
	}
	o := wire.ListOptions{ResourceVersion: c.version, ResourceVersionMatch: "Exact", Limit: pageSize}
	for {
		meta, err := r.auditPage(ctx, c, o)
		switch {
		case err != nil:
			return err
		case meta.ResourceVersion != c.version:
			return errInexact
		case meta.Continue == "":
			return c.result()
		}
		o = nextPage(o, meta.Continue)
	}
}

// auditPage compares one page of metadata.
func (r *Reflector[T]) auditPage(ctx context.Context, c *comparison, o wire.ListOptions) (meta wire.ListMeta, err error) {
	request := r.request(wire.List, o)
	request.Encoding = wire.EncodingMetadata
	stream, err := r.options.Source.Open(ctx, request)
	if err != nil {
		return meta, err
	}
	defer stream.Close()
	err = r.items(ctx, stream, func(e wire.Event) error {
		switch e.Type {
		case wire.Item:
			key, stamp, err := r.options.Checks.ReadStamp(e.Payload)
			c.add(key, stamp)
			return err
		case wire.ListEnd:
			return json.Unmarshal(e.Payload, &meta)
		case wire.Error:
			return statusOf(e.Payload)
		}
		return nil
	}, func(s Stream, b wire.Batch) { s.Credit(b.Bytes) })
	return meta, err
}

// newComparison takes a snapshot of the store. It yields now and then, since a tab has one thread.
func (r *Reflector[T]) newComparison(ctx context.Context) (*comparison, error) {
	before := r.unreadNow()
	objects, version, err := r.options.Checks.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	c := newComparison(version, len(objects))
	c.skip(before)
	c.skip(r.unreadNow()) // what became readable, or no longer is, while the snapshot was taken
	for i, obj := range objects {
		c.store(r.options.Key(obj), r.options.Checks.Stamp(obj))
		if i%1024 == 1023 {
			runtime.Gosched()
			if err := ctx.Err(); err != nil {
				return nil, err
			}
		}
	}
	return c, nil
}
