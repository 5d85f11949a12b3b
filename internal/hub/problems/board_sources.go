package problems

import (
	"slices"
	"time"

	"watchglass/internal/hub/source"
	"watchglass/internal/informer"
	"watchglass/internal/object"
	"watchglass/internal/port"
)

// openSources leases the lists that the rules read and that are not leased: those of kinds that the
// server turned out to have, and those of single namespaces where the whole cluster may not be
// listed. It releases those of kinds and namespaces that are not wanted any more.
func (b *Board) openSources(now time.Time) {
	resources, left := b.resources(), mostNarrow
	for _, f := range b.feeds() {
		if !slices.Contains(resources, f.resource) {
			b.remove(f)
			b.drop(f, false)
		}
	}
	for _, resource := range resources {
		kind, ok := b.host.Find(resource)
		if !ok || isOwn(kind) {
			continue
		}
		wide := b.feedOf(resource, "")
		if wide == nil {
			wide = b.add(b.follow(kind, ""))
		}
		if kind.Namespaced {
			left -= b.narrow(wide, left, now)
		}
	}
}

// mostNarrow is how many lists of single namespaces are read. A connection has 256 streams, some of
// which are for the lists that the user opens. The kinds that tell most come first.
const mostNarrow = 128

// isOwn reports whether a kind is that of the rows.
func isOwn(k object.Kind) bool { return k.Group == Kind.Group && k.Resource == Kind.Resource }

// narrow reads a kind namespace by namespace for as long as the list of the whole cluster is refused. It
// returns how many namespaces it reads, which are at most a number.
func (b *Board) narrow(wide *feed, most int, now time.Time) int {
	var want []string
	status := b.statusOf(wide, now)
	if refused(status) {
		want = b.wanted()
		want = want[:min(len(want), most)]
	}
	for _, f := range b.feeds() {
		if f.resource == wide.resource && f != wide && !slices.Contains(want, f.namespace) {
			b.remove(f)
			b.drop(f, status.State.Synced && !status.Refused())
		}
	}
	for _, namespace := range want {
		if b.feedOf(wide.resource, namespace) == nil {
			b.add(b.follow(wide.kind, namespace))
		}
	}
	return len(want)
}

// feeds returns the lists that are leased.
func (b *Board) feeds() []*feed {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.sources)
}

func (b *Board) feedOf(resource, namespace string) *feed {
	for _, f := range b.feeds() {
		if f.resource == resource && f.namespace == namespace {
			return f
		}
	}
	return nil
}

// wanted returns the namespaces that any page names.
func (b *Board) wanted() (all []string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, names := range b.namespaces {
		all = append(all, names...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// add keeps a list until the stream is closed, or releases it if that has happened.
func (b *Board) add(f *feed) *feed {
	b.mu.Lock()
	open := b.open
	if open {
		b.sources = append(b.sources, f)
	} else {
		f.closed = true
	}
	b.mu.Unlock()
	if !open {
		f.Unsubscribe(f.sub)
		f.Release()
	}
	return f
}

func (b *Board) remove(f *feed) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.sources = slices.DeleteFunc(b.sources, func(other *feed) bool { return other == f })
}

func (b *Board) statusOf(f *feed, now time.Time) source.Status {
	return source.StatusOf(f.Lease, b.host.Link(), now)
}

// Statuses returns the states of the lists that the rows rest on: syncing, until all are leased and
// complete, and what they hold is in the rows. If a kind cannot be read, the rows are still true of the
// others: such lists are left out unless there is nothing else.
func (b *Board) Statuses(now time.Time) []source.Status {
	if !b.isComplete() {
		return []source.Status{{Fresh: informer.Syncing}}
	}
	feeds := b.feeds()
	all := make([]source.Status, 0, len(feeds)+1)
	failing := 0
	for _, f := range feeds {
		s := b.statusOf(f, now)
		if all = append(all, s); s.Failing() {
			failing++
		}
	}
	if failing == len(all) {
		return all
	}
	readable := slices.DeleteFunc(all, source.Status.Failing)
	if !b.settle(readable) {
		readable = append(readable, source.Status{Fresh: informer.Syncing})
	}
	return readable
}

// settle reports whether the rows are those of the lists: always, once all lists with these states
// were complete and read at the same time.
func (b *Board) settle(states []source.Status) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	coming := func(s source.Status) bool { return s.Fresh == informer.Connecting || s.Fresh == informer.Syncing }
	b.settled = b.settled || !b.unread && !slices.ContainsFunc(states, coming)
	return b.settled
}

func (b *Board) isComplete() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.complete
}

// worst orders the states, worst first.
var worst = []informer.Freshness{informer.Denied, informer.Gone, informer.Offline, informer.Stale, informer.Connecting, informer.Syncing, port.Partial, informer.Live}
