package rule

import (
	"strings"

	"watchglass/internal/object"
	"watchglass/internal/object/tone"
	"watchglass/internal/problem/facts"
	"watchglass/internal/problem/kinds"
	"watchglass/internal/problem/text"
)

// Wants reports whether the engine has to look at an object of a kind and its ID. It is cheap, as it reads cells only:
// of a healthy pod the engine needs nothing but Apply's count.
func Wants(kind *object.Kind, id string, columns []object.Column, o *object.Object, now int64) bool {
	switch {
	case id == kinds.Pods:
		return wantsPod(facts.ReadPod(columns, o), o, now)
	case kinds.Keeps(id):
		return true
	case id == kinds.Events:
		typ, seen := facts.Column(columns, "Type"), facts.Column(columns, "Last Seen")
		return typ >= 0 && seen >= 0 && (o.Cell(columns, typ).Text == "Warning" || isSuccess(columns, o)) && o.Cell(columns, seen).At > now-News
	case !kind.Native() && (kind.Whole(o) || o.Lost()):
		return true // its conditions say how it is, which no column need show
	}
	of := object.ToneOfObject(kind.Name, o, columns)
	return of == tone.Warning || of == tone.Failed
}

// isSuccess reports whether a normal event may say that what a warning said is over. Those about pods and
// what creates pods are many, and their objects say it.
func isSuccess(columns []object.Column, o *object.Object) bool {
	reason, about := facts.Column(columns, "Reason"), facts.Column(columns, "Object")
	if reason < 0 || about < 0 {
		return false
	}
	why := o.Cell(columns, reason).Text
	if !strings.Contains(why, "Succe") && !strings.HasPrefix(why, "Ensured") {
		return false
	}
	kind, _, _ := strings.Cut(o.Cell(columns, about).Text, "/")
	return !text.Listed(" pod replicaset replicationcontroller deployment statefulset daemonset job cronjob horizontalpodautoscaler node ", kind)
}

// wantsPod reports whether a pod may have causes: unless it runs and is ready, or has completed and did
// not fail. After a restart it is of interest for a while.
func wantsPod(p facts.Pod, o *object.Object, now int64) bool {
	switch {
	case !p.Known || o.Deleting():
		return true
	case p.Done:
		return o.Health() != tone.Plain
	}
	return p.Status != "Running" || !p.Ready || o.Health() != tone.Plain || newsUntil(&p, o.Created()) > now
}

// newsUntil returns until when the restarts of the pod's containers may be news; 0 if there are none.
func newsUntil(p *facts.Pod, created int64) int64 {
	switch {
	case p.Restarts == 0 || p.Restarted == 0:
		return p.Restarted
	case p.Restarts >= frequent && (p.Restarted-created)/p.Restarts <= mostBetween:
		return p.Restarted + mostNews // one container may have restarted less than all
	}
	return p.Restarted + recent
}

// YoungUntil returns until when an object cannot have causes that hold, as far as its cells show
// that: pods that just started are many. 0 is no time.
func YoungUntil(id string, columns []object.Column, o *object.Object) int64 {
	if id != kinds.Pods || o.Deleting() {
		return 0
	}
	p := facts.ReadPod(columns, o)
	switch {
	case !p.Known || p.Restarts > 0:
	case p.Status == "Running" && !p.Ready:
		return o.Created() + mayStart
	case p.Status == "Pending" || p.Status == "ContainerCreating" || p.Status == "PodInitializing" || strings.HasPrefix(p.Status, "Init:") && strings.Contains(p.Status, "/"):
		return o.Created() + mayWait
	}
	return 0
}

// News is how long a warning counts, in seconds.
const News = 15 * 60
