package problem

import (
	"slices"
	"strconv"
	"strings"

	"watchglass/internal/document"
	"watchglass/internal/object"
)

// crashes reports containers that keep ending with an error: those that wait for their next run,
// and those that run again but ended within the last ten minutes.
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
		}
	}
}

// runsAgain reports whether the kubelet restarts the container when it fails.
func (c *container) runsAgain(p *pod) bool {
	if c.sidecar || c.spec.TextAt("restartPolicy") == "Always" {
		return true
	}
	if c.init && c.state("terminated").Exists() && c.state("terminated").Get("exitCode").Int() == 0 {
		return false
	}
	return p.restarts != "Never"
}

// crashLoop reports a container in back-off.
func (s *subject) crashLoop(c *container, exit document.Value, path string) {
	found := Cause{Words: c.label() + ": " + join("CrashLoopBackOff", ", ", c.restartsText()), Brief: "CrashLoopBackOff", Evidence: c.path + ".state.waiting"}
	if exit.Exists() {
		found = c.exited(exit, path)
		if found.Reason != "OOMKilled" {
			found.Reason = "CrashLoopBackOff"
			found.Words = c.label() + ": CrashLoopBackOff, " + found.Words
			found.Brief = "CrashLoopBackOff, " + found.Brief
		} else {
			found.Words = c.label() + ": " + found.Words
		}
	}
	found.Since = s.failingSince(exit)
	found.Tab, found.Container = "logs", c.name
	s.raise(found)
}

// restarted reports a container that runs again, or soon, after it failed. Several restarts, the
// last of a run that was short, are the crash loop between two back-offs.
func (s *subject) restarted(c *container, exit document.Value, path string) {
	ended := instant(exit.Get("finishedAt"))
	ran := ended - instant(exit.Get("startedAt"))
	n := c.restarts()
	loop := n >= loops && ran < steady
	found := c.exited(exit, path)
	oom := found.Reason == "OOMKilled"
	if !oom && !loop && n < 2 || ended == 0 {
		return
	}
	if !oom {
		found.Reason = "Restarting"
		if loop {
			found.Reason = "CrashLoopBackOff"
		}
		found.Words, found.Brief = found.Reason+", "+found.Words, found.Reason+", "+found.Brief
	}
	found.Words = c.label() + ": " + found.Words
	found.Severity = object.Warning
	if loop {
		found.Severity = object.Failed
	}
	found.Since, found.Until = s.failingSince(exit), ended+recent
	found.Tab, found.Container = "logs", c.name
	s.raise(found)
}

// failingSince returns since when a container fails: since the pod is not ready, or since its last
// exit.
func (s *subject) failingSince(exit document.Value) int64 {
	at := instant(exit.Get("finishedAt"))
	if since := s.notReadySince(); since != 0 && (at == 0 || since < at) {
		return since
	}
	return at
}

// exited returns how a run of the container ended.
func (c *container) exited(exit document.Value, path string) Cause {
	code := exit.Get("exitCode").Text()
	reason := exit.TextAt("reason")
	found := Cause{Reason: reason, Evidence: path, Container: c.name, Tab: "logs", Since: instant(exit.Get("finishedAt"))}
	if reason == "OOMKilled" {
		limit := c.spec.Get("resources.limits").At("memory").Text()
		if limit != "" {
			reason += " (limit " + limit + ")"
		}
		found.Brief = reason
		found.Words = join(reason+", exit code "+code, ", ", c.restartsText())
		return found
	}
	if found.Reason == "" {
		found.Reason = "Error"
	}
	found.Brief = "last exit code " + code
	if reason != "" && reason != "Error" {
		found.Brief += " (" + reason + ")"
	}
	found.Words = join(join(found.Brief, ", ", c.restartsText()), ": ", lastLine(exit.TextAt("message")))
	return found
}

// lastLine returns the last line of a termination message, which says why a program ended.
func lastLine(text string) string {
	text = strings.TrimRight(text, " \n\r\t")
	return text[strings.LastIndexByte(text, '\n')+1:]
}

// waiting are the reasons for which a container waits that somebody has to mend, by rule.
var waiting = map[string][]string{
	"ImagePullBackOff":           {"ErrImagePull", "ImagePullBackOff", "InvalidImageName", "ErrImageNeverPull", "ImageInspectError", "RegistryUnavailable", "SignatureValidationFailed"},
	"CreateContainerConfigError": {"CreateContainerConfigError", "CreateContainerError"},
	"RunContainerError":          {"RunContainerError", "StartError", "PreCreateHookError", "PreStartHookError", "PostStartHookError", "ContainerCannotRun"},
}

// blocked calls found for the containers that wait for one of the reasons of a rule.
func (s *subject) blocked(found func(c *container, reason, message, path string)) {
	if s.pod.ends() {
		return
	}
	reasons := waiting[s.rule.reason]
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
		brief := join(reason, ", image ", image)
		s.raise(Cause{Reason: reason, Words: join(c.label()+": "+brief, ": ", withoutImage(message)), Brief: brief, Evidence: path, Since: max(s.notReadySince(), s.created), Tab: "events", Container: c.name})
	})
}

// withoutImage drops the kubelet's own introduction from a message, which repeats the image.
func withoutImage(message string) string {
	if rest, ok := strings.CutPrefix(message, "Back-off pulling image "); ok {
		_, message, _ = strings.Cut(rest, `": `)
	}
	return message
}

// containerConfig reports a container that cannot be created, as when a ConfigMap is missing. The
// kubelet's message names it.
func containerConfig(s *subject) {
	s.blocked(func(c *container, reason, message, path string) {
		brief := join(reason, ": ", message)
		s.raise(Cause{Reason: reason, Words: c.label() + ": " + brief, Brief: brief, Evidence: path, Since: max(s.notReadySince(), s.created), Tab: "summary", Container: c.name})
	})
}

// containerStart reports a container that was created but cannot be started.
func containerStart(s *subject) {
	s.blocked(func(c *container, reason, message, path string) {
		brief := join(reason, ": ", message)
		s.raise(Cause{Reason: reason, Words: c.label() + ": " + brief, Brief: reason, Evidence: path, Since: max(s.notReadySince(), s.created), Tab: "events", Container: c.name})
	})
}

// notReady reports containers that run but are not ready, beyond the time that their probes give
// them to start.
func notReady(s *subject) {
	if s.pod.ends() || s.pod.phase != "Running" {
		return
	}
	for i := range s.pod.containers {
		c := &s.pod.containers[i]
		running := c.state("running")
		if c.init && !c.sidecar || !running.Exists() || c.status.Get("ready").Bool() || !c.status.Get("ready").Exists() {
			continue
		}
		what := "not ready"
		if c.spec.Get("startupProbe").Exists() && !c.status.Get("started").Bool() {
			what = "startup probe not passed"
		}
		at := max(instant(running.Get("startedAt")), s.notReadySince(), s.created)
		s.raise(Cause{Words: c.label() + ": " + what, Brief: what, Evidence: c.path + ".ready", Since: at, From: at + c.startTime(), Tab: "logs", Container: c.name})
	}
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
