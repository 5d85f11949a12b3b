package problem

import (
	"iter"

	"watchglass/internal/problem/facts"
	"watchglass/internal/problem/joint"
	"watchglass/internal/problem/rule"
)

// view is what the rules that need more than one object see of an engine.
type view struct{ e *Engine }

func (v view) Known(resource string) bool { return v.e.known(resource) }

func (v view) LeftOut(namespace string) bool { return v.e.options.LeftOut(namespace) }

func (v view) Find(id facts.ID) *joint.Subject {
	if r := v.e.records[id]; r != nil {
		return &r.Subject
	}
	return nil
}

func (v view) Cell(id facts.ID, column string) string {
	if r := v.e.records[id]; r != nil {
		return r.cell(column)
	}
	return ""
}

func (v view) Members(id facts.ID) iter.Seq[*joint.Subject] {
	return func(yield func(*joint.Subject) bool) {
		if o := v.e.owners[id]; o != nil {
			for _, r := range o.members {
				if !yield(&r.Subject) {
					return
				}
			}
		}
	}
}

func (v view) MayRun(namespace string, s *facts.Service) bool {
	return v.e.runs(namespace, s) || !v.e.knowsRunners()
}

func (v view) LastBeat(node facts.ID) int64 { return v.e.beats.last[v.e.records[node]] }

// joint returns the causes of an object that depend on others, and has the rows of those that depend on it made anew.
func (e *Engine) joint(r *record, now int64) []rule.Cause {
	if r.Object == nil || r.queued {
		return nil
	}
	down, empty := r.DownSince, r.Empty
	all := joint.Causes(view{e}, &r.Subject, now)
	if r.DownSince != down {
		e.invalidateDependents(r)
	}
	if r.Empty != empty {
		e.empty.put(r, r.Empty)
	}
	return all
}
