package sums

import (
	"watchglass/internal/detail"
	"watchglass/internal/document"
	"watchglass/internal/object"
)

// excerpts reads the excerpts of pods and nodes, each once.
type excerpts struct {
	codes     *object.CodeTable // of the pods and the nodes
	pod, node object.Kind
	parts     []part // by the number of a pod's excerpt
	nodes     map[uint32]room
}

// part is what a pod adds to its group.
type part struct {
	read  bool
	known bool
	ended bool // it counts for nothing
	of    [requested]document.Quantity
}

// room is what a node has for its pods.
type room struct {
	cpu, memory document.Quantity
	pods        string // "" if it does not say
}

func newExcerpts(codes *object.CodeTable) excerpts {
	e := excerpts{codes: codes, nodes: make(map[uint32]room)}
	e.pod, _ = object.Builtin("pods")
	e.node, _ = object.Builtin("nodes")
	return e
}

// part returns what pods with an excerpt add.
func (s *excerpts) part(number uint32) *part {
	for int(number) >= len(s.parts) {
		s.parts = append(s.parts, make([]part, max(64, len(s.parts)))...)
	}
	p := &s.parts[number]
	if p.read || number == 0 {
		return p
	}
	p.read = true
	v, ok := s.read(s.pod, number)
	if !ok {
		return p
	}
	phase := v.At("status", "phase").Text()
	p.known, p.ended = true, phase == "Succeeded" || phase == "Failed"
	needs := map[string]map[string]document.Quantity{"requests": detail.PodQuantities(v, "requests"), "limits": detail.PodQuantities(v, "limits")}
	for i := cpuRequests; i < requested; i++ {
		p.of[i] = needs[summed[i].which][summed[i].resource]
	}
	return p
}

func (s *excerpts) read(kind object.Kind, number uint32) (document.Value, bool) {
	doc, err := s.codes.Excerpt(kind, number)
	if err != nil {
		return document.Value{}, false
	}
	v, err := document.Parse(doc)
	return v, err == nil
}

// room returns what nodes with an excerpt have for pods.
func (s *excerpts) room(number uint32) room {
	r, known := s.nodes[number]
	if known || number == 0 {
		return r
	}
	if v, ok := s.read(s.node, number); ok {
		of := v.At("status", "allocatable")
		if of.Len() == 0 {
			of = v.At("status", "capacity")
		}
		r = room{document.ParseQuantity(of.At("cpu").Text()), document.ParseQuantity(of.At("memory").Text()), of.At("pods").Text()}
	}
	s.nodes[number] = r
	return r
}

// amount returns a quantity as a number.
func amount(q document.Quantity) float64 { return float64(q.Milli) / 1000 }
