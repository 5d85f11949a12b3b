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
	sumColumns
)

// The numbers of the columns with usage.
const (
	cpuUsage = sumColumns + iota
	memoryUsage
	measured
	cpuOfRequest
	cpuOfLimit
	memoryOfRequest
	memoryOfLimit
	allColumns
)

// The cells of all columns are All, those of usage from FirstUsage on.
const (
	FirstUsage = cpuUsage
	All        = allColumns
)

// IsSum reports whether the derived column of a number shows a sum.
func IsSum(number int) bool { return number < cpuUsage }

// IsUsage reports whether the derived column of a number shows usage.
func IsUsage(number int) bool { return number >= cpuUsage }

// summed are the columns with a sum of quantities; of each, the resource and where a pod has it.
var summed = [...]struct{ resource, which string }{
	cpuRequests:    {"cpu", "requests"},
	memoryRequests: {"memory", "requests"},
	cpuLimits:      {"cpu", "limits"},
	memoryLimits:   {"memory", "limits"},
}

// endpointsColumn is the number of the derived column of Services.
const endpointsColumn = 0

// HasEndpoints reports whether a kind has a column with its ready endpoints, by its ID.
func HasEndpoints(kind string) bool { return kind == "services" }

// Of reports whether a kind has sums, by its ID.
func Of(kind string) bool { return kind == "nodes" || kind == "namespaces" }

// Columns returns the columns of a kind with its derived ones, those of usage if it is metered, and
// those of what pods request. Those shown by default stand before kubectl's wide columns, since the first columns are the
// last to be hidden.
func Columns(kind string, columns []object.Column, metered bool, requests []object.Column) []object.Column {
	if metered {
		columns = usageColumns(kind, columns)
	}
	if kind == "pods" {
		return append(slices.Clip(columns), requests...)
	}
	if HasEndpoints(kind) {
		return append(slices.Clip(columns), object.DerivedColumn("Endpoints", -1, endpointsColumn).In(object.Number))
	}
	if !Of(kind) {
		return columns
	}
	wide := slices.IndexFunc(columns, func(c object.Column) bool { return c.Priority > 0 })
	if wide < 0 {
		wide = len(columns)
	}
	out := slices.Concat(columns[:wide], []object.Column{
		object.DerivedColumn("Pods", 1, podsColumn).In(object.Number),
		object.DerivedColumn("CPU Requests", 1, cpuRequests).In(object.Decimal),
		object.DerivedColumn("Memory Requests", 1, memoryRequests).In(object.Binary),
	}, columns[wide:], []object.Column{
		object.DerivedColumn("CPU Limits", 1, cpuLimits).In(object.Decimal),
		object.DerivedColumn("Memory Limits", 1, memoryLimits).In(object.Binary),
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

// UsageNames returns the names of a kind's columns with usage.
func UsageNames(kind string) (names []string) {
	for _, c := range usageColumns(kind, nil) {
		names = append(names, c.Name)
	}
	return names
}

// usageColumns adds the columns with usage.
func usageColumns(kind string, columns []object.Column) []object.Column {
	priority := -1 // metrics of pods are large: they are requested by name
	if kind == "nodes" {
		priority = 1
	}
	at := slices.IndexFunc(columns, func(c object.Column) bool { return c.Priority > 0 })
	if at < 0 {
		at = len(columns)
	}
	age := object.DerivedColumn("Measured", -1, measured)
	age.Kind = object.AgeCell
	out := slices.Concat(columns[:at], []object.Column{object.DerivedColumn("CPU", priority, cpuUsage).In(object.Decimal), object.DerivedColumn("Memory", priority, memoryUsage).In(object.Binary)}, columns[at:], []object.Column{age})
	if kind == "pods" {
		out = append(out,
			object.DerivedColumn("CPU of Request", -1, cpuOfRequest), object.DerivedColumn("CPU of Limit", -1, cpuOfLimit),
			object.DerivedColumn("Memory of Request", -1, memoryOfRequest), object.DerivedColumn("Memory of Limit", -1, memoryOfLimit))
	}
	return out
}
