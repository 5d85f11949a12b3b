package sums

import (
	"slices"
	"strconv"
	"sync"

	"watchglass/internal/document"
	"watchglass/internal/object"
)

// Sums are the sums of the pods of each node, or of each namespace. The informer of the pods
// calls Apply; the other methods are for the hub's loop.
type Sums struct {
	ofNodes bool
	blind   bool                            // the pods' columns, which a recording or a gateway has chosen, do not have their nodes
	of      func(pod *object.Object) string // the key of its node or namespace; "": it has none

	mu      sync.Mutex
	state   State
	queue   []Change // not added up yet
	loaded  bool     // the queue was empty once
	groups  map[string]*group
	touched map[string]bool
	excerpts
}

// Change is a change of a pod. Before is nil if it was added, After if it was deleted.
type Change struct{ Before, After *object.Object }

// State says whether the sums can be shown.
type State uint8

// The states of the sums.
const (
	Loading State = iota // cells are "…"
	Ready
	Denied // cells are empty
	Stale  // like Ready, but 0 endpoints are "…": some may not be known
)

// group is a node or a namespace.
type group struct {
	pods    int // that have not ended
	unknown int // pods whose requests cannot be read
	sums    [requested]sum
}

// New returns the sums of a kind, by its ID. Pods are objects with these columns.
func New(kind string, codes *object.CodeTable, columns []object.Column) *Sums {
	s := &Sums{of: (*object.Object).Namespace, groups: make(map[string]*group), touched: make(map[string]bool), excerpts: newExcerpts(codes)}
	if s.ofNodes = kind == "nodes"; s.ofNodes {
		at := slices.IndexFunc(columns, func(c object.Column) bool { return c.Name == "Node" })
		s.of = func(pod *object.Object) string {
			if at < 0 {
				return ""
			}
			if name := pod.Cell(columns, at).Text; name != "<none>" {
				return name
			}
			return ""
		}
		s.blind = at < 0
	}
	return s
}

// queueMost is how many changes wait for Work: the loop does not run while the page is hidden.
const queueMost = 1 << 18

// Begin adds the pods that there were before the first Apply.
func (s *Sums) Begin(pods []Change) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.queue = append(pods, s.queue...)
}

// Apply applies changes of pods. Any goroutine may call it.
func (s *Sums) Apply(changes []Change) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.queue) > 0 || !s.loaded {
		if s.queue = append(s.queue, changes...); len(s.queue) > queueMost {
			s.workLocked(len(s.queue))
		}
		return
	}
	for _, c := range changes {
		s.changeLocked(c)
	}
}

// Work adds up to n pods that wait, and reports whether others still do.
func (s *Sums) Work(n int) (more bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.workLocked(n)
	return len(s.queue) > 0
}

func (s *Sums) workLocked(n int) {
	n = min(n, len(s.queue))
	for _, c := range s.queue[:n] {
		s.changeLocked(c)
	}
	if s.queue = s.queue[n:]; len(s.queue) == 0 {
		s.queue, s.loaded = nil, true
	}
}

func (s *Sums) changeLocked(c Change) {
	before, after := s.groupOf(c.Before), s.groupOf(c.After)
	if before == after && (before == "" || c.Before.Excerpt() == c.After.Excerpt() && c.Before.Excerpt() != 0) {
		return // most changes of pods are of this kind
	}
	s.addLocked(before, c.Before, -1)
	s.addLocked(after, c.After, +1)
}

func (s *Sums) groupOf(pod *object.Object) string {
	if pod == nil {
		return ""
	}
	return s.of(pod)
}

// addLocked adds a pod to its group, or removes it if by is -1.
func (s *Sums) addLocked(key string, pod *object.Object, by int) {
	if key == "" {
		return
	}
	g := s.groups[key]
	if g == nil {
		g = new(group)
		s.groups[key] = g
	}
	s.touched[key] = true
	switch p := s.part(pod.Excerpt()); {
	case !p.known:
		g.unknown += by
	case !p.ended:
		g.pods += by
		for i := cpuRequests; i < requested; i++ {
			g.sums[i].add(p.of[i], int64(by))
		}
	}
	if g.pods == 0 && g.unknown == 0 {
		delete(s.groups, key)
	}
}

// Set sets the state, and reports whether it has changed. Sums that can't be known are Loading, unless they are Denied.
func (s *Sums) Set(state State) (changed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.blind && state != Denied {
		state = Loading
	}
	changed = s.state != state
	s.state = state
	return changed
}

// Touched returns the keys of the nodes or namespaces whose sums have changed since the last
// call.
func (s *Sums) Touched() (keys []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for key := range s.touched {
		keys = append(keys, key)
	}
	clear(s.touched)
	return keys
}

// Cells returns the derived cells of a node or a namespace.
func (s *Sums) Cells(o *object.Object) []object.Cell {
	s.mu.Lock()
	defer s.mu.Unlock()
	cells := make([]object.Cell, sumColumns)
	g := s.groups[o.Key()]
	if g == nil {
		g = new(group)
	}
	for i := range cells {
		cells[i].Kind = object.AmountCell
		if s.state == Loading || s.state == Ready && g.unknown > 0 {
			cells[i].Text, cells[i].Unknown = "…", true
		}
	}
	if s.state != Ready || g.unknown > 0 {
		return cells
	}
	set := func(i int, amount float64, text string) { cells[i].Amount, cells[i].Text = amount, text }
	count := strconv.Itoa(g.pods)
	if !s.ofNodes {
		set(podsColumn, float64(g.pods), count)
		for i := cpuRequests; i < requested; i++ {
			q := g.sums[i].quantity()
			set(i, amount(q), q.String())
		}
		return cells
	}
	has := s.room(o.Excerpt())
	if has.pods != "" {
		count += "/" + has.pods
	}
	set(podsColumn, float64(g.pods), count)
	for i := cpuRequests; i < requested; i++ {
		q, of := g.sums[i].quantity(), has.cpu
		if summed[i].resource == "memory" {
			of = has.memory
		}
		set(i, amount(q), q.String()+" ("+q.Percent(of)+")")
	}
	cpu, memory := g.sums[cpuRequests].quantity(), g.sums[memoryRequests].quantity()
	set(cpuRequested, share(cpu, has.cpu), cpu.Percent(has.cpu))
	set(memoryRequested, share(memory, has.memory), memory.Percent(has.memory))
	cells[requested] = cells[cpuRequested]
	if cells[memoryRequested].Amount > cells[cpuRequested].Amount {
		cells[requested] = cells[memoryRequested]
	}
	return cells
}

// share returns a quantity as a part of another; 0 of nothing.
func share(q, of document.Quantity) float64 {
	if of.Milli == 0 {
		return 0
	}
	return float64(q.Milli) / float64(of.Milli)
}
