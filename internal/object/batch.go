package object

// Kinds whose pods run to completion.

func jobs(r release) *printer {
	s := namedPrinter()
	begun, ended := s.paths.add("status.startTime"), s.paths.add("status.completionTime")
	if !r.before(30) {
		s.cell("Status", TextCell, jobStatus(s, r))
	}
	completions, health := jobCompletions(s), jobHealth(s)
	return s.
		cell("Completions", TextCell, func(v *Values, o *Object, r *row) {
			completions(v, o, r)
			o.health = health(v, o)
		}).
		cell("Duration", SpanCell, func(v *Values, _ *Object, r *row) {
			r.span(seconds(v.Bytes(begun)), seconds(v.Bytes(ended)))
		}).
		age().
		wide().containers("spec.template.spec").selector("Selector", "spec.selector", none, "<error>").
		printer()
}

// jobEnds and jobStates are the conditions that determine a job's status, most important first:
// the first true one is printed. Whether the job is being deleted ranks between the two lists.
var (
	jobEnds   = []string{"Complete", "Failed"}
	jobStates = []string{"Suspended", "FailureTarget", "SuccessCriteriaMet"}
)

func jobStatus(s *printerBuilder, release release) cell {
	states := jobStates
	if release.before(34) {
		states = states[:2] // SuccessCriteriaMet was not printed yet
	}
	condition, is := s.paths.add("status.conditions[].type"), s.paths.add("status.conditions[].status")
	firstTrue := func(v *Values, of []string) string {
		for _, state := range of {
			if yes, _ := firstOf(v, condition, state, is); string(yes) == "True" {
				return state
			}
		}
		return ""
	}
	return func(v *Values, o *Object, r *row) {
		r.next()
		r.orLiteral(firstTrue(v, jobEnds))
		if o.deleting {
			r.orLiteral("Terminating")
		}
		r.orLiteral(firstTrue(v, states))
		r.orLiteral("Running")
	}
}

// jobHealth returns the index of a job's health, from its conditions and its failed pods. Servers
// before 1.30 have no status column, and in that of newer ones a job is Running whatever failed.
func jobHealth(s *printerBuilder) func(*Values, *Object) uint8 {
	const ok, pending, warning, failed = 1, 2, 3, 4
	condition, is, failures := s.paths.add("status.conditions[].type"), s.paths.add("status.conditions[].status"), s.paths.add("status.failed")
	return func(v *Values, o *Object) uint8 {
		has := func(state string) bool {
			yes, _ := firstOf(v, condition, state, is)
			return string(yes) == "True"
		}
		switch {
		case has("Complete"):
			return ok
		case has("Failed"), has("FailureTarget"):
			return failed
		case o.deleting, has("Suspended"):
			return pending
		case v.Int(failures) > 0:
			return warning
		}
		return ok
	}
}

// jobCompletions prints the succeeded and required completions. A job without spec.completions
// is a work queue: any success completes it.
func jobCompletions(s *printerBuilder) cell {
	succeeded, wants, parallel := s.paths.add("status.succeeded"), s.paths.add("spec.completions"), s.paths.add("spec.parallelism")
	return func(v *Values, _ *Object, r *row) {
		r.fraction(v.Int(succeeded), v.IntOr(wants, 1))
		if n := v.Int(parallel); !v.Has(wants) && n > 1 {
			r.literal(" of ")
			r.integer(n)
		}
	}
}

func cronJobs(r release) *printer {
	s := namedPrinter().text("Schedule", "spec.schedule", "")
	last := s.paths.add("status.lastScheduleTime")
	if !r.before(30) {
		s.optional("Timezone", "spec.timeZone", none)
	}
	return s.
		flag("Suspend", "spec.suspend", unset, "False", "True").
		count("Active", "status.active[]").
		cell("Last Schedule", AgeCell, func(v *Values, _ *Object, r *row) {
			if v.Has(last) {
				r.instant(seconds(v.Bytes(last)))
			} else {
				r.instantOr(0, none)
			}
		}).
		age().
		wide().containers("spec.jobTemplate.spec.template.spec").selector("Selector", "spec.jobTemplate.spec.selector", none, "<error>").
		printer()
}
