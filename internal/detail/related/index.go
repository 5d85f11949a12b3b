package related

import (
	"slices"
	"sort"
	"strings"

	"watchglass/internal/object"
	"watchglass/internal/query"
)

// Index holds the references between the objects of several sources. It is for one goroutine.
type Index struct {
	lookup  func(name string) (object.Kind, bool)
	readers map[string]*reader // by resource
	targets map[string]target  // by name
	nodes   map[ID]*node
	spaces  map[string]*space
	unread  int
	reaches int // number of walks; a node compares it to know whether this walk has reached it
}

// space holds the nodes of one namespace that select or can be selected.
type space struct{ pods, choosers map[*node]struct{} }

// node is an object, or the target of a reference that may not exist.
type node struct {
	id      ID
	kind    string
	object  *object.Object // nil if it does not exist
	columns []object.Column
	held    int      // number of sources that have the full object
	glimpse *glimpse // what a search knows of it; nil if none has seen it
	unread  bool
	says    []said
	chooses bool
	by      query.Selector
	about   map[*node]struct{} // the nodes with a statement about it
	reached int                // the last walk that reached it
}

// said is a statement of one node about another.
type said struct {
	verb Verb
	back bool
	to   *node
	uid  string
	// loose is true if the statement holds only if the other object exists.
	loose bool
}

// glimpse is an object of which only the owners are known.
type glimpse struct {
	object  *object.Object
	columns []object.Column
}

// Change is a change of an object in one source: Before or After may be nil.
type Change struct {
	Kind          object.Kind
	Columns       []object.Column // of After
	Before, After *object.Object
	// Slight is true if the change comes from a search, so that only the object's owners are
	// known. It is used only while no other source has the object.
	Slight bool
}

// NewIndex returns an empty Index; lookup finds a kind by any name that kubectl accepts.
func NewIndex(lookup func(name string) (object.Kind, bool)) *Index {
	return &Index{
		lookup: lookup, readers: make(map[string]*reader), targets: make(map[string]target),
		nodes: make(map[ID]*node), spaces: make(map[string]*space),
	}
}

// Apply applies changes of one source. If several sources have an object, the last change counts,
// and the object exists until all of them have removed it.
func (x *Index) Apply(changes []Change) {
	for _, c := range changes {
		o := c.After
		if o == nil {
			o = c.Before
		}
		n := x.node(ID{c.Kind.ID(), o.Namespace(), o.Name()}, c.Kind.Name)
		if n.note(c) {
			x.unlearn(n)
			switch {
			case c.After != nil:
				x.learn(n, c)
			case n.glimpse != nil:
				x.learn(n, Change{Kind: c.Kind, Columns: n.glimpse.columns, After: n.glimpse.object, Slight: true})
			}
			x.forget(n)
		}
	}
}

// note counts the sources that have a node, and reports whether the change affects it.
func (n *node) note(c Change) bool {
	switch {
	case c.Slight && c.After == nil:
		n.glimpse = nil
	case c.Slight:
		n.glimpse = &glimpse{c.After, c.Columns}
	case c.Before == nil:
		n.held++
	case c.After == nil:
		n.held--
	}
	return n.held == 0 || !c.Slight && c.After != nil
}

// Unread returns the number of objects whose bytes were released before they were read. Only
// their owners are known.
func (x *Index) Unread() int { return x.unread }

// node returns a node, creating it if necessary.
func (x *Index) node(id ID, kind string) *node {
	n := x.nodes[id]
	if n == nil {
		n = &node{id: ID{strings.Clone(id.Resource), strings.Clone(id.Namespace), strings.Clone(id.Name)}, kind: strings.Clone(kind)}
		x.nodes[n.id] = n
	}
	return n
}

// forget removes a node that does not exist and that no statement is about.
func (x *Index) forget(n *node) {
	if n.object == nil && len(n.about) == 0 {
		delete(x.nodes, n.id)
	}
}

// learn reads the statements of an object.
func (x *Index) learn(n *node, c Change) {
	n.object, n.columns = c.After, c.Columns
	f, whole := x.reader(c.Kind).read(c.After, c.Slight)
	if n.unread = !whole; n.unread {
		x.unread++
	}
	for _, s := range f.says {
		to := x.node(s.to, s.kind)
		n.says = append(n.says, said{verb: s.verb, back: s.back, to: to, uid: strings.Clone(s.uid), loose: s.loose})
		if to.about == nil {
			to.about = make(map[*node]struct{})
		}
		to.about[n] = struct{}{}
	}
	if n.chooses, n.by = f.chooses, f.by; n.chooses {
		x.space(n).choosers[n] = struct{}{}
	}
	if n.id.Resource == pods {
		x.space(n).pods[n] = struct{}{}
	}
}

