package rule

import (
	"watchglass/internal/document"
	"watchglass/internal/object/tone"
	"watchglass/internal/problem/facts"
	"watchglass/internal/problem/kinds"
	"watchglass/internal/problem/text"
)

// podRules are what can be wrong with a pod.
var podRules = []rule{
	{kinds.Pods, "CrashLoopBackOff", tone.Failed, crashes},
	{kinds.Pods, "ImagePullBackOff", tone.Failed, imagePull},
	{kinds.Pods, "CreateContainerConfigError", tone.Failed, containerConfig},
	{kinds.Pods, "RunContainerError", tone.Failed, containerStart},
	{kinds.Pods, "Unschedulable", tone.Failed, unschedulable},
	{kinds.Pods, "NotScheduled", tone.Failed, unscheduled},
	{kinds.Pods, "ContainerCreating", tone.Failed, creating},
	{kinds.Pods, "NotReady", tone.Warning, notReady},
	{kinds.Pods, "NotReady", tone.Warning, keptUnready},
	{kinds.Pods, "ReadinessGatesNotReady", tone.Warning, readinessGates},
	{kinds.Pods, "PodInitializing", tone.Warning, initializing},
	{kinds.Pods, "Terminating", tone.Warning, terminating},
	{kinds.Pods, "Failed", tone.Warning, ended},
	{kinds.Pods, "NodeLost", tone.Failed, lost},
}

// Times that a pod may take, in seconds.
const (
	mayWait      = 10      // to be scheduled
	mustSchedule = 5 * 60  // after which a pod without a node fails
	mayCreate    = 2 * 60  // to create containers
	mustCreate   = 10 * 60 // after which that fails
	mayStart     = 60      // to become ready, at least
	mayInit      = 5 * 60  // for each init container
	mayEnd       = 60      // beyond its grace period
	recent       = 10 * 60 // how long an exit is news
	steady       = 10 * 60 // a container that ran that long does not crash-loop; the kubelet's own rule
)

// pod is a pod's document, with its containers.
type pod struct {
	phase      string
	deleting   bool
	ofJob      bool
	restarts   string // the restart policy
	unready    int64  // since when it is not ready; 0 if it does not say
	containers []container
}

// container is a container of a pod with its status.
type container struct {
	name         string
	path         string // of its status
	init         bool
	sidecar      bool
	spec, status document.Value
	now          document.Value // its state
}

// newPod reads a pod. Containers without a status are left out.
func newPod(doc document.Value) *pod {
	p := &pod{phase: doc.TextAt("status.phase"), deleting: doc.Get("metadata.deletionTimestamp").Exists(), restarts: doc.TextAt("spec.restartPolicy")}
	for _, o := range doc.ListAt("metadata.ownerReferences") {
		p.ofJob = p.ofJob || o.Get("controller").Bool() && o.TextAt("kind") == "Job"
	}
	for _, list := range []struct{ spec, status string }{{"spec.initContainers", "initContainerStatuses"}, {"spec.containers", "containerStatuses"}} {
		spec := finder(doc.Get(list.spec))
		for _, status := range doc.Get("status").ListAt(list.status) {
			c := container{name: status.TextAt("name"), status: status, now: status.Get("state"), init: list.status == "initContainerStatuses"}
			c.spec = spec(c.name)
			c.sidecar = c.init && c.spec.TextAt("restartPolicy") == "Always"
			c.path = "status." + list.status + "[" + c.name + "]"
			p.containers = append(p.containers, c)
		}
	}
	for _, kind := range []string{"Ready", "ContainersReady"} {
		if c := condition(doc, kind); is(c, "False") {
			p.unready = since(c) // of its containers, if it says both
		}
	}
	return p
}

// finder returns a function that finds an element of a list by its name. Of many, it makes a map.
func finder(list document.Value) func(name string) document.Value {
	if list.Len() <= 8 {
		return func(name string) document.Value { return list.Find("name", name) }
	}
	all := make(map[string]document.Value, list.Len())
	for _, v := range list.List() {
		if name := v.TextAt("name"); !all[name].Exists() {
			all[name] = v
		}
	}
	return func(name string) document.Value { return all[name] }
}

// label returns "container api" or "init container migrate".
func (c *container) label() string {
	if c.init && !c.sidecar {
		return "init container " + c.name
	}
	return "container " + c.name
}

// state returns the waiting, running or terminated state; absent in any other.
func (c *container) state(name string) document.Value { return c.now.At(name) }

// waits returns why the container waits.
func (c *container) waits() string { return c.state("waiting").TextAt("reason") }

// restarts returns how often it was restarted.
func (c *container) restarts() int64 { return max(c.status.Get("restartCount").Int(), 0) }

