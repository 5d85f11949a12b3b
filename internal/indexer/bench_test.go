package indexer

import (
	"fmt"
	"testing"
)

// pod is the object of the benchmarks, with the values of five indexes.
type pod struct {
	key       string
	version   string
	namespace string
	node      string
	owner     string
	phase     string
	app       string
}

func podKey(p *pod) string { return p.key }

// podValues are the five indexes of the benchmarks.
var podValues = map[string]func(p *pod) string{
	"namespace": func(p *pod) string { return p.namespace },
	"node":      func(p *pod) string { return p.node },
	"owner":     func(p *pod) string { return p.owner },
	"phase":     func(p *pod) string { return p.phase },
	"app":       func(p *pod) string { return p.app },
}

func podIndexers() Indexers[*pod] {
	all := Indexers[*pod]{}
	for name, value := range podValues {
		all[name] = func(dst []string, p *pod) []string { return append(dst, value(p)) }
	}
	return all
}

const podCount = 100_000

// pods are 100,000 pods on 2,000 nodes in 40 namespaces; every tenth is in another
// phase from version to version.
func pods(version int) []*pod {
	out := make([]*pod, podCount)
	phases := []string{"Running", "Pending", "Failed"}
	for i := range out {
		phase := phases[0]
		if i%10 == 0 {
			phase = phases[version%3]
		}
		out[i] = &pod{
			key: fmt.Sprintf("team-%02d/web-%06d", i%40, i), version: fmt.Sprint(version), namespace: fmt.Sprintf("team-%02d", i%40),
			node: fmt.Sprintf("node-%04d", i%2000), owner: fmt.Sprintf("rs-%05d", i/5), phase: phase, app: fmt.Sprintf("app-%03d", i%500),
		}
	}
	return out
}

// fill puts all of a list in a store that has nothing else, as a replacement.
func fill(x *Indexer[*pod], list []*pod) {
	r := x.Replace()
	r.Update(func(tx Tx[*pod]) {
		for _, p := range list {
			tx.Set(p)
		}
	})
	r.Commit("1")
}

// BenchmarkReplace replaces 100,000 objects under five indexes: in an empty store,
// and in one that has an earlier version of all of them.
func BenchmarkReplace(b *testing.B) {
	list, later := pods(1), pods(2)
	b.Run("empty/ours", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			fill(New(podKey, podIndexers()), list)
		}
	})
	b.Run("full/ours", func(b *testing.B) {
		x := New(podKey, podIndexers())
		fill(x, list)
		b.ReportAllocs()
		for b.Loop() {
			fill(x, later)
			list, later = later, list
		}
	})
	theirReplace(b, list, later)
}

// BenchmarkUpdate updates single objects under five indexes; one in ten moves in
// one of them.
func BenchmarkUpdate(b *testing.B) {
	list, later := pods(1), pods(2)
	b.Run("ours", func(b *testing.B) {
		x := New(podKey, podIndexers())
		fill(x, list)
		b.ReportAllocs()
		i := 0
		for b.Loop() {
			x.Update(func(tx Tx[*pod]) { tx.Set(later[i]) })
			if i++; i == len(later) {
				i, list, later = 0, later, list
			}
		}
	})
	theirUpdate(b, list, later)
}

// BenchmarkByIndex reads the 50 objects of a node, and the 2,500 of a namespace.
func BenchmarkByIndex(b *testing.B) {
	list := pods(1)
	for _, c := range []struct{ name, value string }{{"node", "node-0007"}, {"namespace", "team-07"}} {
		b.Run(c.name+"/ours", func(b *testing.B) {
			x := New(podKey, podIndexers())
			fill(x, list)
			b.ReportAllocs()
			for b.Loop() {
				_, _ = x.ByIndex(c.name, c.value)
			}
		})
		theirByIndex(b, list, c.name, c.value)
	}
}

// BenchmarkStage copies the tables of 100,000 objects, which is what a long new
// list costs before its first object.
func BenchmarkStage(b *testing.B) {
	x := New(podKey, podIndexers())
	fill(x, pods(1))
	b.ReportAllocs()
	for b.Loop() {
		x.Replace().Discard()
	}
}
