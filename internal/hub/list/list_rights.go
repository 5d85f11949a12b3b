package list

import (
	"slices"
	"time"

	"watchglass/internal/informer"
)

// rights records when it was last asked what the user may list, and in which namespaces.
type rights struct {
	asking bool
	of     []string
	at     time.Time
}

const (
	// rightsFor is how long an answer is used for a user who sees nothing, and rightsPatient
	// for one who sees something.
	rightsFor     = time.Minute
	rightsPatient = 10 * time.Minute
)

// review asks what the user may list, while something is denied.
func (l *List) review(now time.Time) {
	denied := l.state == informer.Denied
	limited := l.wide != nil || l.shown != nil && l.shown.local != nil && l.shown.local.Namespaces() != ""
	if l.rights.asking || !limited && !denied {
		return
	}
	w := l.cluster.Client.Link().Welcome
	of, serves := l.memory.named(l.query.Namespaces, w), rightsPatient
	if denied {
		serves = rightsFor
	}
	if slices.Equal(of, l.rights.of) && now.Sub(l.rights.at) < serves {
		return
	}
	l.rights = rights{asking: true, of: of, at: now}
	narrow := w == nil || w.Narrow // to one namespace
	ctx := l.cluster.Ctx
	l.cluster.Start(func() {
		found := l.cluster.ReadRights(ctx, of, narrow)
		l.cluster.Post(ctx, func() {
			l.rights.asking = false
			l.page.Send(found)
		})
	})
}
