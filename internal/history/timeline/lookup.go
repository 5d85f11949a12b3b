package timeline

import "time"

// lookUp fills an object that only events have named, as it was at a moment, and reports whether a stream had it then.
// An object that was in the first list, and has not changed since, is in no change.
func (t *Timeline) lookUp(o *Object, at time.Time) bool {
	for _, s := range t.streams {
		if s.events || s.kind.ID() != o.Resource || s.stream.Namespace != "" && s.stream.Namespace != o.Namespace {
			continue
		}
		if found, ok := t.record.Find(s.index, o.Key(), at); ok {
			if root := s.kind.Root(found.Payload); root.Exists() {
				s.fill(o, root)
				o.Stream = s.index
				return true
			}
		}
	}
	return false
}

// lookAgain looks up the objects that only events have named once streams have their objects that had none: a list may
// come after the events about its objects.
func (t *Timeline) lookAgain() {
	_, to := t.record.Span()
	begun := false
	for _, s := range t.streams {
		missed := s.missed(to)
		begun, s.lists = begun || !missed && !s.lists, !missed
	}
	if !begun {
		return
	}
	for _, o := range t.objects {
		if !o.known && t.lookUp(o, to) {
			t.learnt++
		}
	}
}
