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
	noSets  map[string]bool // the namespaces whose ReplicaSets may not be read
	walks   int             // number of walks; a node compares it to know whether this walk has reached it
}

// space holds the nodes of one namespace that select or can be selected.
type space struct{ pods, selecting map[*node]struct{} }

// node is an object, or the target of a reference that may not exist.
type node struct {
	id         ID
	kind       string
	object     *object.Object // nil if it does not exist
	columns    []object.Column
	sources    int            // number of sources that have the full object
	partial    *partialObject // what a search knows of it; nil if none has seen it
	unread     bool
	links      []link
	selects    bool
	selector   query.Selector
	linkedFrom map[*node]struct{} // the nodes with a link to it
	lastWalk   int                // the last walk that reached it
}

// link is a reference from one node to another, resolved to its node.
type link struct {
	verb Verb
	back bool
	to   *node
	uid  string
	// ifExists is true if the link holds only if the other object exists.
	ifExists bool
	via      *node // see reference; nil if nothing stands between them
}

// partialObject is an object of which only the owners are known.
type partialObject struct {
	object  *object.Object
	columns []object.Column
}

// Change is a change of an object in one source: Before or After may be nil.
type Change struct {
	Kind          object.Kind
	Columns       []object.Column // of After
	Before, After *object.Object
	// OwnersOnly is true if the change comes from a search, so that only the object's owners are
	// known. It is used only while no other source has the object.
	OwnersOnly bool
}

// NewIndex returns an empty Index; lookup finds a kind by any name that kubectl accepts.
func NewIndex(lookup func(name string) (object.Kind, bool)) *Index {
	return &Index{
		lookup: lookup, readers: make(map[string]*reader), targets: make(map[string]target),
		nodes: make(map[ID]*node), spaces: make(map[string]*space), noSets: make(map[string]bool),
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
		if n.countSource(c) {
			x.removeLinks(n)
			switch {
			case c.After != nil:
				x.addLinks(n, c)
			case n.partial != nil:
				x.addLinks(n, Change{Kind: c.Kind, Columns: n.partial.columns, After: n.partial.object, OwnersOnly: true})
			}
			x.removeIfUnused(n)
		}
	}
}

// countSource counts the sources that have a node, and reports whether the change affects it.
func (n *node) countSource(c Change) bool {
	switch {
	case c.OwnersOnly && c.After == nil:
		n.partial = nil
	case c.OwnersOnly:
		n.partial = &partialObject{c.After, c.Columns}
	case c.Before == nil:
		n.sources++
	case c.After == nil:
		n.sources--
	}
	return n.sources == 0 || !c.OwnersOnly && c.After != nil
}

// Unread returns the number of objects whose bytes were released before they were read. Only
// their owners are known.
func (x *Index) Unread() int { return x.unread }

// SetReadable sets whether the ReplicaSets of a namespace may be read. Where they may not, pods lead to
// their Deployments by their labels.
func (x *Index) SetReadable(namespace string, readable bool) {
	if x.noSets[namespace] = true; readable {
		delete(x.noSets, namespace)
	}
}

// node returns a node, creating it if necessary.
func (x *Index) node(id ID, kind string) *node {
	n := x.nodes[id]
	if n == nil {
		n = &node{id: ID{strings.Clone(id.Resource), strings.Clone(id.Namespace), strings.Clone(id.Name)}, kind: strings.Clone(kind)}
		x.nodes[n.id] = n
	}
	return n
}

// removeIfUnused removes a node that does not exist and that no link leads to.
func (x *Index) removeIfUnused(n *node) {
	if n.object == nil && len(n.linkedFrom) == 0 {
		delete(x.nodes, n.id)
	}
}

// addLinks adds the links of an object.
func (x *Index) addLinks(n *node, c Change) {
	n.object, n.columns = c.After, c.Columns
	f, whole := x.reader(c.Kind).read(c.After, c.OwnersOnly)
	if n.unread = !whole; n.unread {
		x.unread++
	}
	for _, s := range f.refs {
		to := x.node(s.to, s.kind)
		one := link{verb: s.verb, back: s.back, to: to, uid: strings.Clone(s.uid), ifExists: s.ifExists}
		if s.via != "" {
			one.via = x.node(ID{replicaSets, n.id.Namespace, s.via}, "ReplicaSet") // n links to it, too
		}
		n.links = append(n.links, one)
		if to.linkedFrom == nil {
			to.linkedFrom = make(map[*node]struct{})
		}
		to.linkedFrom[n] = struct{}{}
	}
	if n.selects, n.selector = f.selects, f.selector; n.selects {
		x.space(n).selecting[n] = struct{}{}
	}
	if n.id.Resource == pods {
		x.space(n).pods[n] = struct{}{}
	}
}

// removeLinks removes the links of an object.
func (x *Index) removeLinks(n *node) {
	if n.object == nil {
		return
	}
	for _, s := range n.links {
		delete(s.to.linkedFrom, n)
		if s.to != n {
			x.removeIfUnused(s.to)
		}
	}
	if n.unread {
		x.unread--
	}
	if s := x.spaces[n.id.Namespace]; s != nil {
		delete(s.pods, n)
		delete(s.selecting, n)
		if len(s.pods)+len(s.selecting) == 0 {
			delete(x.spaces, n.id.Namespace)
		}
	}
	n.object, n.columns, n.links, n.selects, n.selector, n.unread = nil, nil, nil, false, nil, false
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

// referenceEdges returns the relations of a node that it or the other node states, unordered and
// possibly with duplicates.
func (x *Index) referenceEdges(n *node) (all []edge) {
	for _, s := range n.links {
		if x.holds(s) {
			all = append(all, edge{s.verb, !s.back, s.to})
		}
	}
	for other := range n.linkedFrom {
		for _, s := range other.links {
			if s.to == n && x.holds(s) {
				all = append(all, edge{s.verb, s.back, other})
			}
		}
	}
	return all
}

// selectorEdges returns the relations of a node that follow from selectors, unordered.
func (x *Index) selectorEdges(n *node) (all []edge) {
	space := x.spaces[n.id.Namespace]
	if space == nil || n.object == nil {
		return nil
	}
	if n.selects {
		for pod := range space.pods {
			if n.selector.Matches(pod.object.Labels()) {
				all = append(all, edge{Selects, true, pod})
			}
		}
	}
	if n.id.Resource == pods {
		for other := range space.selecting {
			if other.selector.Matches(n.object.Labels()) {
				all = append(all, edge{Selects, false, other})
			}
		}
	}
	return all
}

// holds reports whether a link is real, and nothing that is known stands between its ends. An owner with another UID is a different object of
// the same name; a link with ifExists needs an existing object.
func (x *Index) holds(s link) bool {
	if s.via != nil && (s.via.object != nil || !x.noSets[s.via.id.Namespace]) {
		return false
	}
	if s.to.object == nil {
		return !s.ifExists
	}
	return s.uid == "" || s.to.object.UID() == s.uid
}

// sorted returns all relations of a node without duplicates, ordered by the other node.
func (x *Index) sorted(n *node) []edge {
	return inOrder(append(x.referenceEdges(n), x.selectorEdges(n)...))
}

// along returns the relations of one verb in one direction.
func (x *Index) along(n *node, verb Verb, out bool) []edge {
	all := x.referenceEdges(n)
	if verb == Selects {
		all = append(all, x.selectorEdges(n)...)
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
