package rule

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"watchglass/internal/document"
	"watchglass/internal/object/tone"
	"watchglass/internal/problem/facts"
	"watchglass/internal/problem/text"
)

// crashes reports containers that keep ending with an error: those that wait for their next run,
// and those that run again but ended within the last ten minutes. It also reports those that failed
// for good while others of the pod still run.
func crashes(s *subject) {
	if s.pod.ends() {
		return
	}
	for i := range s.pod.containers {
		c := &s.pod.containers[i]
		exit, path := c.lastExit()
		failed := exit.Get("exitCode").Int() != 0 || exit.TextAt("reason") == "OOMKilled"
		switch {
		case c.waits() == "CrashLoopBackOff":
			s.crashLoop(c, exit, path)
		case exit.Exists() && failed && c.runsAgain(s.pod):
			s.restarted(c, exit, path)
		case failed:
			s.failedForGood(c, exit, path)
		}
	}
	for _, reason := range [...]string{"CrashLoopBackOff", "OOMKilled", "RunContainerError"} {
		if more := s.loops[reason]; more.n > mostLoops {
			s.raise(Cause{Reason: reason, Words: text.Count(more.n-mostLoops, "more container") + ": " + reason, Brief: reason, Evidence: "status", Since: more.since, Tab: "logs"})
		}
	}
}

// mostLoops is how many containers of a pod are described that wait for their next run for the same reason: whoever makes a
// pod may give it thousands. All hold as long as the pod does not change, so the others are counted.
const mostLoops = 50

// loopsOf counts containers in back-off.
type loopsOf struct {
	n     int64
	since int64 // of those that are not described
}

// counted reports whether a container in back-off is only counted, as so many others are described.
func (s *subject) counted(exit document.Value) bool {
	reason := "CrashLoopBackOff"
	switch exit.TextAt("reason") {
	case "OOMKilled":
		reason = "OOMKilled"
	case "StartError", "ContainerCannotRun":
		reason = "RunContainerError"
	}
	all := s.loops[reason]
	if all.n++; all.n > mostLoops {
		all.since = Sooner(all.since, cmp.Or(max(s.failingSince(exit), 0), s.created))
	}
	if s.loops == nil {
		s.loops = make(map[string]loopsOf)
	}
	s.loops[reason] = all
	return all.n > mostLoops
}

// runsAgain reports whether the kubelet restarts the container when it fails. One that its policy does
// not restart may have rules that do: then it does not stay terminated.
func (c *container) runsAgain(p *pod) bool {
	policy, ended := c.policy(p), c.state("terminated")
	switch {
	case c.init && !c.sidecar && ended.Exists() && ended.Get("exitCode").Int() == 0:
		return false
	case policy != "Never":
		return true
	}
	return !ended.Exists()
}

// policy returns the restart policy of the container, by default its pod's.
func (c *container) policy(p *pod) string {
	if policy := c.spec.TextAt("restartPolicy"); policy != "" {
		return policy
	}
	return p.restarts
}

// toStart reports whether it is the kubelet's turn to start a container that has run before.
func (c *container) toStart(p *pod) bool {
	if waits := c.waits(); waits != "" {
		return waits == "ContainerCreating" || waits == "PodInitializing"
	}
	ended := c.state("terminated")
	switch c.policy(p) {
	case "Never":
		return false
	case "OnFailure":
		return ended.Exists() && ended.Get("exitCode").Int() != 0
	}
	return ended.Exists()
}

// failedForGood reports a container that failed and does not run again. Unless others of the pod go on
// running, the pod fails in a moment.
func (s *subject) failedForGood(c *container, exit document.Value, path string) {
	reason := exit.TextAt("reason")
	if exit.Get("exitCode").Int() == 0 || slices.Contains(waiting.Of("RunContainerError"), reason) {
		return // it completed, or containerStart reports it
	}
	found := c.exited(exit, path)
	found.Words, found.Severity = c.label()+": "+found.Words, tone.Failed
	found.From = max(found.Since, s.created) + mayEnd
	s.raise(found)
}

// crashLoop reports a container in back-off.
func (s *subject) crashLoop(c *container, exit document.Value, path string) {
	if s.counted(exit) {
		return
	}
	found := Cause{Words: c.label() + ": " + text.Join("CrashLoopBackOff", ", ", c.restartsText()), Brief: "CrashLoopBackOff", Evidence: c.path + ".state.waiting"}
	if exit.Exists() {
		found = c.failed(exit, path, "CrashLoopBackOff")
	}
	found.Since = s.failingSince(exit)
	found.Tab, found.Container = "logs", c.name
	s.raise(found)
}

