package sums

import (
	"slices"

	"watchglass/internal/object"
)

// The numbers of the derived columns.
const (
	podsColumn = iota
	cpuRequests
	memoryRequests
	cpuLimits
	memoryLimits
	requested
	cpuRequested
	memoryRequested
	derivedColumns
)

// summed are the columns with a sum of quantities; of each, the resource and where a pod has it.
var summed = [...]struct{ resource, which string }{
	cpuRequests:    {"cpu", "requests"},
	memoryRequests: {"memory", "requests"},
	cpuLimits:      {"cpu", "limits"},
	memoryLimits:   {"memory", "limits"},
}

// Of reports whether a kind has sums, by its ID.
func Of(kind string) bool { return kind == "nodes" || kind == "namespaces" }

// Columns returns the columns of a kind with its derived ones: those shown by default stand
// before kubectl's wide columns, since the first columns are the last to be hidden.
func Columns(kind string, columns []object.Column) []object.Column {
	if !Of(kind) {
		return columns
	}
	wide := slices.IndexFunc(columns, func(c object.Column) bool { return c.Priority > 0 })
	if wide < 0 {
		wide = len(columns)
	}
	out := slices.Concat(columns[:wide], []object.Column{
		object.DerivedColumn("Pods", 1, podsColumn),
		object.DerivedColumn("CPU Requests", 1, cpuRequests),
		object.DerivedColumn("Memory Requests", 1, memoryRequests),
	}, columns[wide:], []object.Column{
		object.DerivedColumn("CPU Limits", 1, cpuLimits),
		object.DerivedColumn("Memory Limits", 1, memoryLimits),
	})
	if kind == "nodes" {
		out = append(out,
			object.DerivedColumn("Requested", -1, requested),
			object.DerivedColumn("CPU Requested", -1, cpuRequested),
			object.DerivedColumn("Memory Requested", -1, memoryRequested),
		)
	}
	return out
}
