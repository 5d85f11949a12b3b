package related

import (
	"fmt"
	"slices"
	"strings"

	"watchglass/internal/object"
	"watchglass/internal/object/schema"
	"watchglass/internal/query"
)

// reference is a relation of an object to another that the object itself states.
type reference struct {
	verb Verb
	back bool // the relation points from the other to this object
	to   ID
	kind string // the other's kind
	uid  string // the other's UID, if stated
	// ifExists is true if the other object need not exist; the relation holds only if it does.
	ifExists bool
	// via is the ReplicaSet that stands between them. The relation holds only where it may not be
	// read.
	via string
}

// reader reads the references of objects of one kind. It keeps scratch memory and is for one
// goroutine.
type reader struct {
	kind          object.Kind
	resolve       func(group, kind string) target
	rules         []rule
	plan          *object.Plan
	values        object.Values
	slots         []ruleSlots // of each rule
	selectorSlots *selectorSlots
	// The slots of ephemeral volumes, whose claims are named after the pod and the volume.
	volume, ephemeral int
}

// ruleSlots are the slots of a rule's paths; -1 if it has no such path.
type ruleSlots struct{ name, old, kind, group, namespace int }

// selectorSlots are the slots of a selector.
type selectorSlots struct {
	bare                               bool
	message, labels, key, is, elements int
}

// target is a kind that is referred to.
type target struct {
	resource, kind string
	namespaced     bool
}

// slots collects paths.
type slots []string

func (s *slots) add(path string) int {
	if path == "" {
		return -1
	}
	*s = append(*s, path)
	return len(*s) - 1
}

func (s *slots) rule(r rule) ruleSlots {
	all := ruleSlots{s.add(r.name), -1, s.add(r.kind), s.add(r.group), s.add(r.namespace)}
	if r.old != "" {
		all.old = s.add("metadata.annotations{}")
	}
	return all
}

// newReader returns a reader of a kind; resolve finds a kind by its group and name.
func newReader(kind object.Kind, resolve func(group, kind string) target) (*reader, error) {
	r := &reader{kind: kind, resolve: resolve, rules: rulesOf(kind.ID()), volume: -1}
	m, ok := schema.Of(kind.APIVersion(), kind.Name)
	if !ok {
		return r, nil
	}
	var s slots
	for _, one := range r.rules {
		r.slots = append(r.slots, s.rule(one))
	}
	if kind.ID() == pods {
		r.volume, r.ephemeral = s.add("spec.volumes[].name"), s.add("spec.volumes[].ephemeral")
	}
	if c, ok := podSelectors[kind.ID()]; ok {
		r.selectorSlots = s.selectorSlots(c)
	}
	plan, err := object.NewPlan(m, s...)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", kind.ID(), err)
	}
	r.plan = plan
	return r, nil
}

func (s *slots) selectorSlots(c podSelector) *selectorSlots {
	if c.bare {
		return &selectorSlots{bare: true, labels: s.add(c.path + "{}")}
	}
	return &selectorSlots{
		message: s.add(c.path), labels: s.add(c.path + ".matchLabels{}"),
		key: s.add(c.path + ".matchExpressions[].key"), is: s.add(c.path + ".matchExpressions[].operator"),
		elements: s.add(c.path + ".matchExpressions[].values[]"),
	}
}

// facts are what is read from an object.
type facts struct {
	refs     []reference
	selects  bool           // selects pods in its namespace
	selector query.Selector // if selects
}

// read reads an object's references. If the object's bytes have been released, or only its owners
// are asked for (ownersOnly), it returns just the owners; in the first case whole is false.
func (r *reader) read(o *object.Object, ownersOnly bool) (f facts, whole bool) {
	raw := o.Packed()
	if ownersOnly {
		r.owners(o, &f)
		return f, true
	}
	if r.plan == nil || raw == nil || r.plan.Scan(raw, &r.values) != nil {
		r.owners(o, &f)
		return f, r.plan == nil
	}
	for i, one := range r.rules {
		r.apply(o, one, r.slots[i], &f)
	}
	r.owners(o, &f)
	r.claims(o, &f)
	if service := o.Labels().Get(sliceLabel); service != "" && r.kind.ID() == endpoints {
		f.addRef(reference{verb: Routes, back: true, to: ID{services, o.Namespace(), service}, kind: "Service"})
	}
	r.heartbeat(o, &f)
	f.selector, f.selects = r.selector()
	return f, true
}

// addRef adds a reference, unless it is there already.
func (f *facts) addRef(s reference) {
	for _, other := range f.refs {
		if other == s {
			return
		}
	}
	f.refs = append(f.refs, s)
}

// apply adds the references of one rule.
func (r *reader) apply(o *object.Object, one rule, s ruleSlots, f *facts) {
	names, ifExists := r.names(one, s)
	for _, name := range names {
		if len(name.Bytes) == 0 {
			continue
		}
		to, ok := r.target(one, s, name)
		if !ok {
			continue
		}
		id := ID{Resource: to.resource, Name: string(name.Bytes)}
		if to.namespaced {
			id.Namespace = o.Namespace()
			if at := r.text(s.namespace, name.Elem); at != "" {
				id.Namespace = at
			}
		}
		f.addRef(reference{verb: one.verb, back: one.back, to: id, kind: to.kind, ifExists: ifExists})
	}
}

