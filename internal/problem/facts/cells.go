package facts

import (
	"strconv"
	"strings"

	"watchglass/internal/object"
	"watchglass/internal/object/tone"
	"watchglass/internal/problem/kinds"
)

// Cell returns the text of an object's cell; "" if there is no column of that name.
func Cell(columns []object.Column, o *object.Object, name string) string {
	if i := Column(columns, name); i >= 0 {
		return o.Cell(columns, i).Text
	}
	return ""
}

// Column returns the place of a column, or -1.
func Column(columns []object.Column, name string) int {
	for i := range columns {
		if columns[i].Name == name {
			return i
		}
	}
	return -1
}

// Pod is what a pod's cells show.
type Pod struct {
	Known     bool // they are those of a pod
	Status    string
	Ready     bool // all of its containers are
	Done      bool
	Restarted int64 // when it last was; 0 if never
	Restarts  int64
}

// The places of a pod's columns, as the printer of pods has them.
const (
	readyColumn = 1 + iota
	statusColumn
	restartsColumn
)

// ReadPod returns what the cells of a pod show.
func ReadPod(columns []object.Column, o *object.Object) (p Pod) {
	if len(columns) <= restartsColumn || columns[readyColumn].Name != "Ready" || columns[statusColumn].Name != "Status" || columns[restartsColumn].Kind != object.CountedCell {
		return p
	}
	p.Status = o.Cell(columns, statusColumn).Text
	p.Known = p.Status != "" // history may have only the metadata
	p.Ready = full(o.Cell(columns, readyColumn).Text)
	p.Done = p.Status == "Completed" || p.Status == "Succeeded"
	restarts := o.Cell(columns, restartsColumn)
	p.Restarted = restarts.At
	p.Restarts, _ = strconv.ParseInt(restarts.Text, 10, 64)
	return p
}

// full reports whether "2/2" is all.
func full(fraction string) bool {
	n, of, ok := strings.Cut(fraction, "/")
	return ok && n == of
}

// Counts reports whether an object counts as bad in the totals. Of pods, those count that the
// filter "conditions:NotReady status!=Terminating" selects.
func Counts(id string, columns []object.Column, o *object.Object) bool {
	if id != kinds.Pods {
		return IsBad(id, columns, o)
	}
	p := ReadPod(columns, o)
	return p.Known && p.Status != "Terminating" && o.NotReady(p.Status, p.Ready)
}

// IsBad reports whether an object is not well, by its cells.
func IsBad(id string, columns []object.Column, o *object.Object) bool {
	switch id {
	case kinds.Pods:
		p := ReadPod(columns, o)
		well := p.Done || p.Status == "Running" && p.Ready
		return p.Known && !o.Deleting() && (!well || o.Health() != tone.Plain)
	case kinds.Nodes:
		status := Column(columns, "Status")
		if status < 0 {
			return false
		}
		text := o.Cell(columns, status).Text
		return text != "" && !strings.HasPrefix(text, "Ready")
	}
	have, want, ok := Readiness(columns, o)
	return ok && have < want
}

// Readiness returns how many pods of a workload are ready and desired, as its cells show: "2/3", or
// in two columns.
func Readiness(columns []object.Column, o *object.Object) (have, want int64, ok bool) {
	ready := Column(columns, "Ready")
	if ready < 0 {
		return 0, 0, false
	}
	n, of, both := strings.Cut(o.Cell(columns, ready).Text, "/")
	if desired := Column(columns, "Desired"); !both && desired >= 0 {
		of = o.Cell(columns, desired).Text
	}
	have, err := strconv.ParseInt(n, 10, 64)
	want, err2 := strconv.ParseInt(of, 10, 64)
	return have, want, err == nil && err2 == nil
}
