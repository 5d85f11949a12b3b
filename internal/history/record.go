package history

import (
	"time"

	"watchglass/internal/object"
	"watchglass/internal/wire"
)

// Record is what is remembered of a cluster between two moments. It is safe for concurrent use. The
// functions that are passed to it must not call it, and must not keep payloads. They may block: nothing is
// locked while they run.
type Record interface {
	// Span returns the first and the last moment that the record knows of.
	Span() (from, to time.Time)
	// Streams returns what was watched. The index of a stream never changes; later ones are added.
	Streams() []Stream
	// Gaps returns when changes of a stream may be missing, in order of time. Before the stream was
	// opened, and before what was dropped, is a gap too.
	Gaps(stream int) []Gap
	// At calls yield with each object of a stream as it was at a moment, in any order. A stream has none before it
	// was opened, and none before what was dropped.
	At(stream int, at time.Time, yield func(Object) bool)
	// Find returns one object as it was at a moment.
	Find(stream int, key string, at time.Time) (Object, bool)
	// Between calls yield with each change after from, up to and at to; the oldest first.
	Between(stream int, from, to time.Time, yield func(Change) bool)
	// Moved calls yield once with each object that differs between two moments: first the objects whose
	// keys are wanted first, then the others (nil: in any order). If the first moment is the later one,
	// time runs backwards.
	Moved(stream int, from, to time.Time, first func(key string) bool, yield func(Change) bool)
	// Versions returns the last versions of an object at a moment, at most most of each stream, the oldest
	// first. An unchanged object may have none.
	Versions(kind object.Kind, key, uid string, at time.Time, most int) []Version
	// Count grows with each change that is added.
	Count() uint64
}

// Stream is a kind that was watched, in the whole cluster or in one namespace.
type Stream struct {
	Group, Version, Resource string
	// Kind is the name of its objects, such as "Pod".
	Kind       string
	Namespaced bool
	Namespace  string // "" is the whole cluster
	// Columns are the definitions of the columns that the server printed, as wire.Columns has them;
	// nil if payloads are objects, and not rows of a Table.
	Columns []byte
}

// Object is an object at a moment. Its payload is what an object.Decoder of the kind decodes: an
// object in protobuf or JSON, or a row of a Table.
type Object struct {
	Key, UID string
	Payload  []byte
}

// Change is a change of one object. Before is nil if it was added, After if it was deleted.
type Change struct {
	At            time.Time
	Type          wire.EventType // Added, Modified or Deleted
	Key, UID      string
	Before, After []byte
}

// Version is a version of one object.
type Version struct {
	At      time.Time // when it arrived; zero if unknown
	Payload []byte
	Columns []byte // of its stream
}

// LogRecord is a Record that has logs, too.
type LogRecord interface {
	Record
	Logs() []Log
}

// Log is what was read of a container's log, each line with the time that the kubelet gave it.
type Log struct {
	Namespace, Pod, Container string
	Previous                  bool
	Text                      []byte
	// Object is the pod, as an object.Decoder has it; nil if it is not known. The pod may be in no stream.
	Object []byte
	// Gaps are times in which lines are missing, in order. A gap from the zero time lasts from the beginning. Known is
	// false if nobody knows: then there may be lines before the first one.
	Gaps  []Gap
	Known bool
}

// Without returns the namespaces that were left out of the file that a record is of, and how many others were, whose names
// are not known.
func Without(t Record) (namespaces []string, others int) {
	if file, ok := t.(interface {
		Without() (namespaces []string, others int)
	}); ok {
		return file.Without()
	}
	return nil, 0
}

// Gap is a time in which changes may be missing.
type Gap struct {
	From, To time.Time
	Why      Why
	UID      string // in a log, of the pod whose lines are missing; "" if that is not known, or the gap is of no log
}

// Why says why changes may be missing.
type Why byte

// The reasons.
const (
	Closed   Why = iota + 1 // nobody watched
	Away                    // the tab slept, or had no connection
	Relisted                // the server had forgotten the version that was reached
	Dropped                 // older than what fits into memory
	Denied                  // the right to read was lost
	Unread                  // an object of the kind could not be read; the Record has its last version that could
)

// WantedFirst returns all in Moved's order: elements whose keys are wanted first, then the others. Both groups
// keep their order.
func WantedFirst[T any](all []T, first func(key string) bool, key func(T) string) []T {
	if first == nil {
		return all
	}
	out, late := make([]T, 0, len(all)), []T(nil)
	for _, one := range all {
		if first(key(one)) {
			out = append(out, one)
		} else {
			late = append(late, one)
		}
	}
	return append(out, late...)
}
