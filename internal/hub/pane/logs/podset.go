package logs

import (
	"cmp"
	"strings"
	"time"

	"watchglass/internal/detail"
	"watchglass/internal/document"
	"watchglass/internal/hub/pane"
	"watchglass/internal/object"
	"watchglass/internal/sorting"
)

// podSet is the pods whose logs are read: the one that is open, or those of an owner.
type podSet struct {
	host       pane.Host
	kind       object.Kind
	pods       map[string]pod // by UID
	candidates *candidates
	changed    bool   // since the last refresh
	reselected bool   // since then: the owner selects other pods
	problem    string // why the object has no pods
	unknown    string // why they are not known
}

func newPodSet(h pane.Host, s pane.Subject) *podSet {
	return &podSet{host: h, kind: s.Kind, pods: make(map[string]pod), candidates: newCandidates(h, s.Name)}
}

// update applies another version of the open object: a pod, or an owner that selects pods. A
// deleted one has no pods, and its lists are released. Pods that are deleted with it are read to their end.
func (p *podSet) update(v pane.Version) {
	p.changed = true
	doc, err := v.Body()
	if p.problem = ""; err != nil {
		p.problem = err.Error()
	} else if p.single() {
		p.put(v.Object, doc)
	} else {
		p.follow(v, doc)
	}
	if v.Gone {
		p.reselected = p.reselected || !owns(p.kind) && p.count() > 0
		p.close()
	}
}

// owns reports whether the pods of an object are deleted with it.
func owns(k object.Kind) bool { return k.ID() != "services" }

// single reports whether the open object is a pod.
func (p *podSet) single() bool { return p.kind.ID() == "pods" }

// follow follows what an owner selects. Without a selector it has no pods, and its lists are released.
func (p *podSet) follow(v pane.Version, doc document.Value) {
	selector, ok := selectorOf(p.kind.ID(), doc)
	switch {
	case !ok:
		p.problem = noLogs(p.kind)
	case selector == "":
		p.problem = "It has no selector, so its pods are unknown."
		p.reselected = p.reselected || p.count() > 0
		p.close()
	case !v.Gone:
		p.candidates.followPods(v.Object.Namespace(), selector)
		if p.kind.ID() == cronJobs {
			p.candidates.followJobs(v.Object.Namespace())
		}
	}
}

// put adds or replaces a pod. If the open object is a pod, it is the only one.
func (p *podSet) put(o *object.Object, doc document.Value) {
	before := p.pods[o.UID()]
	if before.version == o.Version() {
		return
	}
	if p.single() {
		clear(p.pods)
	}
	next := podOf(o, doc)
	next.keep(before)
	p.pods[o.UID()], p.changed = next, true
}

// usual returns the container that is read of the only pod if none is named, and whether that is
// because it failed.
func (p *podSet) usual() (name string, failed bool) {
	for _, pod := range p.pods {
		if p.single() {
			name, failed = pod.usual, pod.failed
		}
	}
	return name, failed
}

// refresh applies the changes in an owner's lists. It reports whether the pods, or the reason
// why there are none, changed since the last call, and whether pods that left did so because they
// are not selected any more: these may run on.
func (p *podSet) refresh(now time.Time) (changed, reselected bool) {
	listed, other := p.candidates.refresh()
	if listed {
		p.pick()
	}
	if unknown := p.whyUnknown(now); unknown != p.unknown {
		p.unknown, p.changed = unknown, true
	}
	changed, reselected = p.changed, p.reselected || other
	p.changed, p.reselected = false, false
	return changed, reselected
}

// missed reports whether pods of an owner may have come and gone unseen, since when, and whether it said so before of a list
// that is polled.
func (p *podSet) missed(now time.Time) (since time.Time, missed, again bool) {
	return p.candidates.missed(now)
}

// pick replaces the owner's pods with those of the candidates.
func (p *podSet) pick() {
	kind, _ := object.Builtin("pods")
	owned := make(map[string]bool)
	for _, o := range p.candidates.owned() {
		owned[o.UID()] = true
		if p.pods[o.UID()].version == o.Version() {
			continue
		}
		o.Show()
		if doc, err := pane.ParseBody(kind, o); err == nil {
			p.put(o, doc)
		} else {
			p.problem = err.Error()
		}
	}
	for uid := range p.pods {
		if !owned[uid] {
			delete(p.pods, uid)
			p.changed = true
		}
	}
}

// whyUnknown says why the pods are not known; nothing if they are.
func (p *podSet) whyUnknown(now time.Time) string {
	if p.candidates.following() {
		return p.candidates.unknown(now, len(p.pods) == 0)
	}
	switch state, said := p.host.State(now); {
	case state == detail.Denied:
		return "You can't view this object; " + quoted(said)
	case state == detail.Loading && len(p.pods) == 0:
		return strings.TrimSpace("Loading… " + quoted(said))
	}
	return ""
}

// sorted returns the pods by their names.
func (p *podSet) sorted() []pod {
	out := make([]pod, 0, len(p.pods))
	for _, m := range p.pods {
		out = append(out, m)
	}
	sorting.By(out, func(a, b pod) int { return cmp.Or(strings.Compare(a.name, b.name), strings.Compare(a.uid, b.uid)) })
	return out
}

func (p *podSet) count() int { return len(p.pods) }

// reason returns why there are no logs, or "".
func (p *podSet) reason() string { return cmp.Or(p.problem, p.unknown) }

// close forgets the pods and releases the lists.
func (p *podSet) close() {
	clear(p.pods)
	p.candidates.close()
}
