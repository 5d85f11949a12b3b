package reflector

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"math/rand/v2"
	"runtime"
	"time"

	"watchglass/internal/wire"
)

// background is the work that is done beside an open watch. Its context ends with the watch, or
// with the error for which the watch has to end.
type background struct {
	context.Context
	cancel  context.CancelCauseFunc
	checked chan struct{} // closed when no check is due any more
	done    chan struct{} // closed when it has ended
}

// startBackground starts the checks that are due beside a watch, and then those that Audit requests. The store is
// not compared while it lacks the backlog, which would only come later.
func (r *Reflector[T]) startBackground(ctx context.Context, before *backlog) background {
	ctx, cancel := context.WithCancelCause(ctx)
	b := background{ctx, cancel, make(chan struct{}), make(chan struct{})}
	go func() {
		defer close(b.done)
		r.identifyCluster(ctx)
		before.await(ctx)
		err := r.audit(ctx)
		close(b.checked)
		for err == nil && ctx.Err() == nil {
			err = r.awaitAudit(ctx)
		}
		if ctx.Err() == nil {
			cancel(err)
		}
	}()
	return b
}

// stop stops the background and waits for its end.
func (b background) stop() {
	b.cancel(nil)
	<-b.done
}

// awaitChecks waits for the checks after a watch whose events came only with its end. It returns the
// reason to list again, if they found one.
func (b background) awaitChecks(within time.Duration) error {
	timer := time.NewTimer(within)
	defer timer.Stop()
	select {
	case <-b.checked:
	case <-timer.C:
	case <-b.Done():
	}
	if err := context.Cause(b); requiresList(err) {
		return err
	}
	return nil
}

const (
	// maxAuditDelay is the maximum delay of an audit. The delay is random, so that those of many
	// tabs and sources do not start together.
	maxAuditDelay = 2 * time.Second
	// maxAuditTries is how often an audit that fails is tried.
	maxAuditTries = 5
	// maxAuditLists is how many audits in a row may request a new list. If the store still differs after
	// that many, another list would not help.
	maxAuditLists = 3
)

// Audit requests one comparison of the store with the server, during the current or the next watch. After a
// difference, the source lists again. State has the result. Audit may be called at any time.
func (r *Reflector[T]) Audit() {
	select {
	case r.audits <- struct{}{}:
	default:
	}
}

// auditable reports whether Audit can compare anything.
func (r *Reflector[T]) auditable() bool {
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
	if !r.auditable() {
		return nil
	}
	err := r.auditOnce(ctx)
	if ctx.Err() != nil {
		r.Audit() // during the next watch
		return nil
	}
	differs := errors.As(err, new(difference))
	if differs {
		r.differences++
		r.options.Checks.Differed()
	} else if err == nil {
		r.differences = 0
	}
	r.change(func(s *State) {
		s.Unaudited = err
		if differs {
			s.Differences++
		}
		if differs || err == nil {
			s.noteAudit()
		}
	})
	if !differs || r.differences > maxAuditLists {
		return nil
	}
	return err
}

// noteAudit notes that a comparison was completed.
func (s *State) noteAudit() { s.Audits, s.Audited = s.Audits+1, time.Now() }

