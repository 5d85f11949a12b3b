package rule

import (
	"watchglass/internal/document"
	"watchglass/internal/object/tone"
	"watchglass/internal/problem/facts"
	"watchglass/internal/problem/text"
)

// healthConditions are the conditions by which custom resources say that they are well, most
// telling first.
var healthConditions = []string{"Ready", "Available", "Healthy", "Synced", "Programmed"}

// faultConditions are those by which they say that they are not.
var faultConditions = []string{"Stalled", "Degraded"}

// mayReconcile is how long a controller may take, in seconds.
const mayReconcile = 60

// custom reports a condition of a custom resource that says that it is not well: of a route, one of
// those that a gateway gives it.
func (s *subject) custom() {
	s.rule = &rule{severity: tone.Warning}
	if s.doc.Get("metadata.deletionTimestamp").Exists() || s.route() {
		return
	}
	for _, kind := range faultConditions {
		if c := condition(s.doc, kind); is(c, "True") {
			s.raiseCondition(c, kind, lower(kind))
			return
		}
	}
	for _, kind := range healthConditions {
		if c := condition(s.doc, kind); is(c, "False") {
			s.raiseCondition(c, "Not"+kind, "not "+lower(kind))
			return
		}
	}
	if h := s.doc.Get("status.health"); h.TextAt("status") == "Degraded" { // of Argo CD
		at := facts.Instant(h.Get("lastTransitionTime"))
		if at == 0 {
			at = unknown
		}
		s.raise(Cause{Reason: "Degraded", Severity: tone.Failed, Words: text.Join("health Degraded", ": ", h.TextAt("message")), Evidence: "status.health", Since: at, Tab: "summary"})
	}
}

// raiseCondition raises a cause that a condition says, unless its controller may still be at work.
func (s *subject) raiseCondition(c document.Value, reason, words string) {
	at := max(since(c), s.created)
	s.raise(Cause{Reason: reason, Words: text.Join(words, ": ", reasonAndMessage(c)), Brief: text.Join(words, ": ", c.TextAt("reason")), Evidence: "condition " + c.TextAt("type"), Since: at, From: at + mayReconcile, Tab: "summary"})
}

// routeConditions are what a gateway says of a route that it cannot use.
var routeConditions = []string{"Accepted", "ResolvedRefs"}

// route reports what gateways say of a route.
func (s *subject) route() (found bool) {
	for _, parent := range s.doc.ListAt("status.parents") {
		for _, kind := range routeConditions {
			for _, c := range parent.ListAt("conditions") {
				if c.TextAt("type") != kind || !is(c, "False") || found {
					continue
				}
				found = true
				s.raiseCondition(c, c.TextAt("reason"), text.Join("gateway ", "", parent.TextAt("parentRef.name")))
			}
		}
	}
	return found
}

// lower returns a condition's name as part of a sentence.
func lower(kind string) string { return string(kind[0]|0x20) + kind[1:] }