// failed returns how a run of the container ended, for a container that is in a state for that. One
// that was killed for its memory, or never started, is that in every state.
func (c *container) failed(exit document.Value, path, state string) Cause {
	found := c.exited(exit, path)
	switch found.Reason {
	case "OOMKilled":
		state = ""
	case "StartError", "ContainerCannotRun":
		found.Reason = "RunContainerError"
		state = found.Reason
		found.Brief = state
		found.Words = text.Join(text.Join(state, ", ", c.restartsText()), ": ", text.Specific(exit.TextAt("message"), ""))
	default:
		found.Reason = state
	}
	if state != "" && state == found.Reason && found.Brief != state {
		found.Words, found.Brief = state+", "+found.Words, state+", "+found.Brief
	}
	found.Words = c.label() + ": " + found.Words
	return found
}

// Restarts of a container that runs again.
const (
	loops       = 3           // make a loop
	frequent    = 5           // that many in the life of a pod are a pattern
	mostBetween = 6 * 60 * 60 // if they are not further apart, in seconds
	mostNews    = 2 * mostBetween
	steadySoon  = 30 // a container that has run that long, and longer than before, is not in its loop, in seconds
)

// restartNews returns how long after its last exit the restarts of a container are news: until it has
// run twice as long as usual.
func restartNews(restarts, life int64) int64 {
	if restarts < frequent || life/restarts > mostBetween {
		return recent
	}
	return max(recent, 2*life/restarts)
}

// restarted reports a container that runs again, or soon, after it failed. Several restarts, the last
// of a run that was short, are the crash loop between two back-offs, until the container outlives its
// last run.
func (s *subject) restarted(c *container, exit document.Value, path string) {
	ended := facts.Instant(exit.Get("finishedAt"))
	ran := max(ended-facts.Instant(exit.Get("startedAt")), 0)
	n := c.restarts()
	loop := n >= loops && ran < steady
	found := c.failed(exit, path, "Restarting")
	if ended == 0 || found.Reason == "Restarting" && n < 2 {
		return
	}
	found.Severity = tone.Warning
	found.Since, found.Until = s.failingSince(exit), ended+restartNews(n, ended-s.created)
	found.Tab, found.Container = "logs", c.name
	if n >= frequent && found.Until > ended+recent {
		found.Since = unknown // since some restart of the pod's life
	}
	running := c.state("running")
	if running.Exists() {
		found.Words = strings.Replace(found.Words, ": Restarting", ": Restarting, running now", 1)
	}
	if loop {
		again := c.failed(exit, path, "CrashLoopBackOff")
		again.Since, again.Until = s.failingSince(exit), ended+recent
		if running.Exists() {
			again.Until = max(facts.Instant(running.Get("startedAt")), ended) + min(ran, steadySoon)
			found.From = again.Until
		}
		s.raise(again)
		if !running.Exists() {
			return
		}
	}
	s.raise(found)
}

// failingSince returns since when a container fails: since the pod is not ready, or since its last
// exit.
func (s *subject) failingSince(exit document.Value) int64 {
	at := facts.Instant(exit.Get("finishedAt"))
	if since := s.pod.unready; since != 0 && (at == 0 || since < at) {
		return since
	}
	return at
}

// exited returns how a run of the container ended.
func (c *container) exited(exit document.Value, path string) Cause {
	code := exit.Get("exitCode").Text()
	reason := exit.TextAt("reason")
	found := Cause{Reason: reason, Evidence: path, Container: c.name, Tab: "logs", Since: facts.Instant(exit.Get("finishedAt"))}
	if reason == "OOMKilled" {
		limit := c.spec.Get("resources.limits").At("memory").Text()
		if limit != "" {
			reason += " (limit " + limit + ")"
		}
		found.Brief = reason
		found.Words = text.Join(reason+", exit code "+code, ", ", c.restartsText())
		return found
	}
	if found.Reason == "" {
		found.Reason = "Error"
	}
	found.Brief = "last exit code " + code
	if reason != "" && reason != "Error" {
		found.Brief += " (" + reason + ")"
	}
	found.Words = text.Join(text.Join(found.Brief, ", ", c.restartsText()), ": ", text.LastLine(exit.TextAt("message")))
	return found
}

// waiting are the reasons for which a container waits that somebody has to mend, by rule.
var waiting = text.Table{
	{"ImagePullBackOff", "ErrImagePull", "ImagePullBackOff", "InvalidImageName", "ErrImageNeverPull", "ImageInspectError", "RegistryUnavailable", "SignatureValidationFailed"},
	{"CreateContainerConfigError", "CreateContainerConfigError", "CreateContainerError"},
	{"RunContainerError", "RunContainerError", "StartError", "PreCreateHookError", "PreStartHookError", "PostStartHookError", "ContainerCannotRun"},
}

