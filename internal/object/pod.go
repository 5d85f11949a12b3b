package object

import (
	"strconv"

	"watchglass/internal/object/encoded"
)

// pods prints pods with kubectl's columns. e2e compares the cells with the apiserver's own
// Table.
func pods(release release) *printer {
	return &printer{columns: podColumns, paths: &podPaths, images: podImages, print: func(v *Values, o *Object, r *row) {
		p := podState{release: release, reason: v.Bytes(podPhase), total: v.Len(podContainers)}
		p.print(v, o, r)
	}}
}

var podColumns = []Column{
	{Name: "Name", Kind: NameCell},
	{Name: "Ready"},
	{Name: "Status"},
	{Name: "Restarts", Kind: CountedCell},
	{Name: "Age", Kind: AgeCell},
	{Name: "IP", Priority: 1},
	{Name: "Node", Priority: 1},
	{Name: "Nominated Node", Priority: 1},
	{Name: "Readiness Gates", Priority: 1},
}

var (
	podPaths paths

	podNode          = podPaths.add("spec.nodeName")
	podContainers    = podPaths.add("spec.containers[]")
	podInit          = podPaths.add("spec.initContainers[]")
	podInitName      = podPaths.add("spec.initContainers[].name")
	podInitRestart   = podPaths.add("spec.initContainers[].restartPolicy")
	podImages        = imageSlots(&podPaths, "spec")
	podGate          = podPaths.add("spec.readinessGates[].conditionType")
	podPhase         = podPaths.add("status.phase")
	podReason        = podPaths.add("status.reason")
	podNominated     = podPaths.add("status.nominatedNodeName")
	podIP            = podPaths.add("status.podIPs[].ip")
	podCondition     = podPaths.add("status.conditions[]")
	podConditionType = podPaths.add("status.conditions[].type")
	podConditionIs   = podPaths.add("status.conditions[].status")
	podConditionWhy  = podPaths.add("status.conditions[].reason")

	podStatuses     = addStatuses("status.containerStatuses[]")
	podInitStatuses = addStatuses("status.initContainerStatuses[]")
)

// podExcerpt is what a pod's requests and limits follow from, and how its containers ended and
// what they wait for.
var podExcerpt = []string{
	"spec.containers[].resources", "spec.initContainers[].resources", "spec.initContainers[].restartPolicy",
	"spec.overhead{}", "spec.resources", "status.phase",
	"status.containerStatuses[].state.waiting.reason",
	"status.containerStatuses[].state.terminated.reason", "status.containerStatuses[].state.terminated.exitCode", "status.containerStatuses[].state.terminated.signal",
	"status.containerStatuses[].lastState.terminated.reason", "status.containerStatuses[].lastState.terminated.exitCode", "status.containerStatuses[].lastState.terminated.signal",
	"status.initContainerStatuses[].state.waiting.reason",
	"status.initContainerStatuses[].state.terminated.reason", "status.initContainerStatuses[].state.terminated.exitCode", "status.initContainerStatuses[].state.terminated.signal",
	"status.initContainerStatuses[].lastState.terminated.reason", "status.initContainerStatuses[].lastState.terminated.exitCode", "status.initContainerStatuses[].lastState.terminated.signal",
}

// statusSlots are the slots of a list of container statuses.
type statusSlots struct {
	list, name, ready, started, restarts int
	running, waiting, waitingReason      int
	terminated, reason, exitCode, signal int
	lastTerminated, lastFinished         int
}

func addStatuses(list string) statusSlots {
	return statusSlots{
		list:           podPaths.add(list),
		name:           podPaths.add(list + ".name"),
		ready:          podPaths.add(list + ".ready"),
		started:        podPaths.add(list + ".started"),
		restarts:       podPaths.add(list + ".restartCount"),
		running:        podPaths.add(list + ".state.running"),
		waiting:        podPaths.add(list + ".state.waiting"),
		waitingReason:  podPaths.add(list + ".state.waiting.reason"),
		terminated:     podPaths.add(list + ".state.terminated"),
		reason:         podPaths.add(list + ".state.terminated.reason"),
		exitCode:       podPaths.add(list + ".state.terminated.exitCode"),
		signal:         podPaths.add(list + ".state.terminated.signal"),
		lastTerminated: podPaths.add(list + ".lastState.terminated"),
		lastFinished:   podPaths.add(list + ".lastState.terminated.finishedAt"),
	}
}

