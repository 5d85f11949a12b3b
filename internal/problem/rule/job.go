package rule

import (
	"watchglass/internal/object/tone"
	"watchglass/internal/problem/facts"
	"watchglass/internal/problem/kinds"
	"watchglass/internal/problem/text"
)

// jobRules are what can be wrong with what runs pods to completion.
var jobRules = []rule{
	{kinds.Jobs, "BackoffLimitExceeded", tone.Failed, jobFailed},
	{kinds.Jobs, "Retrying", tone.Warning, jobRetries},
	{kinds.CronJobs, "Suspended", tone.Warning, suspended},
	{kinds.CronJobs, "MissedSchedule", tone.Warning, missed},
	{kinds.CronJobs, "InvalidSchedule", tone.Warning, invalidSchedule},
}

// Day is how long a failed Job is red, in seconds. It stays until somebody deletes it.
const Day = 24 * 60 * 60

// jobFailed reports a Job that has failed.
func jobFailed(s *subject) {
	c := condition(s.doc, "Failed")
	if !is(c, "True") {
		c = condition(s.doc, "FailureTarget")
	}
	if !is(c, "True") {
		return
	}
	reason := c.TextAt("reason")
	found := Cause{Reason: reason, Words: reasonAndMessage(c), Brief: reason, Evidence: "condition " + c.TextAt("type"), Since: max(since(c), s.created), Tab: "logs", Retried: true}
	if reason == "" {
		found.Reason, found.Words, found.Brief = "Failed", text.Join("Job failed", ": ", c.TextAt("message")), "Job failed"
	}
	late := found
	late.Severity, late.From = tone.Warning, found.Since+Day
	found.Until = found.Since + Day
	s.raise(found)
	s.raise(late)
}

// ends are the conditions of a Job that starts no more pods, for good or for now.
var ends = []string{"Failed", "FailureTarget", "Complete", "SuccessCriteriaMet", "Suspended"}

// jobRetries reports a Job that goes on after pods of it failed. Between two pods it has none: the
// back-off takes up to six minutes. Indexes with a backoff limit of their own are given up one by one.
func jobRetries(s *subject) {
	failed := s.doc.Get("status.failed").Int()
	if failed <= 0 || s.doc.Get("metadata.deletionTimestamp").Exists() {
		return
	}
	for _, kind := range ends {
		if is(condition(s.doc, kind), "True") {
			return
		}
	}
	words := text.Count(failed, "pod") + " failed, retrying"
	if ready := s.doc.Get("status.ready").Int(); ready > 0 {
		words = text.Count(failed, "pod") + " failed earlier, " + text.Decimal(ready) + " running"
	}
	c := Cause{Words: words, Evidence: "status.failed", Since: facts.Instant(s.doc.Get("status.startTime")), Tab: "logs", Retried: true}
	if indexes := s.doc.TextAt("status.failedIndexes"); indexes != "" {
		c.Reason, c.Words, c.Evidence = "FailedIndexes", "failed indexes "+indexes+", not retried", "status.failedIndexes"
	}
	s.raise(c)
}

// suspended reports a CronJob that starts no Jobs.
func suspended(s *subject) {
	if s.doc.Get("spec.suspend").Bool() {
		s.raise(Cause{Words: "suspended", Evidence: "spec.suspend", Tab: "summary", Undated: true, Final: true})
	}
}

// MayStartLate is how many seconds after its time a Job may be started.
const MayStartLate = 5 * 60

// missed reports a CronJob that started no Job when it was due. In which zone its schedule counts is
// unknown here, so it is given two of the longest gaps between its times: no zone makes that a
// false alarm.
func missed(s *subject) {
	at, ok := parseSchedule(s.doc.TextAt("spec.schedule"))
	gap := at.longestGap()
	if !ok || gap == 0 || s.doc.Get("spec.suspend").Bool() || s.doc.Get("metadata.deletionTimestamp").Exists() {
		return
	}
	last := max(facts.Instant(s.doc.Get("status.lastScheduleTime")), s.created)
	if s.Rescheduled || s.mayBeResumed(gap) {
		last = max(last, s.InForce)
	}
	late := min(max(s.doc.Get("spec.startingDeadlineSeconds").Int(), MayStartLate), Day)
	c := Cause{Words: "no Job started on schedule " + s.doc.TextAt("spec.schedule"), Evidence: "status.lastScheduleTime", Since: last + gap, From: last + 2*gap + late, Tab: "events", routine: true}
	if n := len(s.doc.ListAt("status.active")); n > 0 && s.doc.TextAt("spec.concurrencyPolicy") == "Forbid" {
		c.From = max(c.From, last+Day) // a run may take longer than the gap: that is what Forbid is for
		c.Words += ": concurrencyPolicy Forbid, " + text.Count(int64(n), "Job") + " active"
	}
	s.raise(c)
}

// mayBeResumed reports whether a CronJob started no Job perhaps because it was suspended until lately.
// Nothing says since when it is not, but its controller makes up for the last run at once, unless
// startingDeadlineSeconds forbids it, and the first generation of a spec was never changed.
func (s *subject) mayBeResumed(gap int64) bool {
	deadline := s.doc.Get("spec.startingDeadlineSeconds")
	return deadline.Exists() && deadline.Int() < gap && s.doc.Get("metadata.generation").Int() > 1 && len(s.doc.ListAt("status.active")) == 0
}

// invalidSchedule reports a schedule that is never due.
func invalidSchedule(s *subject) {
	text := s.doc.TextAt("spec.schedule")
	if at, ok := parseSchedule(text); text != "" && (!ok || at.longestGap() == 0) {
		s.raise(Cause{Words: "schedule " + text + " is never due", Evidence: "spec.schedule", Tab: "yaml"})
	}
}
