package sums

import (
	"strings"
	"sync"

	"watchglass/internal/detail"
	"watchglass/internal/document"
	"watchglass/internal/object"
)

// Usage is what pods, nodes or namespaces use, by metrics. The informers of the metrics call
// Apply; the other methods are for the hub's loop.
type Usage struct {
	kind string // ID

	mu      sync.Mutex
	state   State
	metered map[string]usageOf // by the key of a pod or node
	spaces  map[string]space   // of namespaces: the sums of their pods
	whole   map[string]bool    // namespaces whose metrics are all in; "" is the cluster
	touched map[string]bool
	excerpts
}

// usageOf is the usage of one object.
type usageOf struct {
	cpu, memory int64 // in thousandths
	at          int64 // Unix seconds
}

// space is the usage of a namespace.
type space struct {
	cpu, memory document.Sum
	at          int64 // Unix seconds
	pods        int
}

// add adds the usage of a pod, or subtracts it if by is -1.
func (s *space) add(m usageOf, by int64) {
	s.cpu.Add(by * m.cpu)
	s.memory.Add(by * m.memory)
	s.pods += int(by)
}

// NewUsage returns the usage of a kind, by its ID.
func NewUsage(kind string, codes *object.CodeTable) *Usage {
	return &Usage{kind: kind, metered: make(map[string]usageOf), spaces: make(map[string]space), whole: make(map[string]bool), touched: make(map[string]bool), excerpts: newExcerpts(codes)}
}

// Apply applies changes of metrics that have these columns, those of MetricsPaths among them. Any goroutine may call it.
func (u *Usage) Apply(columns []object.Column, changes []Change) {
	meter := newMeter(MetricsOf(u.kind), columns)
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, c := range changes {
		switch {
		case c.After == nil:
			u.setLocked(c.Before.Key(), usageOf{}, false)
		default:
			m, ok := meter.read(c.After)
			u.setLocked(c.After.Key(), usageOf{m.CPU, m.Memory, m.At}, ok)
		}
	}
}

// setLocked sets the usage of a pod or a node, or removes it.
func (u *Usage) setLocked(key string, m usageOf, known bool) {
	before, had := u.metered[key]
	if delete(u.metered, key); known {
		u.metered[key] = m
	}
	if u.kind != "namespaces" {
		u.touched[key] = true
		return
	}
	key, _, _ = strings.Cut(key, "/")
	u.touched[key] = true
	sum := u.spaces[key]
	if had {
		sum.add(before, -1)
	}
	if known {
		sum.add(m, 1)
		sum.at = max(sum.at, m.at)
	}
	if u.spaces[key] = sum; sum.pods == 0 {
		delete(u.spaces, key)
	}
}

// Forget removes the usage of all pods of a namespace.
func (u *Usage) Forget(namespace string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for key := range u.metered {
		if strings.HasPrefix(key, namespace+"/") || namespace == "" {
			u.setLocked(key, usageOf{}, false)
		}
	}
	delete(u.whole, namespace)
}

// Complete sets whether all metrics of a namespace are in; "" is the cluster. Before that, there
// is no sum of a namespace.
func (u *Usage) Complete(namespace string, is bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.whole[namespace] != is {
		u.whole[namespace], u.touched[namespace] = is, true
	}
}

// Set sets the state, and reports whether it has changed.
func (u *Usage) Set(state State) (changed bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	changed = u.state != state
	u.state = state
	return changed
}

// Touched returns the keys of the objects whose usage has changed since the last call.
func (u *Usage) Touched() (keys []string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for key := range u.touched {
		keys = append(keys, key)
	}
	clear(u.touched)
	return keys
}

// Cells returns the cells of an object's usage, by their columns' numbers from cpuUsage on. What
// was not measured is empty.
func (u *Usage) Cells(o *object.Object) []object.Cell {
	u.mu.Lock()
	defer u.mu.Unlock()
	cells := make([]object.Cell, allColumns-cpuUsage)
	for i := range cells {
		cells[i].Kind = object.AmountCell
	}
	cells[measured-cpuUsage].Kind = object.AgeCell
	m, known := u.metered[o.Key()]
	if u.kind == "namespaces" {
		var all space
		all, known = u.spaces[o.Key()]
		m = usageOf{all.cpu.Clamped(), all.memory.Clamped(), all.at}
		if whole := u.whole[""] || u.whole[o.Key()]; !whole && u.state == Ready {
			return cells
		} else if !whole {
			known = false
		}
	}
	switch {
	case u.state == Denied || u.state == Ready && !known:
		return cells
	case !known:
		cells[0].Text, cells[0].Unknown = "…", true
		cells[1] = cells[0]
		return cells
	}
	set := func(i int, amount float64, text string) {
		cells[i-cpuUsage].Amount, cells[i-cpuUsage].Text = amount, text
	}
	cells[measured-cpuUsage].At = m.at
	cpu, memory := document.NewQuantity(m.cpu, false), document.NewQuantity(m.memory, true)
	cpuText, memoryText := detail.CPUText(cpu), detail.MemoryText(memory)
	switch u.kind {
	case "nodes":
		has := u.room(o.Excerpt())
		cpuText, memoryText = withShare(cpuText, cpu, has.cpu), withShare(memoryText, memory, has.memory)
	case "pods":
		p := u.part(o.Excerpt())
		for i, of := range [...]struct{ q, of document.Quantity }{{cpu, p.of[cpuRequests]}, {cpu, p.of[cpuLimits]}, {memory, p.of[memoryRequests]}, {memory, p.of[memoryLimits]}} {
			if of.of.Milli > 0 {
				set(cpuOfRequest+i, share(of.q, of.of), of.q.Percent(of.of))
			}
		}
		cpuText, memoryText = withShare(cpuText, cpu, p.of[cpuRequests]), withShare(memoryText, memory, p.of[memoryRequests])
	}
	set(cpuUsage, amount(cpu), cpuText)
	set(memoryUsage, amount(memory), memoryText)
	return cells
}

// withShare adds the percentage of a quantity, unless there is none of it.
func withShare(text string, q, of document.Quantity) string {
	if of.Milli <= 0 {
		return text
	}
	return text + " (" + q.Percent(of) + ")"
}
