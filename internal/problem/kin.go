package problem

import (
	"slices"
	"strings"

	"watchglass/internal/problem/kinds"
	"watchglass/internal/problem/rule"
)

// crashing are the reasons that one container has in turn while it keeps failing, the least telling
// first.
const crashing = " Restarting CrashLoopBackOff RunContainerError PreCreateHookError PreStartHookError PostStartHookError "

// rank is the place of a reason among them; 0 if it is none.
func rank(reason string) int { return strings.Index(crashing, " "+reason+" ") + 1 }

// crash is a container that keeps failing.
type crash struct {
	of        *record
	container string
}

// joinCrashes gives the pods of an owner whose same container keeps failing one reason, the most
// telling one: they are at different moments of the same. That such a container is not ready is no
// other cause.
func joinCrashes(all []found) []found {
	if len(all) < 2 {
		return all
	}
	lead, crashed := make(map[string]*rule.Cause), make(map[crash]bool)
	for _, f := range all {
		if rank(f.Reason) > 0 || f.Reason == "OOMKilled" {
			crashed[crash{f.of, f.Container}] = true
		}
		if best := lead[f.Container]; f.of.ID.Resource == kinds.Pods && rank(f.Reason) > 0 && (best == nil || rank(f.Reason) > rank(best.Reason)) {
			lead[f.Container] = f.Cause
		}
	}
	for i, f := range all {
		best := lead[f.Container]
		if best == nil || rank(f.Reason) == 0 || f.Reason == best.Reason || f.of.ID.Resource != kinds.Pods {
			continue
		}
		same := *best
		same.Since, same.Severity = rule.Sooner(f.Since, best.Since), f.Severity
		all[i].Cause = &same
	}
	return slices.DeleteFunc(all, func(f found) bool { return f.Reason == "NotReady" && crashed[crash{f.of, f.Container}] })
}
