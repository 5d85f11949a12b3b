package problem

import (
	"watchglass/internal/document"
	"watchglass/internal/object"
	"watchglass/internal/problem/facts"
	"watchglass/internal/problem/kinds"
	"watchglass/internal/problem/rule"
	"watchglass/internal/problem/topic"
)

// record is an object that matters: it may have causes, or the rows of others depend on it. One
// without an object is what an event is about.
type record struct {
	id       facts.ID
	kindName string
	kind     *kind
	object   *object.Object // nil if it does not exist, or is a healthy pod
	applied  int64          // when it last changed
	readAt   int64          // before that it cannot have causes

	causes  []rule.Cause
	undated map[string]int64 // when causes were first seen that do not say since when, by reason
	facts   *facts.Facts     // facts.None if there are none

	revision revision   // number 0: it is none
	set      *revisions // to which that belongs
	event    *notice
	topics   topic.Set // of the events about it

	noticed   firstSeen // causes that depend on others
	downSince int64     // of a service: since when it has no ready endpoints, as stopped returns it; 0 if it has
	inForce   int64     // of a CronJob: since when its schedule is known to be in force; 0 while it is suspended

	owner *owner
	needs []facts.ID // the objects on which its owner or its causes depend
	place int32      // among the owner's members

	served      bool // a service that was seen to have ready endpoints
	queued      bool // changed since it was read
	late        bool // it may have changed long before applied
	bad         bool // has causes that hold, or may hold, as of when the owner's rows were made
	rescheduled bool // a CronJob that was suspended, or had another schedule, before
	listed      bool // it was there before the first list of its kind was complete
	known       bool // it was read before
	judged      bool // by other objects, too
	silent      bool // a node whose heartbeat is far behind that of others
}

// kind is what the engine knows of a kind.
type kind struct {
	object.Kind
	from    *object.Kind // as the last changes had it
	id      string
	reader  *facts.Reader
	columns []object.Column
}

// prints reports whether the kind's objects are printed with these columns.
func (k *kind) prints(columns []object.Column) bool {
	return len(k.columns) == len(columns) && (len(columns) == 0 || &k.columns[0] == &columns[0])
}

// is reports whether this is the kind, in the same version.
func (k *kind) is(o *object.Kind) bool {
	return k.Resource == o.Resource && k.Group == o.Group && k.Version == o.Version
}

// firstSeen holds since when causes hold that depend on other objects, which do not say since when.
// It forgets those that ceased to hold.
type firstSeen struct {
	times map[string]int64
	used  map[string]bool
}

// found is a cause that holds, with its object.
type found struct {
	of *record
	*rule.Cause
}

// clear removes what was read of an object. Which pods it runs is for setRuns to compare.
func (e *Engine) clear(r *record) {
	if r.event != nil {
		e.removeEvent(r)
	}
	e.removeSet(r)
	r.causes, r.facts, r.revision = nil, facts.None, revision{}
}

// read reads an object: its causes, and the facts that others need. If what it needs of the body is not
// here, or was dropped meanwhile, the object is read once it is.
func (e *Engine) read(r *record) {
	if e.lacksBody(r) {
		e.lose(r)
		return
	}
	e.regain(r)
	e.readWhole(r)
	if e.lacksBody(r) {
		e.lose(r)
	}
}

// readWhole is read for an object that has what is needed.
func (e *Engine) readWhole(r *record) {
	revised, ran := r.revision, r.facts.Runs
	e.clear(r)
	r.facts = r.kind.reader.Facts(r.kind.columns, r.object)
	if r.revision.number = r.kind.reader.Revision(r.kind.columns, r.object); r.revision.number != 0 {
		r.revision.at = r.object.Created()
	}
	r.revision.follows(revised, r.applied, r.late)
	if r.id.Resource == kinds.Events {
		e.addEvent(r)
		return
	}
	if r.kind.reader.Suspect(r.kind.columns, r.object, e.minor) {
		r.causes = e.causes(r)
	}
	e.setRuns(r, ran)
	r.date()
	if r.id.Resource == kinds.Nodes {
		e.noteBeat(r)
	}
	e.addSet(r)
	e.place(r)
	e.invalidate(r)
}

// causes returns what is wrong with an object: by its document or, if its source has none, by its
// cells.
func (e *Engine) causes(r *record) []rule.Cause {
	if r.object.Packed() == nil || !r.kind.Whole(r.object) {
		return rule.ByCells(&r.kind.Kind, r.id.Resource, r.kind.columns, r.object)
	}
	is, err := r.kind.Parts(r.object)
	if err != nil {
		return rule.ByCells(&r.kind.Kind, r.id.Resource, r.kind.columns, r.object)
	}
	doc := document.Of(is)
	found := rule.Find(r.kind.Kind, doc, rule.Known{Minor: e.minor, InForce: r.inForce, Rescheduled: r.rescheduled})
	if r.facts = r.facts.Join(r.id, doc); nodeOf(found) != "" {
		r.facts = r.facts.Refer(facts.ID{Resource: kinds.Nodes, Name: nodeOf(found)})
	}
	if len(found) == 0 && !r.kind.Native() && r.id.Resource != kinds.Routes {
		return rule.ByCells(&r.kind.Kind, r.id.Resource, r.kind.columns, r.object)
	}
	return found
}

// cell returns the text of a cell; "" if there is no such column.
func (r *record) cell(name string) string {
	if r.object == nil {
		return ""
	}
	return facts.Cell(r.kind.columns, r.object, name)
}