// unlearn removes the statements of an object.
func (x *Index) unlearn(n *node) {
	if n.object == nil {
		return
	}
	for _, s := range n.says {
		delete(s.to.about, n)
		if s.to != n {
			x.forget(s.to)
		}
	}
	if n.unread {
		x.unread--
	}
	if s := x.spaces[n.id.Namespace]; s != nil {
		delete(s.pods, n)
		delete(s.choosers, n)
		if len(s.pods)+len(s.choosers) == 0 {
			delete(x.spaces, n.id.Namespace)
		}
	}
	n.object, n.columns, n.says, n.chooses, n.by, n.unread = nil, nil, nil, false, nil, false
}

func (x *Index) space(n *node) *space {
	s := x.spaces[n.id.Namespace]
	if s == nil {
		s = &space{make(map[*node]struct{}), make(map[*node]struct{})}
		x.spaces[n.id.Namespace] = s
	}
	return s
}

func (x *Index) reader(kind object.Kind) *reader {
	id := kind.ID()
	r := x.readers[id]
	if r == nil {
		var err error
		if r, err = newReader(kind, x.target); err != nil {
			panic("related: " + err.Error()) // TestReaders
		}
		x.readers[id] = r
	}
	return r
}

// target returns a kind by its group and its kind name or resource. An unknown kind is named by
// what was given.
func (x *Index) target(group, kind string) target {
	name := kind
	if group != "" {
		name += "." + group
	}
	t, ok := x.targets[name]
	if !ok {
		t = target{strings.ToLower(name), kind, true}
		if k, ok := x.lookup(name); ok {
			t = target{k.ID(), k.Name, k.Namespaced}
		}
		x.targets[strings.Clone(name)] = t
	}
	return t
}

// edge is a relation of a node, out of it or into it.
type edge struct {
	verb Verb
	out  bool
	to   *node
}

// spoken returns the relations of a node that it or the other node states, unordered and possibly
// with duplicates.
func (x *Index) spoken(n *node) (all []edge) {
	for _, s := range n.says {
		if s.holds() {
			all = append(all, edge{s.verb, !s.back, s.to})
		}
	}
	for other := range n.about {
		for _, s := range other.says {
			if s.to == n && s.holds() {
				all = append(all, edge{s.verb, s.back, other})
			}
		}
	}
	return all
}

// chosen returns the relations of a node that follow from selectors, unordered.
func (x *Index) chosen(n *node) (all []edge) {
	space := x.spaces[n.id.Namespace]
	if space == nil || n.object == nil {
		return nil
	}
	if n.chooses {
		for pod := range space.pods {
			if n.by.Matches(pod.object.Labels()) {
				all = append(all, edge{Selects, true, pod})
			}
		}
	}
	if n.id.Resource == pods {
		for chooser := range space.choosers {
			if chooser.by.Matches(n.object.Labels()) {
				all = append(all, edge{Selects, false, chooser})
			}
		}
	}
	return all
}

// holds reports whether a statement is true. An owner with another UID is a different object of
// the same name; a loose statement needs an existing object.
func (s said) holds() bool {
	if s.to.object == nil {
		return !s.loose
	}
	return s.uid == "" || s.to.object.UID() == s.uid
}

// sorted returns all relations of a node without duplicates, ordered by the other node.
func (x *Index) sorted(n *node) []edge { return inOrder(append(x.spoken(n), x.chosen(n)...)) }

// along returns the relations of one verb in one direction.
func (x *Index) along(n *node, verb Verb, out bool) []edge {
	all := x.spoken(n)
	if verb == Selects {
		all = append(all, x.chosen(n)...)
	}
	return inOrder(slices.DeleteFunc(all, func(e edge) bool { return e.verb != verb || e.out != out }))
}

func inOrder(all []edge) []edge {
	if len(all) < 2 {
		return all
	}
	sort.Sort(byTarget(all))
	return slices.Compact(all)
}

// byTarget implements sort.Interface, to sort without reflection: there may be thousands.
type byTarget []edge

func (e byTarget) Len() int      { return len(e) }
func (e byTarget) Swap(i, j int) { e[i], e[j] = e[j], e[i] }

func (e byTarget) Less(i, j int) bool {
	a, b := e[i], e[j]
	if c := a.to.id.Compare(b.to.id); c != 0 {
		return c < 0
	}
	return a.verb < b.verb || a.verb == b.verb && a.out && !b.out
}
