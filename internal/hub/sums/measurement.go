package sums

import (
	"slices"
	"strings"
	"time"

	"watchglass/internal/document"
	"watchglass/internal/object"
)

// MetricsGroup is the API group of metrics.
const MetricsGroup = "metrics.k8s.io"

// MetricsOf returns the kind of metrics that the usage of a kind comes from, by their IDs; "" if
// there is none.
func MetricsOf(kind string) string {
	switch kind {
	case "pods", "namespaces":
		return "pods." + MetricsGroup
	case "nodes":
		return "nodes." + MetricsGroup
	}
	return ""
}

// MetricsPaths returns the paths of a kind of metrics that have the CPU, the memory and when they
// were measured.
func MetricsPaths(metrics string) []string {
	of := "{.containers[*].usage."
	if strings.HasPrefix(metrics, "nodes") {
		of = "{.usage."
	}
	return []string{of + "cpu}", of + "memory}", "{.timestamp}"}
}

// ContainerNames is the path of the names of a pod's containers, in the order of their amounts.
const ContainerNames = "{.containers[*].name}"

// Measurement is what a pod or a node used when it was measured, in thousandths.
type Measurement struct{ CPU, Memory, At int64 }

// meter reads the measurements in objects of some columns, by their places.
type meter struct {
	columns []object.Column
	places  []int // of MetricsPaths; -1 is missing
}

func newMeter(metrics string, columns []object.Column) meter {
	m := meter{columns: columns}
	for _, path := range MetricsPaths(metrics) {
		m.places = append(m.places, slices.IndexFunc(columns, func(c object.Column) bool { return c.Name == path }))
	}
	return m
}

// read returns the measurement in an object. It is not ok without a time.
func (m meter) read(o *object.Object) (all Measurement, ok bool) {
	if slices.Contains(m.places, -1) {
		return all, false
	}
	text := func(i int) string { return o.Cell(m.columns, m.places[i]).Text }
	at, err := time.Parse(time.RFC3339, text(2))
	return Measurement{added(text(0)), added(text(1)), at.Unix()}, err == nil
}

// ReadMeasurement returns the measurement in an object of some columns, those of MetricsPaths among
// them. It is not ok without a time.
func ReadMeasurement(metrics string, columns []object.Column, o *object.Object) (Measurement, bool) {
	return newMeter(metrics, columns).read(o)
}

// added returns the sum of quantities, in thousandths. It is clamped to what a quantity can be.
func added(list string) int64 {
	var sum document.Sum
	for text := range strings.SplitSeq(list, ",") {
		sum.Add(document.ParseQuantity(text).Milli)
	}
	return sum.Clamped()
}
