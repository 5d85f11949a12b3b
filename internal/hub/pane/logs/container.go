package logs

import (
	"cmp"
	"strings"

	"watchglass/internal/document"
)

// container is a container of a pod, as the pod last reported it.
type container struct {
	name     string
	known    bool // the pod has reported its state
	running  bool
	run      string // the ID of its present run, or of its last
	restarts int64
	started  string // when the run started whose log the kubelet gives; "" if that is not known
	before   string // when the run before it did, whose log is the previous one
	reason   string // why it waits
	message  string
	ended    string // how its last run ended
	failed   bool   // its last run failed, and there is none yet after it
}

// waits says why there is no log yet: from its status, or else in the words of the refusal.
func (c container) waits(refusal string) string {
	_, why, named := strings.Cut(refusal, "waiting to start: ")
	switch {
	case c.reason != "" && c.message != "":
		return c.reason + ": " + c.message
	case c.reason != "":
		return c.reason
	case named:
		return why
	}
	return "no reason given"
}

// mayStart reports whether a refusal to give logs means that the container has not started: its status is waiting, or is
// missing, or is older than what the kubelet says. Whatever else it refuses has other reasons.
func (c container) mayStart(refusal string) bool {
	return !c.running && c.ended == "" || strings.Contains(refusal, "waiting to start")
}

// containerOf reads a container from its status, which may be missing, and its pod.
func containerOf(name string, status, pod document.Value) container {
	c := container{name: name, known: status.Exists(), run: status.At("containerID").Text(), restarts: status.At("restartCount").Int()}
	c.running = status.At("state", "running").Exists()
	c.before = status.At("lastState", "terminated", "startedAt").Text()
	c.started = cmp.Or(status.At("state", "running", "startedAt").Text(), status.At("state", "terminated", "startedAt").Text())
	if !c.running && !status.At("state", "terminated").Exists() {
		c.started = c.before
	}
	if waiting := status.At("state", "waiting"); waiting.Exists() {
		c.reason, c.message = waiting.At("reason").Text(), waiting.At("message").Text()
		c.failed = c.reason == "CrashLoopBackOff"
	}
	if over := status.At("state", "terminated"); over.Exists() {
		c.failed = over.At("exitCode").Int() != 0
		c.ended = cmp.Or(over.At("reason").Text(), "Ended") + ", exit code " + cmp.Or(over.At("exitCode").Text(), "unknown")
	}
	if !c.known {
		c.reason, c.message = unscheduled(pod)
		c.reason = cmp.Or(c.reason, pod.At("status", "phase").Text())
	}
	return c
}

// unscheduled returns why a pod has no node yet; nothing if it has one.
func unscheduled(pod document.Value) (reason, message string) {
	for _, condition := range pod.At("status", "conditions").List() {
		if condition.At("status").Text() == "False" && condition.At("type").Text() == "PodScheduled" {
			reason, message = condition.At("reason").Text(), condition.At("message").Text()
		}
	}
	return reason, message
}
