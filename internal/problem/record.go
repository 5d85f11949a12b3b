package problem

import (
	"watchglass/internal/document"
	"watchglass/internal/object"
	"watchglass/internal/problem/facts"
	"watchglass/internal/problem/joint"
	"watchglass/internal/problem/kinds"
	"watchglass/internal/problem/rule"
	"watchglass/internal/problem/topic"
)

// record is an object that matters: it may have causes, or the rows of others depend on it. One
// without an object is what an event is about.
type record struct {
	joint.Subject // without an object, it does not exist, or is a healthy pod
	kindName      string
	kind          *kind
	applied       int64 // when it last changed
	readAt        int64 // before that it cannot have causes

	undated map[string]int64 // when causes were first seen that do not say since when, by reason

	revision revision   // number 0: it is none
	set      *revisions // to which that belongs
	event    *notice
	topics   topic.Set // of the events about it

	inForce int64 // of a CronJob: since when its schedule is known to be in force; 0 while it is suspended

	owner *owner
	needs []facts.ID // the objects on which its owner or its causes depend
	place int32      // among the owner's members

	queued      bool // changed since it was read
	late        bool // it may have changed long before applied
	rescheduled bool // a CronJob that was suspended, or had another schedule, before
	known       bool // it was read before
}

// kind is what the engine knows of a kind.
type kind struct {
	object.Kind
	from    *object.Kind // as the last changes had it
	ID      string
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
	r.Causes, r.Facts, r.revision = nil, facts.None, revision{}
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
	revised, ran := r.revision, r.Facts.Runs
	e.clear(r)
	r.Facts = r.kind.reader.Facts(r.kind.columns, r.Object)
	if r.revision.number = r.kind.reader.Revision(r.kind.columns, r.Object); r.revision.number != 0 {
		r.revision.at = r.Object.Created()
	}
	r.revision.follows(revised, r.applied, r.late)
	if r.ID.Resource == kinds.Events {
		e.addEvent(r)
		return
	}
	if r.kind.reader.Suspect(r.kind.columns, r.Object, e.minor) {
		r.Causes = e.causes(r)
	}
	e.setRuns(r, ran)
	r.date()
	if r.ID.Resource == kinds.Nodes {
		e.noteBeat(r)
	}
	e.addSet(r)
	e.place(r)
	e.invalidate(r)
}

// causes returns what is wrong with an object: by its document or, if its source has none, by its
// cells.
func (e *Engine) causes(r *record) []rule.Cause {
	if r.Object.Packed() == nil || !r.kind.Whole(r.Object) {
		return rule.ByCells(&r.kind.Kind, r.ID.Resource, r.kind.columns, r.Object)
	}
	is, err := r.kind.Parts(r.Object)
	if err != nil {
		return rule.ByCells(&r.kind.Kind, r.ID.Resource, r.kind.columns, r.Object)
	}
	doc := document.Of(is)
	found := rule.Find(r.kind.Kind, doc, rule.Known{Minor: e.minor, InForce: r.inForce, Rescheduled: r.rescheduled})
	if r.Facts = r.Facts.Join(r.ID, doc); nodeOf(found) != "" {
		r.Facts = r.Facts.Refer(facts.ID{Resource: kinds.Nodes, Name: nodeOf(found)})
	}
	if len(found) == 0 && !r.kind.Native() && r.ID.Resource != kinds.Routes {
		return rule.ByCells(&r.kind.Kind, r.ID.Resource, r.kind.columns, r.Object)
	}
	return found
}

// cell returns the text of a cell; "" if there is no such column.
func (r *record) cell(name string) string {
	if r.Object == nil {
		return ""
	}
	return facts.Cell(r.kind.columns, r.Object, name)
}
