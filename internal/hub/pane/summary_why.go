package pane

import (
	"slices"
	"strings"
	"time"

	"watchglass/internal/detail"
	"watchglass/internal/document"
	"watchglass/internal/object"
	"watchglass/internal/problem/rule"
)

// whyEvery is the least time between two looks at what is wrong: time alone changes some of it, and
// the hub updates every pane at intervals.
const whyEvery = time.Second

// why is what is wrong with the object of a summary.
type why struct {
	subject  Subject
	all      []detail.Why
	looked   time.Time
	warnings *wantedList // events of the object; nil while nothing is wrong
	uid      string      // of the object that the events are about
}

// ofNode reports whether the object is a node. The kubelet's events have the node's name for its UID.
func (y *why) ofNode() bool { return y.subject.Kind.ID() == "nodes" }

// isAbout reports whether an event is about the object, and not another of its name.
func (y *why) isAbout(event document.Value) bool {
	uid := event.TextAt("involvedObject.uid")
	return uid == y.uid || y.ofNode() && uid == y.subject.Name
}

// refresh looks at what is wrong, and reports whether that has changed. now only paces it: the rules take the
// time in the cluster, which in the past is the moment shown.
func (y *why) refresh(h Host, body document.Value, now time.Time) (changed bool) {
	y.looked = now
	return y.set(h, body, y.find(h, body, h.Now()))
}

// lookBack looks at what was wrong with an object when it was seen to be gone. If that was not seen, what
// was wrong before stays. What is gone is not terminating.
func (y *why) lookBack(h Host, body document.Value, goneAt time.Time) (changed bool) {
	all := slices.Clone(y.all)
	if !goneAt.IsZero() {
		all = y.find(h, body, goneAt)
	}
	return y.set(h, body, slices.DeleteFunc(all, func(w detail.Why) bool { return w.Reason == "Terminating" }))
}

// set sets what is wrong, opens or closes the events of the object accordingly, and reports whether
// anything has changed.
func (y *why) set(h Host, body document.Value, all []detail.Why) (changed bool) {
	changed = !slices.Equal(all, y.all)
	y.all = all
	if len(all) == 0 {
		y.close()
	} else {
		y.followWarnings(h, body)
	}
	return changed
}

// find returns what is wrong at a time in the cluster: of an owner, as the list of problems groups it, else what the object
// says itself.
func (y *why) find(h Host, body document.Value, at time.Time) (all []detail.Why) {
	for _, r := range h.Problems(y.subject.Kind.ID(), y.subject.Namespace, y.subject.Name) {
		all = append(all, detail.Why{
			Reason: r.Reason, Tone: string(r.Severity), Text: r.Words, Since: r.Since, Evidence: r.Evidence,
			Logs: r.Tab == "logs", Pod: r.Pod, Container: r.Container, Previous: previous(r.Evidence),
		})
	}
	if len(all) > 0 {
		return all
	}
	for _, c := range rule.Check(y.subject.Kind, body, at) {
		all = append(all, detail.Why{
			Reason: c.Reason, Tone: string(c.Severity), Text: c.Words, Since: c.Since, Evidence: c.Evidence,
			Logs: c.Tab == "logs", Container: c.Container, Previous: previous(c.Evidence),
		})
	}
	return all
}

// previous reports whether the logs that explain a cause are those of the container's run before.
func previous(evidence string) bool { return strings.Contains(evidence, ".lastState.") }

// followWarnings leases the events of the object. Another object of the same name has other events.
func (y *why) followWarnings(h Host, body document.Value) {
	kind, _ := object.Builtin("events")
	namespace := object.EventNamespaces(y.subject.Namespace)[0]
	y.uid = body.TextAt("metadata.uid")
	want := detail.Want{Resource: kind.ID(), Namespace: namespace, Fields: "involvedObject.uid=" + y.uid, Path: "{.involvedObject.uid}", Is: y.uid}
	if y.ofNode() {
		want.Fields, want.Path, want.Is = "involvedObject.kind=Node,involvedObject.name="+y.subject.Name, "{.involvedObject.name}", y.subject.Name
	}
	if y.warnings != nil && y.warnings.want == want {
		return
	}
	y.close()
	y.warnings = newWantedList(h, want, kind)
}

// lastWarning returns the newest warning about the object, or nil.
func (y *why) lastWarning(now time.Time) *detail.LastWarning {
	if y.warnings == nil {
		return nil
	}
	y.warnings.Drain(0)
	var more detail.More
	more.Objects, more.States, more.Counts = make(map[string][]document.Value), make(map[string]detail.Span), make(map[string]map[string]int)
	y.warnings.addTo(&more, now)
	var last *detail.LastWarning
	for _, e := range more.Objects[""] {
		if e.TextAt("type") != "Warning" || !y.isAbout(e) {
			continue
		}
		at := int64(0)
		for _, path := range []string{"series.lastObservedTime", "lastTimestamp", "eventTime", "metadata.creationTimestamp"} {
			if t, err := time.Parse(time.RFC3339, e.TextAt(path)); err == nil && at == 0 {
				at = t.Unix()
			}
		}
		if last == nil || at > last.At {
			last = &detail.LastWarning{Reason: e.TextAt("reason"), Text: e.TextAt("message"), At: at}
		}
	}
	return last
}

// close releases the events.
func (y *why) close() {
	if y.warnings != nil {
		y.warnings.Close()
		y.warnings = nil
	}
}