// lastExit returns how its last run ended, and where that stands.
func (c *container) lastExit() (exit document.Value, path string) {
	if exit = c.state("terminated"); exit.Exists() {
		return exit, c.path + ".state.terminated"
	}
	return c.status.Get("lastState.terminated"), c.path + ".lastState.terminated"
}

// lastExited reports whether a run of it has ended.
func (c *container) lastExited() bool {
	exit, _ := c.lastExit()
	return exit.Exists()
}

// restartsText returns "14 restarts"; "" if there were none.
func (c *container) restartsText() string {
	if c.restarts() == 0 {
		return ""
	}
	return text.Count(c.restarts(), "restart")
}

// ends reports whether the pod has ended, or is about to: then no other rule applies.
func (p *pod) ends() bool { return p.deleting || p.phase == "Succeeded" || p.phase == "Failed" }

// unschedulable reports that no node fits. A pod that waits for a gate is not a problem.
func unschedulable(s *subject) {
	c := condition(s.doc, "PodScheduled")
	if s.pod.ends() || !is(c, "False") || c.TextAt("reason") == "SchedulingGated" {
		return
	}
	at := max(since(c), s.created)
	words := text.Lead(c.TextAt("message"))
	if words == "" {
		words = "not scheduled: " + c.TextAt("reason")
	}
	s.raiseThen(Cause{Words: words, Evidence: "condition PodScheduled", Since: at, From: at + mayWait, Tab: "events"}, mustSchedule)
}

// unscheduled reports a pod of which its scheduler has said nothing: it does not run, or there is none
// of that name. One that has chosen a node may wait for the pod's volumes.
func unscheduled(s *subject) {
	if s.pod.ends() || s.pod.phase != "Pending" || s.doc.TextAt("spec.nodeName") != "" || s.doc.TextAt("status.nominatedNodeName") != "" || condition(s.doc, "PodScheduled").Exists() || len(s.doc.ListAt("spec.schedulingGates")) > 0 {
		return
	}
	scheduler := s.doc.TextAt("spec.schedulerName")
	if scheduler == "" {
		scheduler = "default-scheduler"
	}
	words := "not scheduled, no response from " + scheduler
	if len(s.doc.ListAt("spec.resourceClaims")) > 0 { // the scheduler waits for them, and says nothing
		words = "not scheduled, its ResourceClaims may be missing"
	}
	s.raiseThen(Cause{Words: words, Evidence: "status.conditions", Since: s.created, From: s.created + mayStart, Tab: "events"}, mustSchedule)
}

// creating reports containers that are not created in time, as when a volume cannot be mounted.
func creating(s *subject) {
	p, scheduled := s.pod, condition(s.doc, "PodScheduled")
	if bound := is(scheduled, "True") || !scheduled.Exists() && s.doc.TextAt("spec.nodeName") != ""; p.ends() || !bound {
		return
	}
	if p.phase == "Running" {
		notStartedAgain(s)
	}
	if p.phase != "Pending" {
		return
	}
	words, path := "", ""
	for i := range p.containers {
		c := &p.containers[i]
		switch reason := c.waits(); {
		case reason != "" && reason != "ContainerCreating" && reason != "PodInitializing" || c.init && !c.sidecar && c.state("running").Exists():
			return // another rule says what it waits for
		case c.sidecar && !c.status.Get("started").Bool() && (c.state("running").Exists() || c.lastExited()):
			return // the others wait until it is started
		case words == "" && (reason == "ContainerCreating" || c.init && reason == "PodInitializing"):
			words, path = c.label()+": ContainerCreating", c.path+".state.waiting"
		}
	}
	if words == "" {
		words, path = "containers not created", "status.phase"
	}
	at := max(since(scheduled), facts.Instant(s.doc.Get("status.startTime")), since(condition(s.doc, "Initialized")), s.created)
	for i := range p.containers {
		c := &p.containers[i]
		exit, _ := c.lastExit()
		if at = max(at, facts.Instant(exit.Get("finishedAt"))); c.sidecar {
			at = max(at, facts.Instant(c.state("running").Get("startedAt"))) // the next one had to wait for it
		}
	}
	c := Cause{Words: words, Brief: "ContainerCreating", Evidence: path, Since: at, From: at + mayCreate, Tab: "events"}
	s.raiseThen(c.unlessSeen(s.doc), mustCreate)
}

// unlessSeen returns the cause of a pod that waits for its containers: if the kubelet has not seen it, it follows from its
// node, which may be lost or not exist.
func (c Cause) unlessSeen(doc document.Value) Cause {
	if node := doc.TextAt("spec.nodeName"); node != "" && !doc.Get("status.startTime").Exists() {
		c.Reason, c.Brief, c.Evidence, c.OnNode = "NotStarted", "not started by its kubelet", "status.startTime", node
		c.Words = c.Brief + ", node " + node
	}
	return c
}