// blocked calls found for the containers that wait for one of the reasons of a rule.
func (s *subject) blocked(found func(c *container, reason, message, path string)) {
	if s.pod.ends() {
		return
	}
	reasons := waiting.Of(s.rule.reason)
	for i := range s.pod.containers {
		c := &s.pod.containers[i]
		state, path := c.state("waiting"), ".state.waiting"
		if !state.Exists() {
			state, path = c.state("terminated"), ".state.terminated"
		}
		if why := state.TextAt("reason"); why != "" && slices.Contains(reasons, why) {
			found(c, why, state.TextAt("message"), c.path+path)
		}
	}
}

// imagePull reports images that cannot be pulled. ErrImagePull and ImagePullBackOff alternate, so
// they are one reason.
func imagePull(s *subject) {
	s.blocked(func(c *container, reason, message, path string) {
		if reason == "ErrImagePull" {
			reason = "ImagePullBackOff"
		}
		image := c.spec.TextAt("image")
		brief := text.Join(reason, ", image ", image)
		s.raise(Cause{Reason: reason, Words: text.Join(c.label()+": "+brief, ": ", text.Specific(message, image)), Brief: brief, Evidence: path, Since: max(s.pod.unready, s.created), Tab: "events", Container: c.name})
	})
}

// containerConfig reports a container that cannot be created, as when a ConfigMap is missing. The
// kubelet's message names it.
func containerConfig(s *subject) {
	s.blocked(func(c *container, reason, message, path string) {
		brief := text.Join(reason, ": ", text.Specific(message, ""))
		s.raise(Cause{Reason: reason, Words: c.label() + ": " + brief, Brief: brief, Evidence: path, Since: max(s.pod.unready, s.created), Tab: "summary", Container: c.name})
	})
}

// containerStart reports a container that was created but cannot be started.
func containerStart(s *subject) {
	s.blocked(func(c *container, reason, message, path string) {
		brief := text.Join(reason, ": ", text.Specific(message, ""))
		s.raise(Cause{Reason: reason, Words: c.label() + ": " + brief, Brief: brief, Evidence: path, Since: max(s.pod.unready, s.created), Tab: "events", Container: c.name})
	})
}

// notReady reports containers that run but are not ready, beyond the time that their probes give
// them to start.
func notReady(s *subject) {
	if s.pod.ends() {
		return
	}
	for i := range s.pod.containers {
		c := &s.pod.containers[i]
		running := c.state("running")
		if s.pod.phase != "Running" && !c.sidecar || c.init && !c.sidecar || !running.Exists() || c.status.Get("ready").Bool() || !c.status.Get("ready").Exists() {
			continue
		}
		what := "not ready"
		if c.spec.Get("startupProbe").Exists() && !c.status.Get("started").Bool() {
			what = "startup probe not passed"
		}
		at := max(facts.Instant(running.Get("startedAt")), s.pod.unready, s.created)
		s.raise(Cause{Words: c.label() + ": " + what, Brief: what, Evidence: c.path + ".ready", Since: at, From: at + c.startTime(), Tab: "logs", Container: c.name})
	}
}

// keptUnready reports a pod that is not ready although its containers are, as its node once was lost
// and nothing has changed that since.
func keptUnready(s *subject) {
	c := condition(s.doc, "Ready")
	if s.pod.ends() || s.pod.phase != "Running" || !is(c, "False") || c.TextAt("reason") != "" || is(condition(s.doc, "ContainersReady"), "False") {
		return
	}
	node := s.doc.TextAt("spec.nodeName")
	s.raise(Cause{Words: text.Join("not ready, though its containers are", ", node ", node), Brief: "not ready, though containers are", Evidence: "condition Ready", Since: since(c), From: max(since(c), s.created) + mayStart, Tab: "summary", OnNode: node})
}

// startTime returns how many seconds a container's probes give it to start, at least mayStart.
func (c *container) startTime() int64 {
	total := int64(0)
	for _, name := range []string{"startupProbe", "readinessProbe"} {
		if p := c.spec.At(name); p.Exists() {
			total += seconds(p, "initialDelaySeconds", 0) + seconds(p, "periodSeconds", 10)*seconds(p, "failureThreshold", 3)
		}
	}
	return max(total, mayStart)
}

// seconds returns a number of a probe, or what is usual. It is bounded, as a document may say
// anything.
func seconds(p document.Value, name string, usual int64) int64 {
	n := p.At(name).Int()
	if n <= 0 {
		return usual
	}
	return min(n, 1<<20)
}

// readinessGates reports a pod whose containers are ready but whose gates are closed.
func readinessGates(s *subject) {
	c := condition(s.doc, "Ready")
	if s.pod.ends() || !is(c, "False") || c.TextAt("reason") != "ReadinessGatesNotReady" {
		return
	}
	words := c.TextAt("message")
	if words == "" {
		words = strconv.Itoa(len(s.doc.ListAt("spec.readinessGates"))) + " readiness gates not ready"
	}
	s.raise(Cause{Words: words, Evidence: "condition Ready", Since: since(c), From: max(since(c), s.created) + mayStart, Tab: "summary"})
}
