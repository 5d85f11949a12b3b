package problem

import "watchglass/internal/object"

// An object whose body is needed and not here cannot be judged: a full memory dropped the body, or it is
// of the last visit and has yet to be read from disk. Nothing is concluded from what is missing. What was
// read of the object before stands until then, and its kind is not complete.

// lacksBody reports whether the rules read the body of an object, and it is not here.
func (e *Engine) lacksBody(r *record) bool {
	return r.kind.reader.LacksBody(r.kind.columns, r.Object, e.minor)
}

// lose notes that an object cannot be read, as its body is not here.
func (e *Engine) lose(r *record) {
	if _, was := e.lost[r]; !was {
		e.lost[r] = struct{}{}
		e.lostOf[r.ID.Resource]++
	}
}

// regain notes that an object was read, or is gone.
func (e *Engine) regain(r *record) {
	if _, was := e.lost[r]; was {
		delete(e.lost, r)
		e.lostOf[r.ID.Resource]--
	}
}

// readRestored has the objects read that have their bodies again.
func (e *Engine) readRestored() {
	for r := range e.lost {
		if !r.queued && !e.lacksBody(r) {
			e.queue(r)
		}
	}
}

// Lost returns how many objects of a resource cannot be judged, because their bodies are not here.
func (e *Engine) Lost(resource string) int { return e.lostOf[resource] }

// EachLost calls f with each object that cannot be judged, because its body is not here.
func (e *Engine) EachLost(f func(resource string, o *object.Object)) {
	for r := range e.lost {
		if r.Object.Lost() {
			f(r.ID.Resource, r.Object)
		}
	}
}
