package detail

import (
	"strconv"

	"watchglass/internal/document"
	"watchglass/internal/series"
)

// Usage is what a pod or a node uses.
type Usage struct {
	Note        string // why nothing is known
	At          int64  // when it was measured, in Unix seconds; 0 if it is not yet known
	CPU, Memory document.Quantity
	// The last 15 minutes, in thousandths.
	CPUs, Memories []float32
	Containers     []ContainerUsage
}

// ContainerUsage is what a container uses.
type ContainerUsage struct {
	Name        string
	CPU, Memory document.Quantity
}

// CPUText writes an amount of CPU as kubectl top does.
func CPUText(q document.Quantity) string { return strconv.FormatInt(q.Milli, 10) + "m" }

// MemoryText writes an amount of memory as kubectl top does.
func MemoryText(q document.Quantity) string { return strconv.FormatInt(q.Milli/1000>>20, 10) + "Mi" }

// SetUsage adds the usage of the object above the other sections.
func (s *Summary) SetUsage(v document.Value, u Usage) {
	section := Section{Title: "Usage"}
	switch {
	case u.Note != "":
		section.Badge = Line{}.styled(Quiet, u.Note)
	case u.At != 0:
		section.Badge = Line{{At: u.At}}
	}
	cpu := usageRow("CPU", u.CPU, u.CPUs, CPUText)
	memory := usageRow("Memory", u.Memory, u.Memories, MemoryText)
	switch {
	case u.At != 0:
		cpu.shares(v, "cpu", u.CPU)
		memory.shares(v, "memory", u.Memory)
	case u.Note != "": // what was before is still shown
		cpu.Lines, memory.Lines = cpu.Lines[1:], memory.Lines[1:]
	default:
		cpu.Lines[0], memory.Lines[0] = Line{}.styled(Quiet, "…"), Line{}.styled(Quiet, "…")
	}
	if u.Note == "" || isKnown(u.CPUs) {
		section.Rows = []Row{cpu, memory}
	}
	if u.At != 0 && len(u.Containers) > 1 {
		section.Tables = []Table{containerUsage(v, u.Containers)}
	}
	r := &room{pieces: mostPieces, bytes: mostText}
	all, _ := r.sections([]Section{section})
	s.Sections = append(all, s.Sections...)
}

func isKnown(values []float32) bool {
	for _, n := range values {
		if n >= 0 {
			return true
		}
	}
	return false
}

// usageRow returns a row with an amount and its sparkline.
func usageRow(name string, q document.Quantity, values []float32, text func(document.Quantity) string) Row {
	label, low, high := "", float32(series.Unknown), float32(series.Unknown)
	for _, n := range values {
		if n >= 0 && (low < 0 || n < low) {
			low = n
		}
		high = max(high, n)
	}
	if high >= 0 {
		label = "Last 15 minutes: " + text(document.NewQuantity(int64(low), false)) + " to " + text(document.NewQuantity(int64(high), false))
	}
	return Row{Name: name, Lines: []Line{Line{}.text(text(q)), {{Text: label, Values: values}}}}
}

// shares adds the percentages of what a pod requests and may use, or of what is allocatable on a node.
func (r *Row) shares(v document.Value, resource string, q document.Quantity) {
	add := func(of document.Quantity, what string) {
		if of.Milli > 0 {
			r.Lines[0] = r.Lines[0].styled(Quiet, " · "+q.Percent(of)+" of "+what+" "+of.String())
		}
	}
	if v.TextAt("kind") == "Node" {
		of := v.Get("status.allocatable")
		if of.Len() == 0 {
			of = v.Get("status.capacity")
		}
		add(document.ParseQuantity(of.At(resource).Text()), "allocatable")
		return
	}
	add(PodQuantities(v, "requests")[resource], "request")
	add(PodQuantities(v, "limits")[resource], "limit")
}

// containerUsage returns the table of a pod's containers.
func containerUsage(v document.Value, all []ContainerUsage) Table {
	limits := make(map[string]document.Value)
	for _, c := range append(v.ListAt("spec.containers"), v.ListAt("spec.initContainers")...) {
		limits[c.TextAt("name")] = c.Get("resources.limits")
	}
	t := Table{Columns: []Column{{Name: "Container"}, {Name: "CPU", Right: true}, {Name: "CPU limit", Right: true}, {Name: "Memory", Right: true}, {Name: "Memory limit", Right: true}}}
	for _, c := range all {
		limit := func(resource string, q document.Quantity) Line {
			of := document.ParseQuantity(limits[c.Name].At(resource).Text())
			if of.Milli <= 0 {
				return Line{}.styled(Quiet, "none")
			}
			return Line{}.text(of.String()).styled(Quiet, " ("+q.Percent(of)+")")
		}
		t.Rows = append(t.Rows, []Line{Line{}.text(c.Name), Line{}.text(CPUText(c.CPU)), limit("cpu", c.CPU), Line{}.text(MemoryText(c.Memory)), limit("memory", c.Memory)})
	}
	return t
}
