package problem

import (
	"testing"
	"time"

	"watchglass/internal/document"
	"watchglass/internal/object"
	"watchglass/internal/problem/facts"
	"watchglass/internal/problem/problemtest"
	"watchglass/internal/problem/rule"
)

// decodeCrowded decodes such a pod.
func decodeCrowded(t testing.TB, containers int, completed bool) Change {
	t.Helper()
	kind, _ := object.Builtin("pods")
	d := object.NewDecoder(kind, true)
	o, err := d.Decode(problemtest.Crowded(containers, completed))
	if err != nil {
		t.Fatal(err)
	}
	return Change{Kind: &kind, Columns: append(append([]object.Column{}, d.Columns()...), kind.ComputedColumns()...), After: o}
}

// BenchmarkCrowded takes the steps in which a pod of 1,500 containers is read and judged. Nothing interrupts any of them,
// so none may take more than 50 ms in the tab.
func BenchmarkCrowded(b *testing.B) {
	for name, completed := range map[string]bool{"waiting": false, "completed": true} {
		c := decodeCrowded(b, 1500, completed)
		payload, d := problemtest.Crowded(1500, completed), object.NewDecoder(*c.Kind, true)
		now := time.Unix(problemtest.CrowdAt, 0)
		e := New(Options{})
		e.Apply([]Change{c}, now)
		e.Read(now, 1)
		for _, step := range []struct {
			name string
			do   func()
		}{
			{"decode", func() { d.Decode(payload) }},
			{"cells", func() {
				for i := range c.Columns {
					c.After.Cell(c.Columns, i)
				}
			}},
			{"check", func() {
				is, _ := c.Kind.Parts(c.After)
				rule.Check(*c.Kind, document.Of(is), now)
			}},
			{"engine", func() {
				e.Apply([]Change{c}, now)
				e.Read(now, 1)
			}},
			{"rows", func() {
				e.invalidate(e.records[facts.ID{Resource: "pods", Namespace: "checkout", Name: "crowd"}])
				e.Changed(now)
			}},
			{"all of it as JSON", func() {
				text, _ := c.Kind.Document(c.After)
				document.Parse(text)
			}},
		} {
			b.Run(name+"/"+step.name, func(b *testing.B) {
				for b.Loop() {
					step.do()
				}
				b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/1000, "ms/step")
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}
