package timeline

import (
	"strings"

	"watchglass/internal/history"
	"watchglass/internal/object"
	"watchglass/internal/object/tree"
)

// reader reads what the changes of one stream mean.
type reader struct {
	stream history.Stream
	kind   object.Kind
	events bool // the objects are events
	secret bool // values are not shown

	differ  tree.Differ
	rows    *object.Decoder // of a kind that comes as rows of a Table; nil: of others
	said    []field         // of the change that is being read
	covered bool            // each field is covered by a rule
	rule    uint8           // the first that covers one
	changed bool            // there is a field at all
	texts   map[string]string
}

// field is a field that changed and that no rule covers, or that a folded change is of.
type field struct {
	path, before, after string
	fold                bool
	empty               bool // after the change, but there
}

// mostFields is how many fields of a change are named.
const mostFields = 12

func newReader(s history.Stream) *reader {
	r := &reader{stream: s, kind: object.Kind{Group: s.Group, Version: s.Version, Resource: s.Resource, Name: s.Kind, Namespaced: s.Namespaced}}
	r.events = s.Kind == "Event" && (s.Group == "" || s.Group == "events.k8s.io")
	r.secret = s.Kind == "Secret" && s.Group == ""
	if s.Columns != nil {
		r.rows = object.NewDecoder(r.kind, false)
		if _, err := r.rows.SetColumns(s.Columns); err != nil {
			r.rows = nil
		}
	}
	return r
}

// intern returns a text as one string for all that are equal: the same fields change again and again.
func (r *reader) intern(b []byte) string {
	if s, ok := r.texts[string(b)]; ok {
		return s
	}
	if len(r.texts) >= mostTexts || r.texts == nil {
		r.texts = make(map[string]string)
	}
	s := string(b)
	r.texts[s] = s
	return s
}

// mostTexts is how many texts are kept for intern: objects' names are in paths, too.
const mostTexts = 4096

// payload returns the version that says what the object is: the last one.
func payload(c *history.Change) []byte {
	if c.After != nil {
		return c.After
	}
	return c.Before
}

// fill reads what an object is.
func (r *reader) fill(o *Object, root tree.Node) {
	o.known = true
	o.Kind, o.UID = r.kind.Name, root.At("metadata.uid").Text()
	o.Controller = controllerOf(root)
	o.Owner = ownerOf(o.Controller, root)
	switch o.Kind {
	case "Pod":
		o.Node = root.At("spec.nodeName").Text()
	case "Node":
		o.Node = o.Name
	}
}

// controllerOf returns the owner that controls an object: "ReplicaSet/web-5d9c".
func controllerOf(root tree.Node) string {
	for owner := range root.At("metadata.ownerReferences").Elements() {
		if owner.Get("controller").Text() == "true" {
			return owner.Get("kind").Text() + "/" + owner.Get("name").Text()
		}
	}
	return ""
}

// ownerOf returns the workload above a controller: a ReplicaSet's Deployment, as the hash that both
// names end in says.
func ownerOf(controller string, root tree.Node) string {
	kind, name := split(controller)
	if hash := root.At("metadata.labels").Get("pod-template-hash").Text(); kind == "ReplicaSet" && hash != "" {
		if up, ok := strings.CutSuffix(name, "-"+hash); ok && up != "" {
			return "Deployment/" + up
		}
	}
	return controller
}

// read reads a change of an object, and reports whether it is an entry.
func (r *reader) read(c *history.Change, of *Object) (e Entry, ok bool) {
	e = Entry{At: c.At.UnixMilli(), Of: of}
	switch {
	case r.events:
		return r.readEvent(c, e)
	case c.After == nil:
		e.class, e.Words = classIndex(Deleted), "deleted"
	case c.Before == nil:
		e.class, e.Words = classIndex(Added), "added"
	default:
		return r.readChange(c, e)
	}
	return e, true
}

// readChange reads a change of an object that was there and still is.
func (r *reader) readChange(c *history.Change, e Entry) (Entry, bool) {
	r.said, r.covered, r.rule, r.changed = r.said[:0], true, 0, false
	e.class = classIndex(Changed)
	r.differ.Compare(r.kind.Root(c.Before), r.kind.Root(c.After), func(d *tree.Difference) bool { return r.note(d, &e) })
	if r.rows != nil {
		r.compareRows(c)
	}
	if !r.changed {
		return e, false
	}
	switch {
	case r.covered:
		e.rule = r.rule
	case r.followsNode(c):
		e.rule = lostNodes + 1
	}
	e.Words, e.Fields = r.words(c, &e)
	return e, true
}

