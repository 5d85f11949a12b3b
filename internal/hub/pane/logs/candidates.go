package logs

import (
	"strings"
	"time"

	"watchglass/internal/hub/pane"
	"watchglass/internal/hub/source"
	"watchglass/internal/object"
)

// candidates follows the pods that may be an owner's: those that its selector matches. A
// CronJob owns only those of its own jobs, which are followed too.
type candidates struct {
	host  pane.Host
	owner string // its name
	pods  *selection
	jobs  *selection // of a CronJob; else nil
	moved bool       // pods has replaced another list, and is not complete yet

	held map[string]*object.Object // pods by key
	own  map[string]bool           // the CronJob's jobs, as "Job/name"
}

// selection is a followed list, and how it was when it was last complete.
type selection struct {
	*source.Feed
	selector string
	complete time.Time // when that was, on the host's clock; zero if it was not yet
	relists  int
	polled   bool // it is read again and again instead of watched, and missed has said so
}

func newCandidates(h pane.Host, owner string) *candidates {
	return &candidates{host: h, owner: owner, held: make(map[string]*object.Object), own: make(map[string]bool)}
}

// followPods follows the pods that a selector matches, instead of those of another. refresh reports no
// change until the new list is complete, so that pods which both match stay.
func (c *candidates) followPods(namespace, selector string) {
	if c.pods != nil && c.pods.selector == selector {
		return
	}
	if c.pods != nil {
		c.pods.Close()
		clear(c.held)
		c.moved = true
	}
	c.pods = c.follow("pods", namespace, selector, nil)
}

// followJobs follows the jobs of a CronJob's namespace.
func (c *candidates) followJobs(namespace string) {
	if c.jobs == nil {
		c.jobs = c.follow("jobs.batch", namespace, "", func(o *object.Object) bool { return o.Controller() == "CronJob/"+c.owner })
	}
}

func (c *candidates) follow(resource, namespace, selector string, wants func(*object.Object) bool) *selection {
	kind, _ := object.Builtin(resource)
	lease := c.host.Lease(kind, source.Selection{Namespace: namespace, Labels: selector})
	return &selection{Feed: source.Follow(lease, wants, c.host.RequestUpdate), selector: selector}
}

// following reports whether there is a list of pods.
func (c *candidates) following() bool { return c.pods != nil }

// refresh applies what changed in the lists, and reports whether anything did. When a list that
// replaced another is complete, that is a change even if the list is empty; reselected reports it.
func (c *candidates) refresh() (changed, reselected bool) {
	synced := c.pods != nil && c.pods.HasSynced() // before its changes are read, so that they are all
	if c.jobs != nil {
		for _, change := range c.jobs.Drain(0) {
			if o := change.Now; o != nil {
				c.own["Job/"+o.Name()], changed = true, true
			}
		}
	}
	if c.pods != nil {
		for _, change := range c.pods.Drain(0) {
			if changed = true; change.Now == nil {
				delete(c.held, change.Key)
			} else {
				c.held[change.Key] = change.Now
			}
		}
	}
	if !c.moved {
		return changed, false
	}
	c.moved = !synced
	return synced, synced
}

// missed reports whether pods may have come and gone unseen, and since when: their list, or that of a CronJob's jobs, was read
// anew, since its watch was lost, or nobody called refresh while they came and went, since the page was hidden. again says
// that a list is polled, and that missed said so before.
func (c *candidates) missed(now time.Time) (since time.Time, missed, again bool) {
	if c.pods == nil || c.moved {
		return since, false, false
	}
	lists := []*selection{c.pods}
	if c.jobs != nil {
		lists = append(lists, c.jobs)
	}
	all := make([]source.Status, len(lists))
	for i, l := range lists { // before any is asked: without its jobs, nobody knows whose pods came and went
		all[i] = source.StatusOf(l.Lease, c.host.Link(), now)
		if s := all[i]; s.Verdict() <= source.Old || s.State.Replaced {
			return since, false, false
		}
	}
	again = true
	for i, l := range lists {
		var ours func(controller string) bool // of the pods of all CronJobs, those of this one
		if c.jobs != nil && l == c.pods {
			ours = func(controller string) bool { return c.own[controller] }
		}
		from, lost, said := l.missed(all[i], c.host.Now(), ours)
		if !lost {
			continue
		}
		if again = again && said; !missed || from.Before(since) {
			since = from
		}
		missed = true
	}
	return since, missed, missed && again
}

// missed is candidates.missed for one list, whose status is s. Since a list that is polled was last read, anything may have
// come and gone.
func (l *selection) missed(s source.Status, now time.Time, ours func(controller string) bool) (since time.Time, missed, again bool) {
	since = l.complete
	anew, forgotten := s.State.Relists > l.relists, l.Forgotten(ours)
	again = l.polled && !forgotten
	if anew || since.IsZero() || now.Before(since) || !s.Polled() {
		l.complete = now
	}
	l.relists, l.polled = s.State.Relists, s.Polled() && (l.polled || anew)
	return since, (anew || forgotten) && !since.IsZero() && !now.Before(since), again
}

// owned returns the pods that are the owner's, in no order.
func (c *candidates) owned() (pods []*object.Object) {
	for _, o := range c.held {
		if c.jobs == nil || c.own[o.Controller()] {
			pods = append(pods, o)
		}
	}
	return pods
}

// unknown says why the pods are not known: they may not be listed or, if none is known, the
// lists are still coming in.
func (c *candidates) unknown(now time.Time, none bool) string {
	for _, l := range []struct {
		list *selection
		of   string
	}{{c.pods, "pods"}, {c.jobs, "jobs"}} {
		if l.list == nil {
			continue
		}
		switch s := source.StatusOf(l.list.Lease, c.host.Link(), now); {
		case s.Refused():
			return "You can't list its " + l.of + "; " + quoted(s.Cause)
		case s.Verdict() < source.Old && none:
			return strings.TrimSpace("Loading its " + l.of + "… " + quoted(s.Cause))
		}
	}
	return ""
}

// close releases the lists and forgets what they held.
func (c *candidates) close() {
	for _, l := range []*selection{c.jobs, c.pods} {
		if l != nil {
			l.Close()
		}
	}
	c.jobs, c.pods, c.moved = nil, nil, false
	clear(c.held)
	clear(c.own)
}
