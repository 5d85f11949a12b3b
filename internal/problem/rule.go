package problem

import (
	"time"

	"watchglass/internal/document"
	"watchglass/internal/object"
)

// rule finds one kind of cause in the objects of a resource. Reason and severity are those of its
// causes, unless check says otherwise.
type rule struct {
	resource string
	reason   string
	severity object.Tone
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
	minor   int // of the server; 0 if unknown
	rule    *rule
	causes  []Cause
	pod     *pod               // if it is one
	loops   map[string]loopsOf // its containers in back-off, by reason

	// inForce is since when a CronJob's schedule is known to be in force; rescheduled says that it was
	// suspended, or had another, before.
	inForce     int64
	rescheduled bool
}

// unknown is since when a cause holds of which nothing says that: its row shows no age rather than a
// wrong one.
const unknown = -1

// raise adds a cause. What it leaves empty comes from the rule.
func (s *subject) raise(c Cause) {
	if c.Reason == "" {
		c.Reason = s.rule.reason
	}
	if c.Severity == object.Plain {
		c.Severity = s.rule.severity
	}
	switch {
	case c.Since == unknown:
		c.Since = 0
	case c.Since <= 0:
		c.Since = s.created
	}
	c.Reason, c.Words, c.Brief, c.Evidence, c.Container = reasonOf(c.Reason), clean(c.Words), clean(c.Brief), clean(c.Evidence), clean(c.Container)
	s.causes = append(s.causes, c)
}

// raiseThen adds a cause that is a warning at first, and fails some seconds after it began.
func (s *subject) raiseThen(c Cause, after int64) {
	early, late := c, c
	early.Severity, early.Until = object.Warning, c.Since+after
	late.Severity, late.From = object.Failed, c.Since+after
	s.raise(early)
	s.raise(late)
}

// find runs the rules of the subject's resource.
func (s *subject) find() []Cause {
	id := s.kind.ID()
	s.created = instant(s.doc.Get("metadata.creationTimestamp"))
	if id == pods {
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

// Check returns what is wrong with one object, as far as it says so itself.
func Check(kind object.Kind, doc document.Value, now time.Time) []Cause {
	s := subject{kind: kind, doc: doc, inForce: now.Unix()}
	var out []Cause
	for _, c := range s.find() {
		if c.undated {
			c.Since = 0
		}
		if c.holds(now.Unix()) && !c.hint {
			out = append(out, c)
		}
	}
	return out
}

// reasonOf returns a reason that can be part of an address.
func reasonOf(s string) string {
	if s = clean(s); len(s) > 63 {
		s = s[:63]
	}
	out := []byte(s)
	for i, c := range out {
		if c <= ' ' || c == '/' || c == ':' || c >= 0x7f {
			out[i] = '-'
		}
	}
	return string(out)
}

// instant returns a time in unix seconds; 0 if there is none.
func instant(v document.Value) int64 {
	t, err := time.Parse(time.RFC3339, v.Text())
	if err != nil || t.IsZero() {
		return 0
	}
	return t.Unix()
}

// condition returns the condition of a type, which may be absent.
func condition(doc document.Value, kind string) document.Value {
	return doc.Get("status.conditions").Find("type", kind)
}

// is reports whether a condition has a status: "True", "False" or "Unknown".
func is(condition document.Value, status string) bool { return condition.TextAt("status") == status }

// since returns when a condition last changed.
func since(condition document.Value) int64 { return instant(condition.Get("lastTransitionTime")) }

// reasonAndMessage returns "Reason: message", as far as a condition or state has them.
func reasonAndMessage(v document.Value) string {
	return join(v.TextAt("reason"), ": ", lead(v.TextAt("message")))
}

// join joins two texts, unless one is empty.
func join(a, between, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + between + b
}
