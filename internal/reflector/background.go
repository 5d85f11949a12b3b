package reflector

import (
	"context"
	"time"
)

// identity is what is known of the server that the last list came from, and what is still to be
// checked. The background of an open watch owns it; while there is none, the run does.
type identity struct {
	asked    bool   // for the name of the cluster
	cluster  string // that name; empty if nobody could say
	auditDue bool   // the store has to be compared with the server, once
}

// background is the work that is done beside an open watch. Its context ends with the watch, or
// with the error for which the watch has to end.
type background struct {
	context.Context
	cancel  context.CancelCauseFunc
	settled chan struct{} // closed when no check is due any more
	done    chan struct{} // closed when it has ended
}

// startBackground starts the checks that are due beside a watch, and then those that Audit requests. The store is
// not compared while it lacks the backlog, which would only come later.
func (r *Reflector[T]) startBackground(ctx context.Context, before *backlog) background {
	ctx, cancel := context.WithCancelCause(ctx)
	b := background{ctx, cancel, make(chan struct{}), make(chan struct{})}
	go func() {
		defer close(b.done)
		r.learnCluster(ctx)
		before.await(ctx)
		err := r.audit(ctx)
		close(b.settled)
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

// settle waits for the checks after a watch whose events came only with its end. It returns the
// reason to list again, if they found one.
func (b background) settle(within time.Duration) error {
	timer := time.NewTimer(within)
	defer timer.Stop()
	select {
	case <-b.settled:
	case <-timer.C:
	case <-b.Done():
	}
	if err := context.Cause(b); startsAnew(err) {
		return err
	}
	return nil
}

// learnCluster asks which cluster the list came from, until that is answered or refused.
func (r *Reflector[T]) learnCluster(ctx context.Context) {
	if r.identity.asked {
		return
	}
	name, err := r.cluster(ctx)
	if ctx.Err() == nil && !mayYet(err) { // else the next watch asks again
		r.identity.asked, r.identity.cluster = true, name
	}
}
