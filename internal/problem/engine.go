package problem

import (
	"time"

	"watchglass/internal/object"
	"watchglass/internal/problem/facts"
	"watchglass/internal/problem/joint"
	"watchglass/internal/problem/kinds"
	"watchglass/internal/problem/rule"
)

// Change is a change of an object: Before or After may be nil. An object's first change has no
// Before.
type Change struct {
	Kind          *object.Kind
	Columns       []object.Column // of After
	Before, After *object.Object
	// Late says that it may have happened long before: the list was not live when it came, as after a sleep.
	Late bool
}

// Options are what an engine knows of the cluster. Each may be nil.
type Options struct {
	// ServerMinor returns the minor version of the server; 0 if it is not known yet.
	ServerMinor func() int
	// Lookup finds a kind by any name that kubectl accepts.
	Lookup func(name string) (object.Kind, bool)
	// Synced reports whether all objects of a resource have been applied, so that one that is
	// missing does not exist. Without it, the first object of a resource says so.
	Synced func(resource string) bool
	// Recorded: the objects are those of a recording or of the past, which do not hold each heartbeat.
	Recorded bool
	// LeftOut reports whether a recording may lack the objects of a namespace, so that one which is missing may exist.
	LeftOut func(namespace string) bool
}

// Engine finds the problems of a cluster from the changes of its objects. It is for one goroutine.
type Engine struct {
	options    Options
	minor      int
	kinds      map[kindName]*kind
	last       *kind // of the last change
	names      map[string]target
	records    map[facts.ID]*record
	broken     map[string]struct{} // the keys of the pods among them: few, so that the others are told apart quickly
	present    map[string]int      // objects with a record, by resource
	owners     map[facts.ID]*owner
	dependents map[facts.ID]map[*record]struct{}
	events     map[*record]struct{}
	eventsOf   map[string]int          // how many are about a resource
	sets       map[facts.ID]*revisions // of the pod templates of a workload
	beats      heartbeats              // of nodes
	latest     []*revisions            // those that changed last; nil: to be found
	empty      byNamespace             // Services without endpoints, by namespace
	workloads  byNamespace             // that say which pods they run, by namespace
	isKnown    map[string]bool         // resources of which all objects have been read
	unread     []*record               // changed since they were read
	queued     map[string]int          // how many of them, by resource
	young      map[*record]struct{}    // to be read later
	lost       map[*record]struct{}    // whose bodies are needed and not here
	lostOf     map[string]int          // how many of them, by resource
	dirty      map[*owner]struct{}
	unknown    map[string]struct{} // names of kinds that were looked up in vain
	looked     int64               // when they last were
	waiting    map[*owner]struct{} // that may soon have rows
	rows       map[string]Row      // as last returned by Changed
	pending    map[string]*Row     // that differ from them; nil: gone
	called     int64               // when Changed was
	unlisted   UnlistedPods        // as of counted
	counted    int64
	due        int64 // not after the first time at which an owner's rows change; 0 is never
}

// New returns an engine without objects.
func New(o Options) *Engine {
	if o.ServerMinor == nil {
		o.ServerMinor = func() int { return 0 }
	}
	if o.Lookup == nil {
		o.Lookup = object.Builtin
	}
	if o.LeftOut == nil {
		o.LeftOut = func(string) bool { return false }
	}
	return &Engine{
		options: o, kinds: make(map[kindName]*kind), names: make(map[string]target), records: make(map[facts.ID]*record), broken: make(map[string]struct{}), present: make(map[string]int),
		beats: heartbeats{last: make(map[*record]int64)}, owners: make(map[facts.ID]*owner), dependents: make(map[facts.ID]map[*record]struct{}), events: make(map[*record]struct{}), eventsOf: make(map[string]int),
		sets: make(map[facts.ID]*revisions), isKnown: make(map[string]bool), queued: make(map[string]int), empty: make(byNamespace), workloads: make(byNamespace), young: make(map[*record]struct{}), lost: make(map[*record]struct{}), lostOf: make(map[string]int), dirty: make(map[*owner]struct{}), waiting: make(map[*owner]struct{}), unknown: make(map[string]struct{}),
		rows: make(map[string]Row), pending: make(map[string]*Row),
	}
}

// kindName identifies a kind without allocating its ID.
type kindName struct{ group, resource string }

