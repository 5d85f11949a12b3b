package pane

import (
	"slices"
	"strings"
	"time"

	"watchglass/internal/detail"
	"watchglass/internal/detail/related"
	"watchglass/internal/document"
	"watchglass/internal/hub/source"
	"watchglass/internal/hub/sums"
	"watchglass/internal/informer"
	"watchglass/internal/object"
	"watchglass/internal/series"
	"watchglass/internal/wire"
)

// usage polls the metrics of a summary's object, where they are served.
type usage struct {
	subject    Subject
	generation int // of the kinds, when its kind was looked for
	feed       *source.Feed
	kind       string // ID of the metrics
	now        detail.Usage
}

// open leases the metrics of the object alone, with the usage of each container. They are polled even
// while a list polls those of all objects, whose columns have sums only.
func (u *usage) open(h Host) {
	g := h.Kinds().Generation()
	if u.feed != nil || u.generation == g {
		return
	}
	u.generation = g
	if u.kind = sums.MetricsOf(u.subject.Kind.ID()); u.kind == "" || u.subject.Kind.ID() == "namespaces" {
		return
	}
	kind, served := h.Kinds().Find(u.kind)
	if !served {
		return
	}
	paths := sums.MetricsPaths(u.kind)
	if kind.Namespaced {
		paths = append(paths, sums.ContainerNames)
	}
	lease := h.Lease(kind, source.Selection{Namespace: u.subject.Namespace, Fields: related.ByName + u.subject.Name, Paths: paths})
	u.feed = source.Follow(lease, nil, h.RequestUpdate)
}

func (u *usage) close() {
	u.feed.Close()
	u.feed, u.generation = nil, 0
}

// follow opens and closes the metrics. What has ended uses nothing.
func (u *usage) follow(h Host, body document.Value, gone bool) {
	if phase := body.TextAt("status.phase"); gone || phase == "Succeeded" || phase == "Failed" {
		u.close()
		return
	}
	u.open(h)
}

// shows reports whether there is something to say: a pod that waits to start is not expected to use
// anything.
func (u *usage) shows(body document.Value) bool {
	return u.feed != nil && (u.now.At != 0 || body.TextAt("status.phase") != "Pending")
}

// refresh reads the usage, and reports whether it has changed. The sparklines move on with time.
func (u *usage) refresh(h Host, now time.Time) (changed bool) {
	if u.feed == nil {
		return false
	}
	key := u.subject.Name
	if u.subject.Namespace != "" {
		key = u.subject.Namespace + "/" + key
	}
	h.WakeAt(time.Unix(0, (series.StepOf(now)+1)*int64(series.Step)))
	next := u.measured(key, source.StatusOf(u.feed.Lease, h.Link(), now))
	next.CPUs, next.Memories = h.Used(key, now)
	changed = next.Note != u.now.Note || next.At != u.now.At || !slices.Equal(next.CPUs, u.now.CPUs) || !slices.Equal(next.Memories, u.now.Memories)
	u.now = next
	return changed
}

// measured returns what the object uses, or why that is not known.
func (u *usage) measured(key string, status source.Status) (out detail.Usage) {
	columns, m, ok := u.feed.Decoder().Columns(), sums.Measurement{}, false
	o, there := u.feed.Store().Get(key)
	if there {
		m, ok = sums.ReadMeasurement(u.kind, columns, o)
	}
	switch {
	case status.Fresh == informer.Denied && status.Cause != nil && status.Cause.Origin == wire.FromTab: // in the past
		out.Note = "Not remembered"
	case status.Fresh == informer.Denied:
		out.Note = "No permission to list metrics"
	case ok:
		out.At, out.CPU, out.Memory = m.At, document.NewQuantity(m.CPU, false), document.NewQuantity(m.Memory, true)
		out.Containers = containersOf(u.kind, columns, o)
	case status.Failing():
		out.Note = "Metrics are unavailable"
	case status.Listed():
		out.Note = "Not measured"
	}
	return out
}

// containersOf returns what the containers of a pod use.
func containersOf(metrics string, columns []object.Column, o *object.Object) (all []detail.ContainerUsage) {
	cell := func(name string) []string {
		for i, c := range columns {
			if c.Name == name {
				return strings.Split(o.Cell(columns, i).Text, ",")
			}
		}
		return nil
	}
	paths := sums.MetricsPaths(metrics)
	names, cpus, memories := cell(sums.ContainerNames), cell(paths[0]), cell(paths[1])
	if len(names) != len(cpus) || len(names) != len(memories) {
		return nil
	}
	for i, name := range names {
		all = append(all, detail.ContainerUsage{Name: name, CPU: document.ParseQuantity(cpus[i]), Memory: document.ParseQuantity(memories[i])})
	}
	return all
}
