package reflector

import (
	"time"

	"watchglass/internal/wire"
)

// delivery is what the sink has been given.
type delivery struct {
	contents contents
	// printed: since the list began, objects came that were printed with the current columns.
	printed bool
}

// contents is what the sink holds.
type contents uint8

const (
	// untouched: nothing has been handed over yet. The first list goes to the sink as it comes.
	untouched contents = iota
	// partial: objects of lists that were never complete.
	partial
	// complete: a whole list, and what changed since.
	complete
	// emptied: nothing. The user may no longer list, or the resource is gone.
	emptied
)

// handOne hands an event to the sink.
func (r *Reflector[T]) handOne(t wire.EventType, obj T) {
	if r.delivery.contents == untouched {
		r.delivery.contents = partial
	}
	r.delivery.printed = true
	switch t {
	case wire.Added:
		r.options.Sink.Add(obj)
	case wire.Modified:
		r.options.Sink.Update(obj)
	case wire.Deleted:
		r.options.Sink.Delete(obj)
	case lost:
		r.options.Sink.Unread(obj)
	}
}

// lost is the type of what the sink is given for an object that exists, but could not be read.
const lost = wire.EventType(0xff)

// drop empties the sink, once. The state says so first, so that nobody takes what leaves the sink for deleted.
func (r *Reflector[T]) drop() {
	if r.delivery.contents == untouched || r.delivery.contents == emptied {
		return
	}
	r.delivery.contents = emptied
	r.position.version, r.position.before = "", ""
	r.change(func(s *State) {
		r.unread = unread{}
		s.Emptied, s.Version, s.AsOf, s.WasOf = true, "", time.Time{}, time.Time{}
		s.Unread = 0
	})
	r.options.Sink.Replace(nil, "")
}
