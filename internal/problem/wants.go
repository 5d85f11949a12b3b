package problem

import (
	"strconv"
	"strings"
	"time"

	"watchglass/internal/object"
)

// kept are the resources of which the engine needs every object: as owners, as targets, or because
// their cells do not show what may be wrong. They are in the order in which they should be asked
// for: few objects that tell much come first.
var kept = []string{
	nodes, deployments, statefulSets, daemonSets, jobs, cronJobs, replicaSets, controllerRevisions,
	ingressClasses, services, endpointSlices, apiServices, validatingWebhooks, mutatingWebhooks,
	claims, volumes, storageClasses, autoscalers, budgets, quotas, ingresses, routes, namespaces,
}

// Resources returns the kinds that the rules read, by object.Kind's ID. Those that tell most for
// what they cost come first: nodes, pods and warnings are the first screen; ReplicaSets and
// EndpointSlices are as many as pods.
func Resources() []string {
	return append([]string{nodes, pods, events}, kept[1:]...)
}

func keeps(id string) bool {
	for _, k := range kept {
		if k == id {
			return true
		}
	}
	return false
}

// Wants reports whether the engine has to look at an object. It is cheap, as it reads cells only:
// of a healthy pod the engine needs nothing but Apply's count.
func Wants(kind object.Kind, columns []object.Column, o *object.Object) bool {
	if kind.Resource == pods && kind.Group == "" {
		return readPod(columns, o).wanted(o, 0)
	}
	return wantsOther(kind.ID(), &kind, columns, o, 0)
}

func wantsOther(id string, kind *object.Kind, columns []object.Column, o *object.Object, now int64) bool {
	switch {
	case keeps(id):
		return true
	case id == events:
		typ, seen := column(columns, "Type"), column(columns, "Last Seen")
		return typ >= 0 && seen >= 0 && (o.Cell(columns, typ).Text == "Warning" || isSuccess(columns, o)) && o.Cell(columns, seen).At > now-news
	case !kind.Native() && (kind.Whole(o) || o.Lost()):
		return true // its conditions say how it is, which no column need show
	}
	tone := object.ToneOfObject(kind.Name, o, columns)
	return tone == object.Warning || tone == object.Failed
}

// isSuccess reports whether a normal event may say that what a warning said is over. Those about pods and
// what creates pods are many, and their objects say it.
func isSuccess(columns []object.Column, o *object.Object) bool {
	reason, about := column(columns, "Reason"), column(columns, "Object")
	if reason < 0 || about < 0 {
		return false
	}
	text := o.Cell(columns, reason).Text
	if !strings.Contains(text, "Succe") && !strings.HasPrefix(text, "Ensured") {
		return false
	}
	kind, _, _ := strings.Cut(o.Cell(columns, about).Text, "/")
	return !listed(" pod replicaset replicationcontroller deployment statefulset daemonset job cronjob horizontalpodautoscaler node ", kind)
}

// podState is what a pod's cells show.
type podState struct {
	known     bool // they are those of a pod
	status    string
	ready     bool // all of its containers are
	done      bool
	restarted int64 // when it last was; 0 if never
	restarts  int64
}

// The places of a pod's columns, as the printer of pods has them.
const (
	readyColumn = 1 + iota
	statusColumn
	restartsColumn
)

func readPod(columns []object.Column, o *object.Object) (p podState) {
	if len(columns) <= restartsColumn || columns[readyColumn].Name != "Ready" || columns[statusColumn].Name != "Status" || columns[restartsColumn].Kind != object.CountedCell {
		return p
	}
	p.status = o.Cell(columns, statusColumn).Text
	p.known = p.status != "" // history may have only the metadata
	p.ready = full(o.Cell(columns, readyColumn).Text)
	p.done = p.status == "Completed" || p.status == "Succeeded"
	restarts := o.Cell(columns, restartsColumn)
	p.restarted = restarts.At
	p.restarts, _ = strconv.ParseInt(restarts.Text, 10, 64)
	return p
}

// full reports whether "2/2" is all.
func full(fraction string) bool {
	n, of, ok := strings.Cut(fraction, "/")
	return ok && n == of
}

// wanted reports whether a pod may have causes: unless it runs and is ready, or has completed and did
// not fail. After a restart it is of interest for a while.
func (p podState) wanted(o *object.Object, now int64) bool {
	switch {
	case !p.known || o.Deleting():
		return true
	case p.done:
		return o.Health() != object.Plain
	}
	return p.status != "Running" || !p.ready || o.Health() != object.Plain || p.newsUntil(o.Created()) > now
}

// newsUntil returns until when the restarts of the pod's containers may be news; 0 if there are none.
func (p *podState) newsUntil(created int64) int64 {
	switch {
	case p.restarts == 0 || p.restarted == 0:
		return p.restarted
	case p.restarts >= frequent && (p.restarted-created)/p.restarts <= mostBetween:
		return p.restarted + mostNews // one container may have restarted less than all
	}
	return p.restarted + recent
}

