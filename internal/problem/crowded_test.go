package problem

import (
	"fmt"
	"testing"
	"time"

	"google.golang.org/protobuf/encoding/protowire"

	"watchglass/internal/document"
	"watchglass/internal/object"
)

// pb appends fields to a message of protobuf: texts, numbers, and messages. A field of many is a list.
func pb(fields ...any) (out []byte) {
	for i := 0; i < len(fields); i += 2 {
		number := protowire.Number(fields[i].(int))
		switch value := fields[i+1].(type) {
		case int:
			out = protowire.AppendVarint(protowire.AppendTag(out, number, protowire.VarintType), uint64(value))
		case string:
			out = protowire.AppendString(protowire.AppendTag(out, number, protowire.BytesType), value)
		case []byte:
			out = protowire.AppendBytes(protowire.AppendTag(out, number, protowire.BytesType), value)
		case [][]byte:
			for _, one := range value {
				out = protowire.AppendBytes(protowire.AppendTag(out, number, protowire.BytesType), one)
			}
		}
	}
	return out
}

// crowdAt is the time in the cluster, in unix seconds.
const crowdAt = 1_795_000_000

// crowded returns a pod whose containers have failed, as the apiserver sends it: 1,500 are 0.7 MB, and an object has at
// most about twice that. Of each two, one is an init container that waits, or that has completed.
func crowded(containers int, completed bool) []byte {
	var spec, statuses [2][][]byte
	for i := range containers {
		name, image := fmt.Sprintf("container-%06d", i), fmt.Sprintf("registry.example.com/team/application-%06d:1.2.3", i)
		probe := pb(2, 1, 4, 10) // after 1 s, every 10 s
		spec[i%2] = append(spec[i%2], pb(1, name, 2, image, 7, pb(1, "NAME", 2, "some value"), 11, probe))
		last := pb(3, pb(1, 1+i%250, 3, "Error", 4, "it failed", 5, pb(1, crowdAt-600), 6, pb(1, crowdAt-300)))
		now := pb(1, pb(1, "CrashLoopBackOff", 2, "back-off 5m0s restarting failed container"))
		if i%2 == 1 && completed {
			now = pb(3, pb(1, 0, 3, "Completed", 5, pb(1, crowdAt-600), 6, pb(1, crowdAt-300)))
		}
		statuses[i%2] = append(statuses[i%2], pb(1, name, 2, now, 3, last, 4, 0, 5, 7, 6, image, 7, fmt.Sprintf("sha256:%064d", i)))
	}
	meta := pb(1, "crowd", 3, "checkout", 5, "u", 6, "1", 8, pb(1, crowdAt-3600))
	pod := pb(1, meta, 2, pb(2, spec[0], 10, "n1", 20, spec[1]), 3, pb(1, "Pending", 2, pb(1, "Ready", 2, "False", 4, pb(1, crowdAt-300)), 8, statuses[0], 10, statuses[1]))
	kind, _ := object.Builtin("pods")
	return kind.Wrap(nil, pod)
}

// decodeCrowded decodes such a pod.
func decodeCrowded(t testing.TB, containers int, completed bool) Change {
	t.Helper()
	kind, _ := object.Builtin("pods")
	d := object.NewDecoder(kind, true)
	o, err := d.Decode(crowded(containers, completed))
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
		payload, d := crowded(1500, completed), object.NewDecoder(*c.Kind, true)
		now := time.Unix(crowdAt, 0)
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
				Check(*c.Kind, document.Of(is), now)
			}},
			{"engine", func() {
				e.Apply([]Change{c}, now)
				e.Read(now, 1)
			}},
			{"rows", func() {
				e.invalidate(e.records[ID{"pods", "checkout", "crowd"}])
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

// TestCrowded holds that of a pod with many containers in back-off some are described and the others are counted, that the
// count names since when they fail, and that a reason which only the last of them has is not lost.
func TestCrowded(t *testing.T) {
	const containers = 400
	c := decodeCrowded(t, containers, false)
	is, err := c.Kind.Parts(c.After)
	if err != nil {
		t.Fatal(err)
	}
	doc := document.Of(document.Of(is).Any())
	statuses := doc.ListAt("status.containerStatuses")
	last := statuses[len(statuses)-1].Get("lastState.terminated").Any().(map[string]any)
	last["reason"] = "OOMKilled"
	before := statuses[len(statuses)-2].Get("lastState.terminated").Any().(map[string]any)
	before["finishedAt"] = time.Unix(crowdAt-900, 0).UTC().Format(time.RFC3339) // before the pod was unready
	all := Check(*c.Kind, doc, time.Unix(crowdAt, 0))
	var counted, killed []string
	for _, found := range all {
		switch {
		case found.Reason == "OOMKilled":
			killed = append(killed, found.Words)
		case found.Container == "":
			counted = append(counted, fmt.Sprint(found.Words, ", ", crowdAt-found.Since))
		}
	}
	if len(all) != mostLoops+2 || len(killed) != 1 || fmt.Sprint(counted) != "[349 more containers: CrashLoopBackOff, 900]" {
		t.Errorf("%d causes, %q, %q", len(all), counted, killed)
	}
}
