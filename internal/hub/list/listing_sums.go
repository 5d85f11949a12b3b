package list

import (
	"time"

	"watchglass/internal/hub/source"
	"watchglass/internal/hub/sums"
	"watchglass/internal/informer"
	"watchglass/internal/object"
	"watchglass/internal/view"
)

// podSums computes the columns of nodes and of namespaces with sums of their pods.
type podSums struct {
	listing *listing
	part    // the pods; no Lease: the proxy serves only some
	sums    *sums.Sums
}

func (*podSums) computes(number int) bool { return sums.IsSum(number) }

// open leases the pods, unless the proxy serves only some of them.
func (s *podSums) open() view.Joiner {
	l := s.listing
	kind, _ := object.Builtin("pods")
	l.cluster.Kinds.Print(&kind)
	if l.cluster.Scope() != "" {
		s.part, s.sums = part{}, sums.New(l.kind.ID(), &l.cluster.Codes, nil)
		return s.sums
	}
	s.Lease = l.cluster.Lease(kind, "", nil)
	s.sums = sums.New(l.kind.ID(), &l.cluster.Codes, s.Decoder().(*object.Decoder).Columns())
	s.sub = l.subscribe(s.Lease, s.sums.Begin, s.sums.Apply)
	return s.sums
}

func (s *podSums) close(release func(*source.Lease)) {
	if s.Lease != nil {
		s.Unsubscribe(s.sub)
		release(s.Lease)
	}
}

// addAtOnce is how many pods are added up in one step of the loop.
const addAtOnce = 4000

func (s *podSums) step(now time.Time) (gap view.Gap, all bool, touched []string) {
	cluster := s.listing.cluster
	if s.Lease == nil {
		return view.Gap{Resource: "pods", State: view.Partial, Only: cluster.Scope()}, s.sums.Set(sums.Denied), nil
	}
	status := source.StatusOf(s.Lease, cluster.Link(), now)
	more, state := s.sums.Work(addAtOnce), sums.Ready
	gap = gapOf("pods", status)
	switch {
	case status.Refused():
		state = sums.Denied
	case status.Verdict() < source.Old:
		state = sums.Loading
	case more:
		state, gap = sums.Loading, worse(gap, view.Gap{Resource: "pods", State: string(informer.Syncing)})
	}
	if more {
		cluster.RequestStep()
	}
	touched = s.sums.Touched()
	all = s.sums.Set(state)
	if state != sums.Ready {
		touched = nil // their cells are the same
	}
	return gap, all, touched
}
