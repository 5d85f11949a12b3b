package related

import (
	"slices"
	"sort"
	"strings"

	"watchglass/internal/object"
	"watchglass/internal/query"
)

// Index knows who refers to whom among the objects of some sources. It belongs to one
// goroutine.
type Index struct {
	lookup  func(name string) (object.Kind, bool)
	readers map[string]*reader // by resource
	targets map[string]target  // by name
	nodes   map[ID]*node
	spaces  map[string]*space
	unread  int
	reaches int // how often a way was gone, for the nodes to know whether they were there
}

// space is what takes part in selecting, in one namespace.
type space struct{ pods, choosers map[*node]struct{} }

// node is an object, or what somebody refers to as one.
type node struct {
	id      ID
	kind    string
	object  *object.Object // nil if it is not there
	columns []object.Column
	held    int      // by how many sources that have all of it
	glimpse *glimpse // what a search has of it, if one has
	unread  bool
	says    []said
	chooses bool
	by      query.Selector
	about   map[*node]struct{} // who says something of it
	reached int                // the last way that came here
}

// said is what a node says of another.
type said struct {
	verb Verb
	back bool
	to   *node
	uid  string
	// loose is true of what holds only if the other is there.
	loose bool
}

// glimpse is an object of which no more is known than whose it is.
type glimpse struct {
	object  *object.Object
	columns []object.Column
}

// Change is one that happened to an object of a source: Before or After may be nil.
type Change struct {
	Kind          object.Kind
	Columns       []object.Column // of After
	Before, After *object.Object
	// Slight is a change that a search has seen: of its object no more is known than
	// whose it is. It counts as long as no other source has the object.
	Slight bool
}

// NewIndex returns an Index that knows kinds by the names that kubectl takes for them.
func NewIndex(lookup func(name string) (object.Kind, bool)) *Index {
	return &Index{
		lookup: lookup, readers: make(map[string]*reader), targets: make(map[string]target),
		nodes: make(map[ID]*node), spaces: make(map[string]*space),
	}
}

// Apply takes changes of one source. An object may be in several: it is as the last of
// them says, and is there until it has gone from all.
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

// note counts who has a node, and reports whether it is another for the change.
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

// Unread is how many objects there are whose bytes had gone before they were read: of
// these no more than the owners is known.
func (x *Index) Unread() int { return x.unread }

// node finds a node, or makes it.
func (x *Index) node(id ID, kind string) *node {
	n := x.nodes[id]
	if n == nil {
		n = &node{id: ID{strings.Clone(id.Resource), strings.Clone(id.Namespace), strings.Clone(id.Name)}, kind: strings.Clone(kind)}
		x.nodes[n.id] = n
	}
	return n
}

// forget forgets a node that is not there and that nobody speaks of.
func (x *Index) forget(n *node) {
	if n.object == nil && len(n.about) == 0 {
		delete(x.nodes, n.id)
	}
}

// learn reads what an object says.
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

// unlearn takes back what was read.
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

// target finds a kind by its group and its name, or a resource. What is not known is
// named by the kind.
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

// edge is a relation of a node: Out of it, or into it.
type edge struct {
	verb Verb
	out  bool
	to   *node
}

// spoken are the relations of a node that one of both says, in no order, and perhaps some
// twice.
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

// chosen are the relations of a node that follow from what selects what, in no order.
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

// holds reports whether what is said is true: an owner that was another object of the
// same name is none, and a loose name may be no object's.
func (s said) holds() bool {
	if s.to.object == nil {
		return !s.loose
	}
	return s.uid == "" || s.to.object.UID() == s.uid
}

// sorted are all relations of a node, each once, in the order of what they lead to.
func (x *Index) sorted(n *node) []edge { return inOrder(append(x.spoken(n), x.chosen(n)...)) }

// along are those of a verb, one way.
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

// byTarget sorts without reflection: there may be thousands.
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