// kind returns the kind of a change, with its columns.
func (e *Engine) kind(c *Change) *kind {
	if e.last != nil && (e.last.from == c.Kind || e.last.is(c.Kind)) && e.last.prints(c.Columns) {
		return e.last
	}
	name := kindName{c.Kind.Group, c.Kind.Resource}
	known := e.kinds[name]
	switch {
	case known == nil || !known.is(c.Kind):
		known = &kind{Kind: *c.Kind, from: c.Kind, ID: c.Kind.ID(), columns: c.Columns}
		known.reader = facts.NewReader(c.Kind)
	case !known.prints(c.Columns): // another list of the kind, or new columns
		known = &kind{Kind: known.Kind, from: c.Kind, ID: known.ID, reader: known.reader, columns: c.Columns}
	}
	e.kinds[name], e.last = known, known
	return known
}

// Apply takes changes, for Read. Of a healthy pod nothing is kept.
func (e *Engine) Apply(changes []Change, now time.Time) {
	at := now.Unix()
	for i := range changes {
		c := &changes[i]
		k := e.kind(c)
		wanted := c.After != nil && rule.Wants(&k.Kind, k.ID, c.Columns, c.After, at)
		if !wanted && k.ID == kinds.Pods && !e.isBroken(c) {
			continue
		}
		id := facts.ID{Resource: k.ID}
		switch {
		case c.After != nil:
			id.Namespace, id.Name = c.After.Namespace(), c.After.Name()
		case c.Before != nil:
			id.Namespace, id.Name = c.Before.Namespace(), c.Before.Name()
		default:
			continue
		}
		if wanted {
			e.put(k, id, c, at)
		} else if r := e.records[id]; r != nil && r.Object != nil {
			e.forget(r)
		}
	}
}

// isBroken reports whether the engine has a record of the pod of a change.
func (e *Engine) isBroken(c *Change) (there bool) {
	o := c.After
	if o == nil {
		o = c.Before
	}
	if o != nil {
		_, there = e.broken[o.Key()]
	}
	return there
}

// put stores an object.
func (e *Engine) put(k *kind, id facts.ID, c *Change, now int64) {
	r := e.record(id, k.Name)
	if r.Object == nil {
		e.present[id.Resource]++
		r.Listed, r.known, r.Judged = c.Before == nil && !e.isKnown[id.Resource], false, false
	}
	if id.Resource == kinds.Pods {
		e.broken[c.After.Key()] = struct{}{}
	}
	if id.Resource == kinds.CronJobs {
		r.noteSchedule(c, now)
	}
	r.kind, r.Object, r.applied, r.late = k, c.After, now, c.Late
	r.readAt = rule.YoungUntil(k.ID, c.Columns, c.After)
	e.queue(r)
}

// noteSchedule notes since when a CronJob's schedule is known to be in force, before its next version
// is put. With a new schedule or time zone, its controller waits for the next time from then on.
func (r *record) noteSchedule(c *Change, now int64) {
	next := func(name string) string { return facts.Cell(c.Columns, c.After, name) }
	switch suspend := next("Suspend"); {
	case suspend == "" || suspend == "True":
		r.inForce, r.rescheduled = 0, false
	case r.Object == nil:
		r.inForce = now
	case r.inForce == 0 || r.cell("Schedule") != next("Schedule") || r.cell("Timezone") != next("Timezone"):
		r.inForce, r.rescheduled = now, true
	}
}

// queue has an object read.
func (e *Engine) queue(r *record) {
	if !r.queued {
		r.queued = true
		e.unread = append(e.unread, r)
		e.queued[r.ID.Resource]++
	}
}

// unqueue notes that an object need not be read any more, and reports whether it had to be.
func (e *Engine) unqueue(r *record) bool {
	was := r.queued
	if was {
		r.queued = false
		e.queued[r.ID.Resource]--
	}
	return was
}

// record returns the record of an object, which need not exist.
func (e *Engine) record(id facts.ID, kindName string) *record {
	r := e.records[id]
	if r == nil {
		r = &record{Subject: joint.Subject{ID: id, Facts: facts.None}, kindName: kindName}
		e.records[id] = r
	}
	return r
}

// forget removes an object.
func (e *Engine) forget(r *record) {
	ran := r.Facts.Runs
	e.clear(r)
	e.setRuns(r, ran)
	e.unqueue(r)
	e.regain(r)
	if r.ID.Resource == kinds.Pods {
		delete(e.broken, r.Object.Key())
	}
	r.kind, r.Object, r.Silent = nil, nil, false
	delete(e.beats.last, r)
	e.empty.put(r, false)
	r.Forget()
	r.undated, r.inForce, r.rescheduled = nil, 0, false
	if e.present[r.ID.Resource]--; e.present[r.ID.Resource] == 0 {
		delete(e.present, r.ID.Resource)
	}
	e.place(r)
	e.invalidate(r)
	e.release(r)
}

// release removes a record that stands for nothing.
func (e *Engine) release(r *record) {
	if r.Object != nil || len(r.topics) > 0 {
		return
	}
	e.leave(r)
	e.removeNeeds(r)
	delete(e.records, r.ID)
}

