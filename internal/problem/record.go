package problem

import (
	"strings"

	"watchglass/internal/document"
	"watchglass/internal/object"
)

// record is an object that matters: it may have causes, or the rows of others depend on it. One
// without an object is what an event is about.
type record struct {
	id       ID
	kindName string
	kind     *kind
	object   *object.Object // nil if it does not exist, or is a healthy pod
	applied  int64          // when it last changed
	readAt   int64          // before that it cannot have causes

	causes  []Cause
	undated map[string]int64 // when causes were first seen that do not say since when, by reason
	facts   *facts           // noFacts if there are none

	revision revision   // number 0: it is none
	set      *revisions // to which that belongs
	event    *event
	topics   map[topicName]*topic // of the events about it

	noticed   firstSeen // causes that depend on others
	downSince int64     // of a service: since when it has no ready endpoints, as stopped returns it; 0 if it has
	inForce   int64     // of a CronJob: since when its schedule is known to be in force; 0 while it is suspended

	owner *owner
	needs []ID  // the objects on which its owner or its causes depend
	place int32 // among the owner's members

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

// facts are what others need to know of an object, and its cells do not say.
type facts struct {
	success      int64    // when a CronJob last succeeded
	scheduled    int64    // when the last run was due that a CronJob started
	progress     progress // of a StatefulSet or DaemonSet
	references   []ID     // objects on which its causes depend
	service      *service
	slice        *slice
	backends     []backend
	claim        *claim
	ingressClass string        // that an Ingress waits for
	active       int64         // running pods of a Job
	suspended    bool          // a CronJob
	runs         object.Labels // of the pods of a workload
}

// noFacts are those of most records. They must not be changed.
var noFacts = new(facts)

// ownFacts returns facts that may be changed.
func (r *record) ownFacts() *facts {
	if r.facts == noFacts {
		r.facts = new(facts)
	}
	return r.facts
}

// clear removes what was read of an object. Which pods it runs is for setRuns to compare.
func (e *Engine) clear(r *record) {
	if r.event != nil {
		e.removeEvent(r)
	}
	e.removeSet(r)
	r.causes, r.facts, r.revision = nil, noFacts, revision{}
}

// read reads an object: its causes, and the facts that others need. If what it needs of the body is not
// here, or was dropped meanwhile, the object is read once it is.
func (e *Engine) read(r *record) {
	if r.kind.reader.lacksBody(r, e.minor) {
		e.lose(r)
		return
	}
	e.regain(r)
	e.readWhole(r)
	if r.kind.reader.lacksBody(r, e.minor) {
		e.lose(r)
	}
}

// readWhole is read for an object that has what is needed.
func (e *Engine) readWhole(r *record) {
	revised, ran := r.revision, r.facts.runs
	e.clear(r)
	r.facts = r.kind.reader.facts(r)
	r.revision = r.kind.reader.revision(r)
	r.revision.follows(revised, r.applied, r.late)
	if r.id.Resource == events {
		e.addEvent(r)
		return
	}
	if r.kind.reader.suspect(r, e.minor) {
		r.causes = e.causes(r)
	}
	e.setRuns(r, ran)
	r.date()
	if r.id.Resource == nodes {
		e.noteBeat(r)
	}
	e.addSet(r)
	e.place(r)
	e.invalidate(r)
}

// causes returns what is wrong with an object: by its document or, if its source has none, by its
// cells.
func (e *Engine) causes(r *record) []Cause {
	if r.object.Packed() == nil || !r.kind.Whole(r.object) {
		return cellCauses(r)
	}
	is, err := r.kind.Parts(r.object)
	if err != nil {
		return cellCauses(r)
	}
	doc := document.Of(is)
	s := subject{kind: r.kind.Kind, doc: doc, minor: e.minor, inForce: r.inForce, rescheduled: r.rescheduled}
	found := s.find()
	if r.join(doc); nodeOf(found) != "" {
		f := r.ownFacts()
		f.references = append(f.references, ID{Resource: nodes, Name: nodeOf(found)})
	}
	if len(found) == 0 && !r.kind.Native() && r.id.Resource != routes {
		return cellCauses(r)
	}
	return found
}

// join reads the facts for causes that depend on other objects.
func (r *record) join(doc document.Value) {
	var f *facts
	switch r.id.Resource {
	case cronJobs:
		f = r.ownFacts()
		f.suspended = doc.Get("spec.suspend").Bool()
		f.success, f.scheduled = instant(doc.Get("status.lastSuccessfulTime")), instant(doc.Get("status.lastScheduleTime"))
	case ingresses, routes:
		f = r.ownFacts()
		f.backends = readBackends(r.id.Resource, r.id.Namespace, doc)
		if r.id.Resource == ingresses {
			f.ingressClass = readIngressClass(doc)
		}
		if f.ingressClass != "" {
			f.references = append(f.references, ID{Resource: ingressClasses, Name: f.ingressClass})
		}
	case validatingWebhooks, mutatingWebhooks:
		f = r.ownFacts()
		f.backends = readHooks(doc)
	case claims:
		f = r.ownFacts()
		if f.claim = readClaim(doc); f.claim != nil {
			f.references = []ID{{Resource: storageClasses, Name: f.claim.class}}
		}
	default:
		return
	}
	for _, b := range f.backends {
		f.references = append(f.references, b.service)
	}
}

// cellCauses returns what the cells of an object say.
func cellCauses(r *record) []Cause {
	c, ok := cellCause(r.kind, r.kind.columns, r.object)
	if !ok {
		return nil
	}
	s := subject{kind: r.kind.Kind, created: r.object.Created(), rule: &rule{severity: object.Warning}}
	s.raise(c)
	return s.causes
}

// cellCause returns the cause that an object's most significant cell shows.
func cellCause(k *kind, columns []object.Column, o *object.Object) (c Cause, ok bool) {
	if k.id != pods {
		if have, want, counted := readiness(columns, o); counted {
			words := decimal(have) + " of " + decimal(want) + " pods ready"
			return Cause{Reason: "BelowDesired", Words: words, Evidence: "column Ready", Tab: "related", Effect: true, Shortage: true, undated: true}, have < want
		}
	}
	names, cells := make([]string, len(columns)), make([]string, len(columns))
	for i, column := range columns {
		if names[i] = column.Name; !column.Kind.Ticks() {
			cells[i] = o.Cell(columns, i).Text
		}
	}
	tones := object.NewCellTones(k.Name, names)
	for i, cell := range cells {
		tone := tones.Cell(i, cells, object.Plain)
		if tone != object.Warning && tone != object.Failed {
			continue
		}
		c = Cause{Reason: cell, Severity: tone, Words: names[i] + ": " + cell, Evidence: "column " + names[i], Tab: "summary", undated: tone == object.Warning || k.id != pods}
		switch {
		case k.id == pods && names[i] == "Ready":
			c.Reason, c.Words = "NotReady", "not ready: "+cell
		case k.id == pods:
			c.Words = cell
		case strings.EqualFold(cell, "false"):
			c.Reason, c.Words = "Not"+title(names[i]), names[i]+" is "+cell
		}
		return c, true
	}
	return c, false
}

// title returns a column's name as part of a reason.
func title(name string) string { return strings.ReplaceAll(name, " ", "") }