// containerStatus is the status of one container.
type containerStatus struct {
	ready, started, running bool
	waiting, terminated     bool
	waitingReason, reason   []byte
	exitCode, signal        int64
	restarts, lastFinished  int64
}

func (s *statusSlots) at(v *Values, i int) containerStatus {
	var c containerStatus
	val := func(slot int) Value { val, _ := v.At(slot, i); return val }
	has := func(slot int) bool { _, ok := v.At(slot, i); return ok }
	c.ready = val(s.ready).Num != 0
	c.started = val(s.started).Num != 0
	c.restarts = int64(int32(val(s.restarts).Num))
	c.running = has(s.running)
	if c.waiting = has(s.waiting); c.waiting {
		c.waitingReason = val(s.waitingReason).Bytes
	}
	if c.terminated = has(s.terminated); c.terminated {
		c.reason = val(s.reason).Bytes
		c.exitCode = int64(int32(val(s.exitCode).Num))
		c.signal = int64(int32(val(s.signal).Num))
	}
	if has(s.lastTerminated) {
		c.lastFinished = seconds(val(s.lastFinished).Bytes)
	}
	return c
}

// ending appends what kubectl prints for a terminated container: its reason, signal or exit
// code.
func (c *containerStatus) ending(dst []byte) []byte {
	switch {
	case len(c.reason) > 0:
		return append(dst, c.reason...)
	case c.signal != 0:
		return strconv.AppendInt(append(dst, "Signal:"...), c.signal, 10)
	}
	return strconv.AppendInt(append(dst, "ExitCode:"...), c.exitCode, 10)
}

// seconds returns the first field of a Timestamp.
func seconds(raw []byte) int64 {
	if f := encoded.FieldsOf(raw); f.Next() && f.Number == 1 {
		return int64(f.Num)
	}
	return 0
}

// podState is the state that is computed to print a pod.
type podState struct {
	release      release
	reason       []byte
	ready, total int
	restarts     int64
	lastRestart  int64
	// Of restartable init containers, which count like the others once the pod is initialized.
	sidecarRestarts, sidecarLastRestart int64
}

func (p *podState) print(v *Values, o *Object, r *row) {
	if why := v.Bytes(podReason); len(why) > 0 {
		p.reason = why
	}
	for i := range v.Len(podCondition) {
		why, _ := v.At(podConditionWhy, i)
		if typ, _ := v.At(podConditionType, i); string(typ.Bytes) == "PodScheduled" && string(why.Bytes) == "SchedulingGated" {
			p.reason = why.Bytes
		}
	}
	initializing := p.initContainers(v)
	if !initializing || !p.release.before(sidecars) && conditionTrue(v, "Initialized") {
		p.containers(v)
	}
	if o.deleting {
		p.setTerminating(v)
	}
	if string(p.reason) == "Running" && p.ready == p.total && conditionNot(v, "Ready") {
		o.health = 3 // Warning: a readiness gate is closed, or its node is lost
	}
	if string(p.reason) == "Completed" && string(v.Bytes(podPhase)) == "Failed" {
		o.health = 3 // Warning: kubectl shows its first container, which ended well
	}
	if p.restarts == 0 && !p.release.before(sidecars) {
		p.lastRestart = 0
	}
	o.quiet = quiet(v)
	r.fraction(int64(p.ready), int64(p.total))
	r.cell(p.reason)
	r.counted(p.restarts, p.lastRestart)
	r.instant(o.created)
	var ip []byte
	if ips := v.All(podIP); len(ips) > 0 && ips[0].Elem == 0 {
		ip = ips[0].Bytes
	}
	r.cellOr(ip, none)
	r.cellOr(v.Bytes(podNode), none)
	r.cellOr(v.Bytes(podNominated), none)
	printReadinessGates(v, r)
}

// setTerminating sets the status of a pod that is being deleted. Since 1.31, a pod that has ended
// keeps its own.
func (p *podState) setTerminating(v *Values) {
	phase := string(v.Bytes(podPhase))
	if string(v.Bytes(podReason)) == "NodeLost" {
		p.reason = []byte("Unknown")
	} else if phase != "Failed" && phase != "Succeeded" || p.release.before(31) {
		p.reason = []byte("Terminating")
	}
}

