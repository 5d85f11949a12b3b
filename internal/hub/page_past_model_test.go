package hub

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"watchglass/internal/port"
	"watchglass/internal/view"
	"watchglass/internal/wire"
)

// model is a naive cluster: its pods are all there is, and everything is counted anew.
type model map[string]testObject

// lists returns what a list of the pods shows, what its statuses are with the sums of their requests, and
// what a list of the nodes shows.
func (m model) lists() (pods, statuses, nodes string) {
	var rows []string
	count, cpu := make(map[string]int), make(map[string]int)
	for _, key := range slices.Sorted(maps.Keys(m)) {
		o := m[key]
		rows = append(rows, strings.Join([]string{o.namespace, o.name, o.status, o.cpu}, " "))
		n, _ := strconv.Atoi(strings.TrimSuffix(o.cpu, "m"))
		for _, of := range []string{o.status, o.node} {
			count[of]++
			cpu[of] += n
		}
	}
	var values []string
	for _, status := range []string{"Pending", "Running"} {
		if count[status] > 0 {
			values = append(values, fmt.Sprint(status, " ", count[status], " ", cores(cpu[status])))
		}
	}
	var on []string
	for _, node := range []string{"n1", "n2"} {
		on = append(on, fmt.Sprintf("%s %d %s", node, count[node], cores(cpu[node])))
	}
	return strings.Join(rows, ", "), strings.Join(values, ", "), strings.Join(on, ", ")
}

func cores(milli int) string {
	if milli%1000 == 0 {
		return fmt.Sprint(milli / 1000)
	}
	return fmt.Sprint(milli, "m")
}

// change makes a random change.
func (m model) change(r *rand.Rand, p *proxy) {
	name := fmt.Sprint("p", r.IntN(20))
	before, there := m["z/"+name]
	o := onNode(name, []string{"n1", "n2"}[r.IntN(2)], fmt.Sprint(101+r.IntN(300), "m"))
	o.namespace, o.status = "z", []string{"Running", "Pending"}[r.IntN(2)]
	switch {
	case !there:
		m["z/"+name] = o
		p.change(wire.Added, o)
	case r.IntN(2) == 0:
		o.node, o.cpu = before.node, before.cpu
		m["z/"+name] = o
		p.change(wire.Modified, o)
	default:
		delete(m, "z/"+name)
		p.change(wire.Deleted, o)
	}
}

// withoutShare is what a row of a node says of its capacity.
var withoutShare = regexp.MustCompile(` \([0-9]+%\)`)

// statuses returns the values of the facet of statuses, with their counts and sums.
func (b *fixture) statuses() string {
	b.page.mu.Lock()
	defer b.page.mu.Unlock()
	var out []string
	for _, f := range b.page.window.Facets {
		if f.Name == "Status" {
			for _, v := range f.Values {
				out = append(out, fmt.Sprint(v.Value, " ", v.Count, " ", v.Sum))
			}
		}
	}
	slices.Sort(out)
	return strings.Join(out, ", ")
}

// TestTravelModel compares lists at a thousand random moments with a naive model: their rows, the counts and
// sums of their facets, and sums over other objects.
func TestTravelModel(t *testing.T) {
	p := nodesWithPods()
	for _, o := range slices.Clone(p.things) {
		if o.resource == "pods" {
			p.change(wire.Deleted, o)
		}
	}
	onPages(t, map[string]*proxy{"": p}, func(t *testing.T, c *pagesFixture) {
		v, r, m := c.connect("", "ana"), rand.New(rand.NewPCG(1, 2)), model{}
		requests := func(seq uint32) view.Query {
			return view.Query{Seq: seq, Sort: "Name", Limit: 50, Sum: "CPU Requests", Columns: []string{"Namespace", "Name", "Status", "CPU Requests"}}
		}
		v.showList("nodes", byName(view.Query{Seq: 1}))
		v.wait(time.Second)
		v.showList("pods", requests(2))
		v.wait(time.Second)
		type moment struct {
			at                    time.Time
			pods, statuses, nodes string
		}
		var moments []moment
		for range 300 {
			m.change(r, p)
			v.wait(time.Second)
			now := moment{at: time.Now()}
			now.pods, now.statuses, now.nodes = m.lists()
			moments = append(moments, now)
			v.wait(time.Second)
		}
		for n := range 1000 {
			nodes := n/100%2 == 1
			if n%100 == 0 && nodes {
				v.showList("nodes", byName(view.Query{Seq: uint32(n) + 3}))
			} else if n%100 == 0 {
				v.showList("pods", requests(uint32(n)+3))
			}
			at := moments[r.IntN(len(moments))]
			if past := v.travel(port.Travel{At: at.at}); !past.At.Equal(at.at.Truncate(time.Millisecond)) {
				t.Fatalf("at %v, want %v", past.At, at.at)
			}
			v.wait(time.Second)
			if got := withoutShare.ReplaceAllString(v.rows(), ""); nodes && got != at.nodes {
				t.Fatalf("%d: at %v: nodes %s\nwant %s", n, at.at, got, at.nodes)
			} else if got := v.statuses(); !nodes && (v.rows() != at.pods || got != at.statuses) {
				t.Fatalf("%d: at %v: %s\nwant %s\nstatuses %s\nwant %s", n, at.at, v.rows(), at.pods, got, at.statuses)
			}
		}
	})
}
