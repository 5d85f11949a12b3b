package related

import (
	"cmp"
	"sort"
	"strings"
	"time"

	"watchglass/internal/object"
	"watchglass/internal/object/schema"
	"watchglass/internal/wire"
)

// Event is an event about an object, as the list of events prints it.
type Event struct {
	UID     string `json:"uid"`
	Type    string `json:"type,omitempty"`
	Reason  string `json:"reason,omitempty"`
	Object  ID     `json:"object"`
	Kind    string `json:"kind,omitempty"` // the object's
	Field   string `json:"field,omitempty"`
	Source  string `json:"source,omitempty"`
	Message string `json:"message,omitempty"`
	Count   string `json:"count,omitempty"`
	First   int64  `json:"first,omitempty"` // Unix seconds
	Last    int64  `json:"last,omitempty"`
}

// EventList is what the page receives about an object's events.
type EventList struct {
	Events []Event      `json:"events"`
	More   int          `json:"more,omitempty"` // number of events that were left out
	Coming bool         `json:"coming,omitempty"`
	Denied *wire.Status `json:"denied,omitempty"`
	// Searched says which kinds may have owned objects that are not known, and why.
	Searched SearchProgress `json:"searched"`
}

// Events indexes events by the object they are about. It is for one goroutine.
type Events struct {
	resolve func(group, kind string) target
	plan    *object.Plan
	values  object.Values
	kind    object.Kind
	of      map[string]map[*object.Object]eventRecord // by the UID of the object they are about
	whose   map[*object.Object]string
}

// eventRecord is the part of an event that the list does not print, kept after its bytes are
// released.
type eventRecord struct {
	columns []object.Column
	event   Event
}

// The slots of the values read from an event.
const (
	eventUID = iota
	eventKind
	eventVersion
	eventName
	eventNamespace
	eventField
	eventSlots
)

var eventPaths = [eventSlots]string{
	"involvedObject.uid", "involvedObject.kind", "involvedObject.apiVersion", "involvedObject.name", "involvedObject.namespace", "involvedObject.fieldPath",
}

// NewEvents returns an empty index of events.
func NewEvents(x *Index) *Events {
	e := &Events{resolve: x.target, of: make(map[string]map[*object.Object]eventRecord), whose: make(map[*object.Object]string)}
	e.kind, _ = object.Builtin("events")
	m, _ := schema.Of(e.kind.APIVersion(), e.kind.Name)
	plan, err := object.NewPlan(m, eventPaths[:]...)
	if err != nil {
		panic("related: " + err.Error()) // TestEvents
	}
	e.plan = plan
	return e
}

// Apply applies changes of events.
func (e *Events) Apply(changes []Change) {
	for _, c := range changes {
		if uid, ok := e.whose[c.Before]; ok && c.Before != nil {
			delete(e.whose, c.Before)
			if delete(e.of[uid], c.Before); len(e.of[uid]) == 0 {
				delete(e.of, uid)
			}
		}
		if c.After == nil || c.After.Packed() == nil || e.plan.Scan(c.After.Packed(), &e.values) != nil {
			continue
		}
		uid := string(e.values.Bytes(eventUID))
		if e.of[uid] == nil {
			e.of[uid] = make(map[*object.Object]eventRecord)
		}
		e.of[uid][c.After] = eventRecord{c.Columns, e.read(c.After)}
		e.whose[c.After] = uid
	}
}

// Of returns the events about the objects with these UIDs, the most recently seen first.
func (e *Events) Of(uids map[string]bool) []Event {
	all := []Event{}
	for uid := range uids {
		for o, t := range e.of[uid] {
			all = append(all, t.show(o))
		}
	}
	sort.Slice(all, func(i, j int) bool {
		a, b := &all[i], &all[j]
		return cmp.Or(b.Last-a.Last, b.First-a.First, int64(strings.Compare(a.UID, b.UID))) < 0
	})
	return all
}

// read reads the fields of an event that the list does not print.
func (e *Events) read(o *object.Object) Event {
	text := func(slot int) string { return string(e.values.Bytes(slot)) }
	to := e.resolve(groupOf(text(eventVersion)), text(eventKind))
	return Event{UID: o.UID(), Kind: to.kind, Field: text(eventField), Object: ID{to.resource, text(eventNamespace), text(eventName)}}
}

// show returns an event as the list prints it.
func (t eventRecord) show(o *object.Object) Event {
	cell := func(name string) object.Cell {
		c, _ := object.CellOf(o, t.columns, name)
		return c
	}
	one := t.event
	one.Type, one.Reason, one.Source = cell("Type").Text, cell("Reason").Text, cell("Source").Text
	one.Message, one.Count = cell("Message").Text, cell("Count").Text
	one.First, one.Last = cell("First Seen").At, cell("Last Seen").At
	return one
}

// Owned returns the UIDs of an object and of all that it owns, directly or indirectly.
func (x *Index) Owned(focus ID) map[string]bool {
	uids := make(map[string]bool)
	x.visitOwned(focus, func(n *node) {
		if n.object != nil {
			uids[n.object.UID()] = true
		}
	})
	return uids
}

// OwnedResources returns the resources of an object and of all that it owns, its own first.
func (x *Index) OwnedResources(focus ID) []string {
	all := []string{focus.Resource}
	x.visitOwned(focus, func(n *node) {
		if !contains(all, n.id.Resource) {
			all = append(all, n.id.Resource)
		}
	})
	sort.Strings(all[1:])
	return all
}

// visitOwned visits an object and all that it owns.
func (x *Index) visitOwned(focus ID, visit func(*node)) {
	seen := make(map[*node]bool)
	var down func(n *node)
	down = func(n *node) {
		if n == nil || seen[n] {
			return
		}
		seen[n] = true
		visit(n)
		for other := range n.linkedFrom {
			for _, s := range other.links {
				if s.verb == Owns && s.back && s.to == n && x.holds(s) {
					down(other)
				}
			}
		}
	}
	down(x.nodes[focus])
}

// Ago returns the time since at, as kubectl writes it; "" if at is 0.
func Ago(at int64, now time.Time) string {
	if at == 0 {
		return ""
	}
	return string(object.Cell{Kind: object.AgeCell, At: at}.Append(nil, now))
}