// audit compares the store with the server, both at the version of the store, if an outage made
// that due. Nothing else shows a server that was rewound and has overtaken the version that was
// reached. Its error says that the two differ. An audit that keeps failing is given up, and State
// says so.
func (r *Reflector[T]) audit(ctx context.Context) error {
	if !r.identity.auditDue || !r.auditable() {
		return nil
	}
	var wait backoff
	delay := rand.N(maxAuditDelay)
	for try := range maxAuditTries {
		sleep(ctx, delay, nil)
		err := r.auditOnce(ctx)
		status := wire.StatusOf(err)
		switch {
		case ctx.Err() != nil:
			return nil // the next watch begins it again
		case err == nil:
			r.change((*State).noteAudit)
		case errors.As(err, new(difference)):
			err = fmt.Errorf("%w: %w", errOtherHistory, err)
			r.options.Checks.Differed()
		case status != nil && status.VersionTooLarge() && try > 0: // once may be a replica that is behind
			err = errRewound
		}
		r.change(func(s *State) { s.Unaudited = err })
		if err == nil || isHistoryError(err) {
			r.identity.auditDue = false
			return err
		}
		delay = wait.next(mostWait, time.Now())
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
		request := r.request(wire.List, o)
		request.Encoding = wire.EncodingMetadata
		meta, err := r.readPage(ctx, request, func(payload []byte) error {
			key, stamp, err := r.options.Checks.ReadStamp(payload)
			c.addListed(key, stamp)
			return err
		})
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

// newComparison takes a snapshot of the store. It yields now and then, since a tab has one thread.
func (r *Reflector[T]) newComparison(ctx context.Context) (*comparison, error) {
	before := r.currentUnread()
	objects, version, err := r.options.Checks.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	c := newComparison(version, len(objects))
	c.addUnreadable(before)
	c.addUnreadable(r.currentUnread()) // what became readable, or no longer is, while the snapshot was taken
	for i, obj := range objects {
		c.addStored(r.options.Key(obj), r.options.Checks.Stamp(obj))
		if i%1024 == 1023 {
			runtime.Gosched()
			if err := ctx.Err(); err != nil {
				return nil, err
			}
		}
	}
	return c, nil
}

// comparison finds how a list differs from a store at the store's version. For each object it keeps two
// hashes, whatever the length of its key. Their random seed prevents crafted collisions.
type comparison struct {
	version string
	seed    maphash.Seed
	objects map[uint64]entry // by the hash of the key
	unread  map[uint64]bool  // objects that could not be read, by the hash of the key: the store lacks them
	unnamed int              // further ones
}

// entry is an object of the store, of the list, or of both.
type entry struct {
	stamp          uint64 // hashed, in the store
	stored, listed bool
	differs        bool // the list has another stamp
}

func newComparison(version string, objects int) *comparison {
	return &comparison{version, maphash.MakeSeed(), make(map[uint64]entry, objects), make(map[uint64]bool), 0}
}

// addStored adds an object of the store.
func (c *comparison) addStored(key, stamp string) {
	c.objects[maphash.String(c.seed, key)] = entry{stamp: maphash.String(c.seed, stamp), stored: true}
}

// addListed adds an object of the list. The last one of a key counts.
func (c *comparison) addListed(key, stamp string) {
	hash := maphash.String(c.seed, key)
	o := c.objects[hash]
	o.listed, o.differs = true, o.stored && o.stamp != maphash.String(c.seed, stamp)
	c.objects[hash] = o
}

// addUnreadable notes the objects that could not be read.
func (c *comparison) addUnreadable(u unreadObjects) {
	for key := range u.keys {
		c.unread[maphash.String(c.seed, key)] = true
	}
	c.unnamed = max(c.unnamed, u.unnamed)
}

// result returns a difference if store and list differ by more than the unreadable objects. Where an object without a
// readable name may be the difference, it returns errUnnamed.
func (c *comparison) result() error {
	d := difference{version: c.version}
	for hash, o := range c.objects {
		switch {
		case !o.stored && c.unread[hash]:
		case !o.stored:
			d.missing++
		case !o.listed:
			d.deleted++
		case o.differs:
			d.outdated++
		}
	}
	switch n := d.missing + d.outdated + d.deleted; {
	case n == 0:
		return nil
	case n <= c.unnamed:
		return errUnnamed
	}
	return d
}

// errUnnamed is a comparison that cannot tell what is missing from what could not be read.
var errUnnamed = errors.New("objects that could not be read, and whose names could not be read either, may be the difference")

// difference is how a store differs from the server at the same version.
type difference struct {
	version                    string
	missing, outdated, deleted int // objects
}

func (d difference) Error() string {
	return fmt.Sprintf("at version %s, %d objects were missing, %d outdated, %d deleted", d.version, d.missing, d.outdated, d.deleted)
}
