package detail

import (
	"strings"
	"testing"

	"watchglass/internal/document"
)

// TestUsage checks the section with what an object uses: shares of what the columns of its list
// compare with, containers only if there are several, and why there is nothing.
func TestUsage(t *testing.T) {
	cpu, memory := document.ParseQuantity("120m"), document.ParseQuantity("32Mi")
	values := []float32{-1, 60, 120}
	measured := Usage{At: 100, CPU: cpu, Memory: memory, CPUs: values, Memories: values}
	two := measured
	two.Containers = []ContainerUsage{{"main", document.ParseQuantity("100m"), memory}, {"side", document.ParseQuantity("20m"), memory}}
	one := measured
	one.Containers = two.Containers[:1]
	const pod = `{"kind":"Pod","spec":{"containers":[{"name":"main","resources":{"requests":{"cpu":"500m"},"limits":{"cpu":"1","memory":"64Mi"}}},{"name":"side"}]}}`
	const full = "Usage @100\nCPU: 120m · 24% of request 500m · 12% of limit 1 / [Last 15 minutes: 60m to 120m]\nMemory: 32Mi · 50% of limit 64Mi / [Last 15 minutes: 0Mi to 0Mi]"
	for name, c := range map[string]struct {
		doc  string
		u    Usage
		want string
	}{
		"a pod":            {pod, one, full},
		"several":          {pod, two, full + "\n  main|100m|1 (10%)|32Mi|64Mi (50%)\n  side|20m|none|32Mi|none"},
		"nothing requests": {`{"kind":"Pod"}`, Usage{At: 100, CPU: cpu, Memory: memory, CPUs: []float32{-1}, Memories: []float32{-1}}, "Usage @100\nCPU: 120m / []\nMemory: 32Mi / []"},
		"a node":           {`{"kind":"Node","status":{"capacity":{"cpu":"5"},"allocatable":{"cpu":"4","memory":"64Mi"}}}`, measured, "Usage @100\nCPU: 120m · 3% of allocatable 4 / [Last 15 minutes: 60m to 120m]\nMemory: 32Mi · 50% of allocatable 64Mi / [Last 15 minutes: 0Mi to 0Mi]"},
		"not yet":          {pod, Usage{CPUs: []float32{-1}, Memories: []float32{-1}}, "Usage\nCPU: … / []\nMemory: … / []"},
		"denied":           {pod, Usage{Note: "No permission to list metrics", CPUs: []float32{-1}, Memories: []float32{-1}}, "Usage No permission to list metrics"},
		"no more":          {pod, Usage{Note: "Not measured", CPUs: values, Memories: values}, "Usage Not measured\nCPU: [Last 15 minutes: 60m to 120m]\nMemory: [Last 15 minutes: 0Mi to 0Mi]"},
	} {
		v, err := document.Parse([]byte(c.doc))
		if err != nil {
			t.Fatal(err)
		}
		s := Summary{Sections: []Section{{Title: "Object"}}}
		if s.SetUsage(v, c.u); len(s.Sections) != 2 || usageText(s.Sections[0]) != c.want {
			t.Errorf("%s: %q, want %q", name, usageText(s.Sections[0]), c.want)
		}
	}
}

// usageText writes a section: sparklines in brackets, instants after an @.
func usageText(s Section) string {
	line := func(l Line) (out string) {
		for _, p := range l {
			switch {
			case p.Values != nil:
				out += "[" + p.Text + "]"
			case p.At != 0:
				out += "@" + document.NewQuantity(p.At*1000, false).String()
			default:
				out += p.Text
			}
		}
		return out
	}
	out := strings.TrimSpace(s.Title + " " + line(s.Badge))
	for _, r := range s.Rows {
		var lines []string
		for _, l := range r.Lines {
			lines = append(lines, line(l))
		}
		out += "\n" + r.Name + ": " + strings.Join(lines, " / ")
	}
	for _, t := range s.Tables {
		for _, r := range t.Rows {
			var cells []string
			for _, l := range r {
				cells = append(cells, line(l))
			}
			out += "\n  " + strings.Join(cells, "|")
		}
	}
	return out
}