// invalidate has the rows of a record, and of those that depend on it, made anew.
func (e *Engine) invalidate(r *record) {
	e.markDirty(r)
	if o := e.owners[r.ID]; o != nil {
		e.dirty[o] = struct{}{} // its rows say of how many, and since which success
	}
	e.invalidateDependents(r)
}

// markDirty has the rows of a record's owner made anew.
func (e *Engine) markDirty(r *record) {
	if r.owner != nil {
		e.dirty[r.owner] = struct{}{}
	}
}

// invalidateDependents is invalidate for those that depend on a record.
func (e *Engine) invalidateDependents(r *record) {
	var all []*record // placing changes the map
	for d := range e.dependents[r.ID] {
		all = append(all, d)
	}
	for _, d := range all {
		e.place(d)
		e.markDirty(d)
	}
}

// Changed returns the rows that changed since the last call, and those that are gone, by what Read
// has read and by the time.
func (e *Engine) Changed(now time.Time) (rows, gone []Row) {
	at := now.Unix()
	e.called = at
	e.updateKinds(at)
	e.updateKnown()
	e.rebuildDue(at)
	for len(e.dirty) > 0 {
		for o := range e.dirty {
			delete(e.dirty, o)
			e.rebuild(o, at)
		}
	}
	for key, row := range e.pending {
		if row != nil {
			rows = append(rows, *row)
			e.rows[key] = *row
		} else {
			gone = append(gone, e.rows[key])
			delete(e.rows, key)
		}
	}
	clear(e.pending)
	return rows, gone
}

// rebuildDue has the rows made anew that time changes.
func (e *Engine) rebuildDue(now int64) {
	if e.due == 0 || e.due > now {
		return
	}
	e.due = 0
	for _, o := range e.owners {
		if o.due != 0 && o.due <= now {
			e.dirty[o] = struct{}{}
		} else {
			e.due = rule.Sooner(e.due, o.due)
		}
	}
}

// Read reads objects that changed, at most a number of them unless that is 0, and those that are no
// longer too young to fail. It reports whether some are left: a thousand broken objects should not
// hold up the caller.
func (e *Engine) Read(now time.Time, most int) (left bool) {
	if minor := e.options.ServerMinor(); minor != e.minor {
		e.minor = minor
		e.rereadNodes()
	}
	e.called = now.Unix()
	e.readGrown(e.called)
	if len(e.unread) == 0 || most == 0 {
		e.readRestored()
	}
	done := 0
	for reads := 0; done < len(e.unread) && (most == 0 || reads < most); done++ {
		if r := e.unread[done]; e.unqueue(r) {
			e.readQueued(r, e.called)
			reads++
		}
	}
	if e.unread = e.unread[done:]; len(e.unread) == 0 {
		e.unread = nil
	}
	return e.unread != nil
}

// readGrown reads the objects that are no longer too young to fail.
func (e *Engine) readGrown(now int64) {
	for r := range e.young {
		if r.Object == nil || r.queued {
			delete(e.young, r)
		} else if r.readAt <= now {
			delete(e.young, r)
			e.read(r)
		}
	}
}

// readQueued reads an object that changed. Of one that is too young to fail, others need facts.
func (e *Engine) readQueued(r *record, now int64) {
	if r.readAt <= now {
		e.read(r)
		return
	}
	e.clear(r)
	e.regain(r)
	r.Facts = r.kind.reader.Facts(r.kind.columns, r.Object)
	e.young[r] = struct{}{}
	e.place(r)
	e.invalidate(r)
}

func (e *Engine) rereadNodes() {
	for _, r := range e.records {
		if r.ID.Resource == kinds.Nodes && r.Object != nil {
			e.queue(r)
		}
	}
}

// Queued returns how many changed objects of a resource Read has yet to read.
func (e *Engine) Queued(resource string) int { return e.queued[resource] }

// Rows returns all rows as of the last call of Changed, by key. The caller must not change it.
func (e *Engine) Rows() map[string]Row { return e.rows }

// Waits reports whether it is not clear yet of some objects whether something is wrong with them: they
// changed lately, and are given time to become well.
func (e *Engine) Waits() bool { return len(e.waiting) > 0 }

// Due returns when Read and Changed should be called next, if nothing changes: when time alone may change
// something, or at once if objects are left to read. The zero time is never. It may be early, as
// when an object was mended in the meantime.
func (e *Engine) Due() time.Time {
	due := e.due
	if len(e.unread) > 0 {
		due = rule.Sooner(due, e.called)
	}
	for r := range e.young {
		due = rule.Sooner(due, r.readAt)
	}
	if due == 0 {
		return time.Time{}
	}
	return time.Unix(due, 0)
}