// youngUntil returns until when an object cannot have causes that hold, as far as its cells show
// that: pods that just started are many. 0 is no time.
func youngUntil(id string, columns []object.Column, o *object.Object) int64 {
	if id != pods || o.Deleting() {
		return 0
	}
	p := readPod(columns, o)
	switch {
	case !p.known || p.restarts > 0:
	case p.status == "Running" && !p.ready:
		return o.Created() + mayStart
	case p.status == "Pending" || p.status == "ContainerCreating" || p.status == "PodInitializing" || strings.HasPrefix(p.status, "Init:") && strings.Contains(p.status, "/"):
		return o.Created() + mayWait
	}
	return 0
}

// column returns the place of a column, or -1.
func column(columns []object.Column, name string) int {
	for i := range columns {
		if columns[i].Name == name {
			return i
		}
	}
	return -1
}

// Totals counts what the overview shows. Each list has its own: an object that is in two lists for a
// while is not counted twice, and what a list held is not counted once it is closed.
type Totals struct {
	Nodes, NodesBad         int // not Ready
	Pods, PodsBad           int // not ready; those that are done or go away count as well
	Workloads, WorkloadsBad int // what runs pods, or is one, and is part of no other; with fewer ready pods than desired
	Warnings                int // events of that type in the last 15 minutes
}

// Warnings returns how many warnings are recent.
func (e *Engine) Warnings(now time.Time) (n int) {
	for r := range e.events {
		if !r.event.good && r.event.last > now.Unix()-news {
			n++
		}
	}
	return n
}

// Add adds the counts of another list.
func (t *Totals) Add(o Totals) {
	t.Nodes, t.NodesBad = t.Nodes+o.Nodes, t.NodesBad+o.NodesBad
	t.Pods, t.PodsBad = t.Pods+o.Pods, t.PodsBad+o.PodsBad
	t.Workloads, t.WorkloadsBad = t.Workloads+o.Workloads, t.WorkloadsBad+o.WorkloadsBad
	t.Warnings += o.Warnings
}

// Count counts a change of a list, by the ID of its kind.
func (t *Totals) Count(id string, c *Change) {
	t.add(id, c.Columns, c.Before, -1)
	t.add(id, c.Columns, c.After, 1)
}

// add counts an object, or no longer does so.
func (t *Totals) add(id string, columns []object.Column, o *object.Object, by int) {
	if o == nil {
		return
	}
	bad := 0
	if counts(id, columns, o) {
		bad = by
	}
	switch id {
	case pods:
		t.Pods, t.PodsBad = t.Pods+by, t.PodsBad+bad
	case nodes:
		t.Nodes, t.NodesBad = t.Nodes+by, t.NodesBad+bad
	}
	if isWorkload(id, o) {
		t.Workloads, t.WorkloadsBad = t.Workloads+by, t.WorkloadsBad+bad
	}
}

// isWorkload reports whether an object runs pods, or is one, and is part of no other that does.
func isWorkload(id string, o *object.Object) bool {
	switch id {
	case deployments, statefulSets, daemonSets, cronJobs:
		return true
	case replicaSets, jobs, pods:
		_, owned := o.ControllingOwner()
		return !owned && o.PrintedText(0) != "" // history may have only the metadata, without owners
	}
	return false
}

// counts reports whether an object counts as bad in the totals. Of pods, those count that the
// filter "conditions:NotReady status!=Terminating" selects.
func counts(id string, columns []object.Column, o *object.Object) bool {
	if id != pods {
		return isBad(id, columns, o)
	}
	p := readPod(columns, o)
	return p.known && p.status != "Terminating" && o.NotReady(p.status, p.ready)
}

// isBad reports whether an object is not well, by its cells.
func isBad(id string, columns []object.Column, o *object.Object) bool {
	switch id {
	case pods:
		p := readPod(columns, o)
		well := p.done || p.status == "Running" && p.ready
		return p.known && !o.Deleting() && (!well || o.Health() != object.Plain)
	case nodes:
		status := column(columns, "Status")
		if status < 0 {
			return false
		}
		text := o.Cell(columns, status).Text
		return text != "" && !strings.HasPrefix(text, "Ready")
	}
	have, want, ok := readiness(columns, o)
	return ok && have < want
}

// readiness returns how many pods of a workload are ready and desired, as its cells show: "2/3", or
// in two columns.
func readiness(columns []object.Column, o *object.Object) (have, want int64, ok bool) {
	ready := column(columns, "Ready")
	if ready < 0 {
		return 0, 0, false
	}
	n, of, both := strings.Cut(o.Cell(columns, ready).Text, "/")
	if desired := column(columns, "Desired"); !both && desired >= 0 {
		of = o.Cell(columns, desired).Text
	}
	have, err := strconv.ParseInt(n, 10, 64)
	want, err2 := strconv.ParseInt(of, 10, 64)
	return have, want, err == nil && err2 == nil
}
