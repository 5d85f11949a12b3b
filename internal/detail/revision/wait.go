package revision

import (
	"slices"
	"strconv"
)

// Wait is something that a rollout waits for.
type Wait struct {
	Text string `json:"x"`
	Pod  string `json:"p,omitempty"` // whose cause the text says
	Also int    `json:"a,omitempty"` // of how many other pods it is the cause
	Tone string `json:"t,omitempty"`
}

// How many pods are listed, and how much of each.
const (
	mostWaits = 3  // causes
	mostAsked = 20 // pods whose causes are asked for
)

// waits returns what a rollout waits for: what somebody has decided, then what is wrong, then what
// simply takes its time.
func (r *reader) waits(u *Rollout) (all []Wait) {
	if !r.observed {
		all = pending(all, "the controller to see the change")
	}
	all = r.caused(all, "Paused")
	all = r.caused(all, "ProgressDeadlineExceeded")
	all = pending(all, r.held(u))
	all = append(all, r.unready()...)
	all = pending(all, r.young())
	all = pending(all, r.deleting())
	all = r.caused(all, "ReplicaFailure")
	if len(all) == 0 {
		all = pending(all, r.rest(u))
	}
	return all
}

// pending adds something to wait for, unless there is nothing. Like caused, it is not inlined, since it is
// called often.
//
//go:noinline
func pending(all []Wait, text string) []Wait {
	if text == "" {
		return all
	}
	return append(all, Wait{Text: text, Tone: "pending"})
}

// caused adds what is wrong with the workload for a reason, in the words of its problem.
//
//go:noinline
func (r *reader) caused(all []Wait, reason string) []Wait {
	for _, c := range r.in.Causes {
		if c.Reason == reason {
			all = append(all, Wait{Text: c.Words, Tone: c.Tone})
		}
	}
	return all
}

// held returns how the workload's strategy keeps old pods.
func (r *reader) held(u *Rollout) string {
	switch n := r.partition(); {
	case onDelete(r.in.Workload.At("spec")) && u.Old > 0:
		return "OnDelete: " + count(u.Old, "old pod") + " to be deleted by a user"
	case n > 0:
		start := r.in.Workload.Get("spec.ordinals.start").Int()
		name := r.in.Workload.TextAt("metadata.name") + "-"
		text := "partition " + r.in.Workload.Get("spec.updateStrategy.rollingUpdate.partition").Text() + ": " + name + strconv.FormatInt(start, 10)
		if n > 1 {
			text += " to " + name + strconv.FormatInt(start+n-1, 10)
		}
		return text + " not updated"
	}
	return ""
}

// unready returns why new pods are not ready, and how many more there are. A StatefulSet waits for old
// ones, too, before it replaces another.
func (r *reader) unready() (all []Wait) {
	var pods []string
	for _, p := range r.in.Pods {
		if !p.Ready && !p.Ended && !p.Deleting && (r.kind == "StatefulSet" || r.isNew(p)) {
			pods = append(pods, p.Name)
		}
	}
	slices.Sort(pods)
	more := max(0, len(pods)-mostAsked)
	for _, pod := range pods[:len(pods)-more] {
		w := r.cause(pod)
		same := 0
		for same < len(all) && all[same].Text != w.Text {
			same++
		}
		switch {
		case same < len(all):
			all[same].Also++
		case len(all) < mostWaits:
			all = append(all, w)
		default:
			more++
		}
	}
	if more > 0 {
		all = pending(all, count(more, "more pod")+" not ready")
	}
	return all
}

// cause returns why a pod is not ready.
func (r *reader) cause(pod string) Wait {
	w := Wait{Text: "not ready", Tone: "pending", Pod: pod}
	if r.in.Why == nil {
		return w
	}
	if c := r.in.Why(pod); c.Words != "" {
		w.Text, w.Tone = c.Words, c.Tone
	}
	return w
}

// young returns how many pods are ready, but not for long enough.
func (r *reader) young() string {
	w := r.in.Workload
	least := w.Get("spec.minReadySeconds").Int()
	if least <= 0 {
		return ""
	}
	ready, available := w.Get("status.readyReplicas").Int(), w.Get("status.availableReplicas").Int()
	switch {
	case r.kind == "DaemonSet":
		ready, available = w.Get("status.numberReady").Int(), w.Get("status.numberAvailable").Int()
	case r.kind == "Deployment" && r.target >= 0:
		ready, available = int64(r.all[r.target].Ready), int64(r.all[r.target].minReady)
	}
	if ready <= available {
		return ""
	}
	return count(int(ready-available), "pod") + " to be ready for " + strconv.FormatInt(least, 10) + "s (minReadySeconds)"
}

// deleting returns the pods that have to end before others can start in their place.
func (r *reader) deleting() string {
	if r.kind == "Deployment" && r.in.Workload.TextAt("spec.strategy.type") != "Recreate" {
		return ""
	}
	first, n := "", 0
	for _, p := range r.in.Pods {
		if p.Deleting {
			if n++; first == "" || p.Name < first {
				first = p.Name
			}
		}
	}
	switch n {
	case 0:
		return ""
	case 1:
		return first + " to be deleted"
	}
	return first + " and " + strconv.Itoa(n-1) + " more to be deleted"
}

// rest returns what is left to do if nothing is in its way.
func (r *reader) rest(u *Rollout) string {
	switch {
	case u.Updated < u.Desired:
		return count(u.Desired-u.Updated, "new pod") + " to be created"
	case !u.Counted || u.Ready < u.Desired:
		return "new pods to be ready"
	case u.Old > 0:
		return count(u.Old, "old pod") + " to be deleted"
	}
	return "the controller to finish"
}

// count returns "1 pod" or "3 pods".
func count(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return strconv.Itoa(n) + " " + what
}
