package problem

// crashing are the reasons that one container has in turn while it keeps failing, the least telling
// first.
var crashing = map[string]int{"Restarting": 1, "CrashLoopBackOff": 2, "RunContainerError": 3, "PreCreateHookError": 3, "PreStartHookError": 3, "PostStartHookError": 3}

// joinCrashes gives the pods of an owner whose same container keeps failing one reason, the most
// telling one: they are at different moments of the same.
func joinCrashes(all []found) {
	lead := make(map[string]*Cause)
	for _, f := range all {
		if best := lead[f.Container]; f.of.id.Resource == pods && crashing[f.Reason] > 0 && (best == nil || crashing[f.Reason] > crashing[best.Reason]) {
			lead[f.Container] = f.Cause
		}
	}
	for i, f := range all {
		best := lead[f.Container]
		if best == nil || crashing[f.Reason] == 0 || f.Reason == best.Reason || f.of.id.Resource != pods {
			continue
		}
		same := *best
		same.Since, same.Severity = sooner(f.Since, best.Since), f.Severity
		all[i].Cause = &same
	}
}