// names returns the names at a rule's path. A name that is only in the annotation is ifExists: it
// may be a controller's, for which no class exists.
func (r *reader) names(one rule, s ruleSlots) (all []object.Value, ifExists bool) {
	all = r.values.All(s.name)
	if s.old < 0 {
		return all, false
	}
	for _, entry := range r.values.All(s.old) {
		if key, name, _ := entry.Pair(); string(key) == one.old {
			return []object.Value{{Bytes: name}}, string(name) != r.text(s.name, 0)
		}
	}
	return all, false
}

// target returns the kind that a rule refers to.
func (r *reader) target(one rule, s ruleSlots, name object.Value) (target, bool) {
	if one.to != "" {
		return r.resolve("", one.to), true
	}
	kind, group := r.text(s.kind, name.Elem), r.text(s.group, name.Elem)
	if kind == "" || one.verb == Binds && (kind == "User" || kind == "Group") {
		return target{}, false // users and groups are not objects
	}
	if !strings.HasSuffix(one.group, "apiGroup") {
		group = groupOf(group)
	}
	return r.resolve(group, kind), true
}

// groupOf returns the group of an apiVersion.
func groupOf(apiVersion string) string {
	group, _, qualified := strings.Cut(apiVersion, "/")
	if !qualified {
		return ""
	}
	return group
}

// text returns a path's value within an element.
func (r *reader) text(slot, elem int) string {
	if slot < 0 {
		return ""
	}
	v, _ := r.values.At(slot, elem)
	return string(v.Bytes)
}

// claims adds the claims of ephemeral volumes.
func (r *reader) claims(o *object.Object, f *facts) {
	if r.volume < 0 {
		return
	}
	for _, v := range r.values.All(r.ephemeral) {
		id := ID{claims, o.Namespace(), o.Name() + "-" + r.text(r.volume, v.Elem)}
		f.addRef(reference{verb: Mounts, to: id, kind: "PersistentVolumeClaim"})
	}
}

// heartbeat relates a kubelet's lease to its node. The lease has the node's name, and may lack an
// owner reference to it.
func (r *reader) heartbeat(o *object.Object, f *facts) {
	owned := slices.ContainsFunc(f.refs, func(s reference) bool { return s.verb == Owns && s.to.Resource == nodes })
	if r.kind.ID() == leases && o.Namespace() == leaseNamespace && !owned {
		f.addRef(reference{verb: Uses, back: true, to: ID{Resource: nodes, Name: o.Name()}, kind: "Node"})
	}
}

// selector returns the selector by which the object selects pods, if it has one.
func (r *reader) selector() (query.Selector, bool) {
	c := r.selectorSlots
	if c == nil || !c.bare && !r.values.Has(c.message) || c.bare && !r.values.Has(c.labels) {
		return nil, false
	}
	var terms []string
	for _, pair := range r.values.All(c.labels) {
		key, value, ok := pair.Pair()
		if !ok {
			return nil, false
		}
		terms = append(terms, string(key)+"="+string(value))
	}
	if !c.bare {
		for _, key := range r.values.All(c.key) {
			terms = append(terms, r.expression(c, key))
		}
	}
	s, err := query.ParseSelector(strings.Join(terms, ","))
	return s, err == nil
}

// expression returns one expression of a selector in kubectl's syntax.
func (r *reader) expression(c *selectorSlots, key object.Value) string {
	word, is := string(key.Bytes), r.text(c.is, key.Elem)
	switch is {
	case "Exists":
		return word
	case "DoesNotExist":
		return "!" + word
	}
	var values []string
	for _, v := range r.values.In(c.elements, key.Elem) {
		values = append(values, string(v.Bytes))
	}
	return word + " " + strings.ToLower(is) + " (" + strings.Join(values, ",") + ")"
}

// hashLabel is the label that a Deployment gives its pods. The names of its ReplicaSets end with it.
const hashLabel = "pod-template-hash"

// owners adds the object's owner references, and the Deployment that owns its ReplicaSet.
func (r *reader) owners(o *object.Object, f *facts) {
	for _, owner := range o.Owners() {
		to := r.resolve(owner.Group, owner.Kind)
		id := ID{Resource: to.resource, Name: owner.Name}
		if to.namespaced {
			id.Namespace = o.Namespace()
		}
		f.addRef(reference{verb: Owns, back: true, to: id, kind: to.kind, uid: owner.UID})
		if hash := o.Labels().Get(hashLabel); owner.Controller && id.Resource == replicaSets && hash != "" {
			if name, ok := strings.CutSuffix(owner.Name, "-"+hash); ok && name != "" {
				f.addRef(reference{verb: Owns, back: true, to: ID{deployments, id.Namespace, name}, kind: "Deployment", via: owner.Name})
			}
		}
	}
}