// note notes a field that differs, and reports whether to go on.
func (r *reader) note(d *tree.Difference, e *Entry) bool {
	path := r.intern(d.Path)
	rule := ruleOf(&r.kind, path)
	r.changed = true
	if rule != 0 {
		if r.rule == 0 || rule < r.rule {
			r.rule = rule
		}
		if r.covered && len(r.said) < mostFields && int(rule) != len(Rules) {
			r.said = append(r.said, field{path: path, fold: true})
		}
		return true
	}
	if r.covered {
		r.covered, r.said = false, r.said[:0]
	}
	f := field{path: path}
	if !r.secret {
		f.before, f.after = d.Before(), d.After()
		f.empty = f.after == "" && !d.Removed()
	}
	if class := r.classOf(path, f); worst[class] > worst[e.class] {
		e.class = class
	}
	if path == "spec.nodeName" && r.kind.Name == "Pod" {
		e.Of.Node = strings.Clone(f.after)
	}
	r.said = append(r.said, f)
	return len(r.said) < mostFields
}

// followsNode reports whether a pod changed only because its node stopped reporting, or reports again: the control plane
// changes its readiness then, and what the kubelet said of its containers stays.
func (r *reader) followsNode(c *history.Change) bool {
	if r.kind.Name != "Pod" || len(r.said) != 1 || r.said[0].path != "status.conditions[Ready].status" {
		return false
	}
	for _, doc := range [][]byte{c.Before, c.After} {
		root := r.kind.Root(doc)
		if !root.Exists() || root.At("spec.readinessGates").Exists() {
			return false
		}
		if c := condition(root, "ContainersReady"); c.Get("status").Text() != "True" {
			return false
		}
	}
	return true
}

// classOf returns the class of a change of a field.
func (r *reader) classOf(path string, f field) uint8 {
	name, condition := conditionOf(path)
	switch {
	case strings.HasSuffix(path, "].restartCount") && grew(f):
		return classIndex(Restarted)
	case condition && name != "" && r.kind.Name == "Node":
		return classIndex(Condition)
	case strings.HasPrefix(path, "spec.template.") && r.kind.Name != "Job":
		return classIndex(RolledOut)
	}
	return classIndex(Changed)
}

// compareRows compares what the server printed of an object.
func (r *reader) compareRows(c *history.Change) {
	before, err := r.rows.Decode(c.Before)
	after, err2 := r.rows.Decode(c.After)
	if err != nil || err2 != nil {
		return
	}
	columns := r.rows.Columns()
	for i, column := range columns {
		if column.Kind.Ticks() || column.Kind == object.NameCell || len(r.said) >= mostFields {
			continue
		}
		if a, b := before.Cell(columns, i).Text, after.Cell(columns, i).Text; a != b {
			if r.covered {
				r.covered, r.said = false, r.said[:0]
			}
			r.changed = true
			r.said = append(r.said, field{path: column.Name, before: a, after: b})
		}
	}
}

// readEvent reads a change of an event, whose object is what it is about.
func (r *reader) readEvent(c *history.Change, e Entry) (Entry, bool) {
	root := r.kind.Root(payload(c))
	if !root.Exists() {
		return e, false
	}
	e.class, e.Event = classIndex(Warned), true
	e.Words = eventWords(root)
	switch {
	case c.After == nil:
		e.class, e.rule = classIndex(Deleted), expiredEvents+1
	case root.Get("type").Text() != "Warning":
		e.rule = normalEvents + 1
		if e.class = classIndex(Added); c.Before != nil {
			e.class = classIndex(Changed)
		}
	case c.Before != nil:
		before := r.kind.Root(c.Before)
		if !before.Exists() || eventCount(before) >= eventCount(root) && before.Get("message").Text() == root.Get("message").Text() && before.Get("note").Text() == root.Get("note").Text() {
			e.class = classIndex(Changed)
			e.rule = ruleNamed("Managed fields and versions")
		}
	}
	if kind, _, _, _ := involved(root); e.rule == 0 && kind == "Pod" && root.Get("reason").Text() == "NodeNotReady" {
		e.rule = lostNodes + 1
	}
	return e, true
}

// ruleNamed returns the number of a rule, from 1; 0 if there is none of the name.
func ruleNamed(name string) uint8 {
	for i := range Rules {
		if Rules[i].Name == name {
			return uint8(i + 1)
		}
	}
	return 0
}

// involved returns what an event is about: an object's kind, its group, its namespace and its name.
func involved(root tree.Node) (kind, group, namespace, name string) {
	about := root.Get("involvedObject")
	if !about.Exists() {
		about = root.Get("regarding")
	}
	version := about.Get("apiVersion").Text()
	if g, _, ok := strings.Cut(version, "/"); ok {
		group = g
	}
	return about.Get("kind").Text(), group, about.Get("namespace").Text(), about.Get("name").Text()
}