// notStartedAgain reports a container that ended, or whose sandbox is gone, and is not started again in time, as when a
// volume cannot be mounted after its node was restarted. During a back-off, it waits for another reason.
func notStartedAgain(s *subject) {
	for i := range s.pod.containers {
		c := &s.pod.containers[i]
		exit, path := c.lastExit()
		if !exit.Exists() || c.init && !c.sidecar || !c.toStart(s.pod) {
			continue
		}
		at := max(facts.Instant(exit.Get("finishedAt")), s.pod.unready, s.created)
		s.raiseThen(Cause{
			Words: c.label() + ": not started again", Brief: "not started again", Evidence: path, Since: at, From: at + mayCreate,
			Tab: "events", Container: c.name, OnNode: s.doc.TextAt("spec.nodeName"),
		}, mustCreate)
		return
	}
}

// initializing reports an init container that runs long.
func initializing(s *subject) {
	if s.pod.ends() {
		return
	}
	for i := range s.pod.containers {
		c := &s.pod.containers[i]
		if running := c.state("running"); c.init && !c.sidecar && running.Exists() {
			at := facts.Instant(running.Get("startedAt"))
			s.raise(Cause{Words: c.label() + ": not completed", Brief: c.label() + " not completed", Evidence: c.path + ".state.running", Since: at, From: max(at, s.created) + mayInit, Tab: "logs", Container: c.name})
		}
	}
}

// terminating reports a pod that is still there after its grace period.
func terminating(s *subject) {
	at := facts.Instant(s.doc.Get("metadata.deletionTimestamp"))
	if !s.pod.deleting {
		return
	}
	finalizers := s.finalizers()
	c := Cause{Since: at, From: max(at, 1) + mayEnd, OnNode: s.doc.TextAt("spec.nodeName"), Brief: "Terminating beyond the grace period", Evidence: "metadata.deletionTimestamp", Tab: "yaml"}
	switch {
	case len(finalizers) > 0:
		c.Brief, c.OnNode = "Terminating, finalizers "+text.Names(finalizers), ""
		c.Evidence = "metadata.finalizers"
	case c.OnNode != "":
		c.Words = c.Brief + ", node " + c.OnNode
	}
	if c.Words == "" {
		c.Words = c.Brief
	}
	s.raise(c)
}

// finalizers returns what must be removed before the object is.
func (s *subject) finalizers() (all []string) {
	for _, f := range s.doc.ListAt("metadata.finalizers") {
		all = append(all, f.Text())
	}
	return all
}

// ended reports a pod that was evicted, rejected by its node, or failed. A pod of a Job only says
// more about that.
func ended(s *subject) {
	p := s.pod
	if p.phase != "Failed" || p.deleting {
		return
	}
	c := Cause{Reason: s.doc.TextAt("status.reason"), Words: s.doc.TextAt("status.message"), Evidence: "status.reason", Tab: "summary", Over: true, Hint: p.ofJob}
	c.Since = s.endedAt()
	if d := condition(s.doc, "DisruptionTarget"); c.Reason == "" && is(d, "True") {
		c.From = since(d) + mayEnd // about to be deleted, as the pods of a node that is gone
	}
	if c.Reason != "" {
		c.Words = text.Join(c.Reason, ": ", c.Words)
		s.raise(c)
		return
	}
	c.Reason, c.Words, c.Evidence = "Error", text.Join("Failed", ": ", c.Words), "status.phase"
	for i := range p.containers {
		if exit, path := p.containers[i].lastExit(); exit.Get("exitCode").Int() != 0 {
			from := c.From
			c = p.containers[i].exited(exit, path)
			c.Words = p.containers[i].label() + ": " + c.Words
			c.Severity, c.Over, c.Hint, c.From = tone.Warning, true, p.ofJob, from
			break
		}
	}
	s.raise(c)
}

// endedAt returns when a failed pod ended: when it was chosen to, its last container did, or it ceased to
// be ready.
func (s *subject) endedAt() (at int64) {
	for i := range s.pod.containers {
		at = max(at, facts.Instant(s.pod.containers[i].state("terminated").Get("finishedAt"))) // an earlier run was not its end
	}
	if d := condition(s.doc, "DisruptionTarget"); is(d, "True") {
		at = since(d)
	}
	if at == 0 {
		at = since(condition(s.doc, "Ready"))
	}
	return max(at, s.created)
}

// lost reports a pod whose node cannot be asked.
func lost(s *subject) {
	if s.pod.phase == "Unknown" && !s.pod.deleting {
		s.raise(Cause{Words: text.Join("pod phase Unknown", ": ", s.doc.TextAt("status.message")), Evidence: "status.phase", Since: max(since(condition(s.doc, "Ready")), s.created), Tab: "events"})
	}
}
