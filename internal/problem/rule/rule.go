package rule

import (
	"time"

	"watchglass/internal/document"
	"watchglass/internal/object"
	"watchglass/internal/object/tone"
	"watchglass/internal/problem/facts"
	"watchglass/internal/problem/kinds"
	"watchglass/internal/problem/text"
)

// rule finds one kind of cause in the objects of a resource. Reason and severity are those of its
// causes, unless check says otherwise.
type rule struct {
	resource string
	reason   string
	severity tone.Tone
	check    func(*subject)
}

// rules are all rules that need one object only. It is filled by init because rules refer to it.
var rules []rule

func init() {
	rules = append(rules, podRules...)
	rules = append(rules, workloadRules...)
	rules = append(rules, jobRules...)
	rules = append(rules, nodeRules...)
	rules = append(rules, storageRules...)
	rules = append(rules, policyRules...)
}

// subject is the object that is looked at.
type subject struct {
	kind    object.Kind
	doc     document.Value
	created int64
	Known
	rule   *rule
	causes []Cause
	pod    *pod               // if it is one
	loops  map[string]loopsOf // its containers in back-off, by reason
}

// Known is what is known of an object besides its document.
type Known struct {
	Minor       int   // of the server; 0 if unknown
	InForce     int64 // since when a CronJob's schedule is known to be in force
	Rescheduled bool  // it was suspended, or had another, before
}

// unknown is since when a cause holds of which nothing says that: its row shows no age rather than a
// wrong one.
const unknown = -1

// raise adds a cause. What it leaves empty comes from the rule.
func (s *subject) raise(c Cause) {
	if c.Reason == "" {
		c.Reason = s.rule.reason
	}
	if c.Severity == tone.Plain {
		c.Severity = s.rule.severity
	}
	switch {
	case c.Since == unknown:
		c.Since = 0
	case c.Since <= 0:
		c.Since = s.created
	}
	c.Reason, c.Words, c.Brief, c.Evidence, c.Container = text.Reason(c.Reason), text.Clean(c.Words), text.Clean(c.Brief), text.Clean(c.Evidence), text.Clean(c.Container)
	s.causes = append(s.causes, c)
}

// raiseThen adds a cause that is a warning at first, and fails some seconds after it began.
func (s *subject) raiseThen(c Cause, after int64) {
	early, late := c, c
	early.Severity, early.Until = tone.Warning, c.Since+after
	late.Severity, late.From = tone.Failed, c.Since+after
	s.raise(early)
	s.raise(late)
}

// find runs the rules of the subject's resource.
func (s *subject) find() []Cause {
	id := s.kind.ID()
	s.created = facts.Instant(s.doc.Get("metadata.creationTimestamp"))
	if id == kinds.Pods {
		s.pod = newPod(s.doc)
	}
	for i := range rules {
		if s.rule = &rules[i]; s.rule.resource == id {
			s.rule.check(s)
		}
	}
	if !s.kind.Native() {
		s.custom()
	}
	s.stuck(id)
	return s.causes
}

// Find returns what is wrong with an object, at any time, by its document.
func Find(kind object.Kind, doc document.Value, known Known) []Cause {
	s := subject{kind: kind, doc: doc, Known: known}
	return s.find()
}

// Check returns what is wrong with one object, as far as it says so itself.
func Check(kind object.Kind, doc document.Value, now time.Time) []Cause {
	var out []Cause
	for _, c := range Find(kind, doc, Known{InForce: now.Unix()}) {
		if c.Undated {
			c.Since = 0
		}
		if c.Holds(now.Unix()) && !c.Hint {
			out = append(out, c)
		}
	}
	return out
}

// condition returns the condition of a type, which may be absent.
func condition(doc document.Value, kind string) document.Value {
	return doc.Get("status.conditions").Find("type", kind)
}

// is reports whether a condition has a status: "True", "False" or "Unknown".
func is(condition document.Value, status string) bool { return condition.TextAt("status") == status }

// since returns when a condition last changed.
func since(condition document.Value) int64 { return facts.Instant(condition.Get("lastTransitionTime")) }

// reasonAndMessage returns "Reason: message", as far as a condition or state has them.
func reasonAndMessage(v document.Value) string {
	return text.Join(v.TextAt("reason"), ": ", text.Lead(v.TextAt("message")))
}
