package problem

import "watchglass/internal/object"

const (
	jobs     = "jobs.batch"
	cronJobs = "cronjobs.batch"
)

// jobRules are what can be wrong with what runs pods to completion.
var jobRules = []rule{
	{jobs, "BackoffLimitExceeded", object.Failed, jobFailed},
	{jobs, "Retrying", object.Warning, jobRetries},
	{cronJobs, "Suspended", object.Warning, suspended},
	{cronJobs, "MissedSchedule", object.Warning, missed},
	{cronJobs, "InvalidSchedule", object.Warning, invalidSchedule},
}

// day is how long a failed Job is red, in seconds. It stays until somebody deletes it.
const day = 24 * 60 * 60

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
		found.Reason, found.Words, found.Brief = "Failed", join("Job failed", ": ", c.TextAt("message")), "Job failed"
	}
	late := found
	late.Severity, late.From = object.Warning, found.Since+day
	found.Until = found.Since + day
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
	words := count(failed, "pod") + " failed, retrying"
	if ready := s.doc.Get("status.ready").Int(); ready > 0 {
		words = count(failed, "pod") + " failed earlier, " + decimal(ready) + " running"
	}
	c := Cause{Words: words, Evidence: "status.failed", Since: instant(s.doc.Get("status.startTime")), Tab: "logs", Retried: true}
	if indexes := s.doc.TextAt("status.failedIndexes"); indexes != "" {
		c.Reason, c.Words, c.Evidence = "FailedIndexes", "failed indexes "+indexes+", not retried", "status.failedIndexes"
	}
	s.raise(c)
}

// suspended reports a CronJob that starts no Jobs.
func suspended(s *subject) {
	if s.doc.Get("spec.suspend").Bool() {
		s.raise(Cause{Words: "suspended", Evidence: "spec.suspend", Tab: "summary", undated: true, final: true})
	}
}

// mayStartLate is how many seconds after its time a Job may be started.
const mayStartLate = 5 * 60

// missed reports a CronJob that started no Job when it was due. In which zone its schedule counts is
// unknown here, so it is given two of the longest gaps between its times: no zone makes that a
// false alarm.
func missed(s *subject) {
	at, ok := parseSchedule(s.doc.TextAt("spec.schedule"))
	gap := at.longestGap()
	if !ok || gap == 0 || s.doc.Get("spec.suspend").Bool() || s.doc.Get("metadata.deletionTimestamp").Exists() {
		return
	}
	last := max(instant(s.doc.Get("status.lastScheduleTime")), s.created)
	if s.rescheduled || s.mayBeResumed(gap) {
		last = max(last, s.inForce)
	}
	late := min(max(s.doc.Get("spec.startingDeadlineSeconds").Int(), mayStartLate), day)
	c := Cause{Words: "no Job started on schedule " + s.doc.TextAt("spec.schedule"), Evidence: "status.lastScheduleTime", Since: last + gap, From: last + 2*gap + late, Tab: "events", routine: true}
	if n := len(s.doc.ListAt("status.active")); n > 0 && s.doc.TextAt("spec.concurrencyPolicy") == "Forbid" {
		c.From = max(c.From, last+day) // a run may take longer than the gap: that is what Forbid is for
		c.Words += ": concurrencyPolicy Forbid, " + count(int64(n), "Job") + " active"
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

// noteSchedule notes since when a CronJob's schedule is known to be in force, before its next version
// is put. With a new schedule or time zone, its controller waits for the next time from then on.
func (r *record) noteSchedule(c *Change, now int64) {
	next := func(name string) string { return cellOf(c.Columns, c.After, name) }
	switch suspend := next("Suspend"); {
	case suspend == "" || suspend == "True":
		r.inForce, r.rescheduled = 0, false
	case r.object == nil:
		r.inForce = now
	case r.inForce == 0 || r.cell("Schedule") != next("Schedule") || r.cell("Timezone") != next("Timezone"):
		r.inForce, r.rescheduled = now, true
	}
}

// invalidSchedule reports a schedule that is never due.
func invalidSchedule(s *subject) {
	text := s.doc.TextAt("spec.schedule")
	if at, ok := parseSchedule(text); text != "" && (!ok || at.longestGap() == 0) {
		s.raise(Cause{Words: "schedule " + text + " is never due", Evidence: "spec.schedule", Tab: "yaml"})
	}
}