// sidecars is the release that introduced restartable init containers.
const sidecars = 28

// initContainers evaluates the init containers up to the first that is not done, and reports
// whether there is one.
func (p *podState) initContainers(v *Values) bool {
	var sidecars map[string]bool // by name; most pods have none
	for i := range v.Len(podInit) {
		if p.sidecar(v, i) {
			if p.total++; sidecars == nil {
				sidecars = make(map[string]bool)
			}
			sidecars[string(v.bytesAt(podInitName, i))] = true
		}
	}
	for i := range v.Len(podInitStatuses.list) {
		c := podInitStatuses.at(v, i)
		isSidecar := sidecars[string(v.bytesAt(podInitStatuses.name, i))]
		p.restarts += c.restarts
		p.lastRestart = max(p.lastRestart, c.lastFinished)
		if isSidecar {
			p.sidecarRestarts += c.restarts
			p.sidecarLastRestart = max(p.sidecarLastRestart, c.lastFinished)
		}
		switch {
		case c.terminated && c.exitCode == 0:
			continue
		case isSidecar && c.started:
			if c.ready {
				p.ready++
			}
			continue
		case c.terminated:
			p.reason = c.ending([]byte("Init:"))
		case len(c.waitingReason) > 0 && string(c.waitingReason) != "PodInitializing":
			p.reason = append([]byte("Init:"), c.waitingReason...)
		default:
			p.reason = strconv.AppendInt([]byte("Init:"), int64(i), 10)
			p.reason = strconv.AppendInt(append(p.reason, '/'), int64(v.Len(podInit)), 10)
		}
		return true
	}
	return false
}

// containers evaluates the containers from last to first: the pod shows the problem of the
// first one.
func (p *podState) containers(v *Values) {
	p.restarts = p.sidecarRestarts
	if !p.release.before(sidecars) {
		p.lastRestart = p.sidecarLastRestart
	}
	running := false
	var failure []byte
	for i := v.Len(podStatuses.list) - 1; i >= 0; i-- {
		c := podStatuses.at(v, i)
		p.restarts += c.restarts
		p.lastRestart = max(p.lastRestart, c.lastFinished)
		switch {
		case len(c.waitingReason) > 0:
			p.reason = c.waitingReason
		case c.terminated:
			p.reason = c.ending(nil)
			if c.exitCode != 0 {
				failure = p.reason
			}
		case c.ready && c.running:
			running = true
			p.ready++
		}
	}
	if string(p.reason) != "Completed" {
		return
	}
	switch {
	case running && conditionTrue(v, "Ready"):
		p.reason = []byte("Running")
	case failure != nil && !p.release.before(35):
		p.reason = failure
	case running:
		p.reason = []byte("NotReady")
	}
}

// sidecar reports whether the i-th init container keeps running.
func (p *podState) sidecar(v *Values, i int) bool {
	policy, _ := v.At(podInitRestart, i)
	return string(policy.Bytes) == "Always" && !p.release.before(sidecars)
}

func conditionTrue(v *Values, name string) bool { return conditionIs(v, name, "True") }

// conditionNot reports whether a condition is there and not true. One that is missing is not known yet.
func conditionNot(v *Values, name string) bool {
	return conditionIs(v, name, "False") || conditionIs(v, name, "Unknown")
}

func conditionIs(v *Values, name, status string) bool {
	for i := range v.Len(podCondition) {
		typ, _ := v.At(podConditionType, i)
		if string(typ.Bytes) == name {
			is, _ := v.At(podConditionIs, i)
			return string(is.Bytes) == status
		}
	}
	return false
}

// printReadinessGates prints how many of the pod's readiness gates are satisfied.
func printReadinessGates(v *Values, r *row) {
	gates := v.All(podGate)
	if len(gates) == 0 {
		r.cellOr(nil, none)
		return
	}
	open := 0
	for _, gate := range gates {
		if conditionTrue(v, string(gate.Bytes)) {
			open++
		}
	}
	r.fraction(int64(open), int64(len(gates)))
}
