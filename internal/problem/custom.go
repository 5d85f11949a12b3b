package problem

import "watchglass/internal/object"

// healthConditions are the conditions by which custom resources say that they are well, most
// telling first.
var healthConditions = []string{"Ready", "Available", "Healthy", "Synced"}

// mayReconcile is how long a controller may take, in seconds.
const mayReconcile = 60

// custom reports a condition of a custom resource that is False.
func (s *subject) custom() {
	s.rule = &rule{severity: object.Warning}
	for _, kind := range healthConditions {
		c := condition(s.doc, kind)
		if !is(c, "False") || s.doc.Get("metadata.deletionTimestamp").Exists() {
			continue
		}
		at := max(since(c), s.created)
		s.raise(Cause{Reason: "Not" + kind, Words: join("not "+lower(kind), ": ", reasonAndMessage(c)), Brief: join("not "+lower(kind), ": ", c.TextAt("reason")), Evidence: "condition " + kind, Since: at, From: at + mayReconcile, Tab: "summary"})
		return
	}
}

// lower returns a condition's name as part of a sentence.
func lower(kind string) string { return string(kind[0]|0x20) + kind[1:] }
