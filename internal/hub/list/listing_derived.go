package list

import (
	"slices"
	"strings"
	"time"

	"watchglass/internal/hub/source"
	"watchglass/internal/hub/sums"
	"watchglass/internal/informer"
	"watchglass/internal/object"
	"watchglass/internal/view"
)

// deriver computes some of the derived columns of a listing, from other lists. It has them open only
// while such a column is shown, sorted by or filtered by.
type deriver interface {
	// computes reports whether the derived column of a number is one of its own.
	computes(number int) bool
	// open makes what computes the cells.
	open() view.Joiner
	// step opens and closes lists as they are needed. It returns what is missing of them, whether all
	// cells have changed, and otherwise the keys of the objects whose cells have.
	step(now time.Time) (gap view.Gap, all bool, touched []string)
	// close releases the lists with the given function.
	close(release func(*source.Lease))
}

// derivation is a deriver of a listing.
type derivation struct {
	deriver
	first  int         // its first column
	joined view.Joiner // nil: it is closed
}

// newDerived returns what computes the derived columns of a listing's kind.
func newDerived(l *listing) (all []*derivation) {
	id := l.kind.ID()
	if sums.Of(id) {
		all = append(all, &derivation{deriver: &podSums{listing: l}})
	}
	if sums.MetricsOf(id) != "" {
		all = append(all, &derivation{deriver: &usage{listing: l}, first: sums.FirstUsage})
	}
	if sums.HasEndpoints(id) {
		all = append(all, &derivation{deriver: &endpoints{listing: l}})
	}
	return all
}

// derive brings the derived columns up to date.
func (l *listing) derive(now time.Time) {
	if !l.opened() || len(l.derived) == 0 {
		return
	}
	missing, anew := make(map[int]view.Gap), false
	for _, d := range l.derived {
		if !l.view.Derives(d.computes) {
			anew = d.end((*source.Lease).Release) || anew
			continue
		}
		if d.joined == nil {
			d.joined, anew = d.open(), true
		}
		gap, all, touched := d.step(now)
		if anew = anew || all; !all {
			l.view.Touch(touched...)
		}
		for i := range sums.All {
			if gap.State != "" && d.computes(i) {
				missing[i] = gap
			}
		}
	}
	if anew {
		l.rejoin()
	}
	l.view.SetGaps(missing)
}

// end releases the lists with the given function, and reports whether there were any.
func (d *derivation) end(release func(*source.Lease)) bool {
	if d.joined == nil {
		return false
	}
	d.close(release)
	d.joined = nil
	return true
}

// closeDerived releases the lists of all derived columns with the given function.
func (l *listing) closeDerived(release func(*source.Lease)) {
	for _, d := range l.derived {
		d.end(release)
	}
}

// joins are the open ones of a listing.
type joins []derivation

// Cells returns the derived cells of an object.
func (j joins) Cells(o *object.Object) (cells []object.Cell) {
	for _, d := range j {
		cells = append(slices.Grow(cells, sums.All)[:d.first], d.joined.Cells(o)...)
	}
	return cells
}

// rejoin has the view compute all derived cells again.
func (l *listing) rejoin() {
	var all joins
	for _, d := range l.derived {
		if d.joined != nil {
			all = append(all, *d)
		}
	}
	if all == nil {
		l.view.Join(nil)
	} else {
		l.view.Join(all)
	}
}

// subscribe gives begin what a source of derived cells holds, and apply each later change.
func (l *listing) subscribe(lease *source.Lease, begin, apply func([]sums.Change)) *informer.Subscription[*object.Object] {
	objects, sub := lease.Subscribe(func(changes []informer.Change[*object.Object]) {
		out := make([]sums.Change, len(changes))
		for i, c := range changes {
			out[i] = sums.Change{Before: c.Before, After: c.After}
		}
		apply(out)
		l.cluster.RequestStep()
	})
	first := make([]sums.Change, len(objects))
	for i, o := range objects {
		first[i].After = o
	}
	begin(first)
	return sub
}

// gapOf returns what is missing of a list: nothing if it is live, or as current as polling allows, and all of it can be
// read.
func gapOf(kind string, s source.Status) view.Gap {
	switch s.Verdict() {
	case source.Live, source.Polled:
		return view.Gap{}
	case source.Unread:
		return view.Gap{Resource: kind, State: view.Unread, Unread: s.State.Unread}
	}
	return view.Gap{Resource: kind, State: s.Lacks(), Cause: s.Why()}
}

// refusals are the namespaces whose lists are refused while those of others may not be.
type refusals struct {
	in    []string
	first view.Gap
}

// has reports whether the list of a namespace is refused, and notes it with its gap.
func (r *refusals) has(namespace string, gap view.Gap, s source.Status) bool {
	if !s.Refused() {
		return false
	}
	if r.in == nil {
		r.first = gap
	}
	r.in = append(r.in, namespace)
	return true
}

// gap returns what is missing of so many lists. If some are not refused, it names those that are.
func (r *refusals) gap(of int) view.Gap {
	gap := r.first
	if len(r.in) < of {
		gap.Only = strings.Join(r.in, ",")
	}
	return gap
}

// worse returns the gap that says more about what is missing.
func worse(a, b view.Gap) view.Gap {
	if a.State == "" || b.State != "" && gapRank(b) < gapRank(a) {
		return b
	}
	return a
}

// gapRank orders gaps, the worst first. What is still coming is the best.
func gapRank(g view.Gap) int {
	if g.State == view.Partial || g.State == string(informer.Throttled) || g.State == view.Unread || g.State == string(informer.Connecting) && g.Cause != "" {
		return source.Rank(informer.Stale)
	}
	return source.Rank(g.State)
}
