package timeline

import (
	"strings"
	"time"
)

// Object is what entries are about. It belongs to the goroutine of its Timeline.
type Object struct {
	Resource, Kind, Namespace, Name, UID string // Resource as addresses name it
	Node                                 string
	// Controller is its owner that controls it, and Owner the workload at the top: both are
	// "Deployment/web", or "" if there is none.
	Controller, Owner string

	// Stream is where it was read, by its index in the record; -1 if it is known only from events. Gone is
	// when it was deleted; zero if it was not.
	Stream int
	Gone   time.Time

	known bool // an object was read, not only an event about it
	last  int  // its last entry's number, from 1
}

// Key returns "namespace/name", or the name alone if there is no namespace.
func (o *Object) Key() string {
	if o.Namespace == "" {
		return o.Name
	}
	return o.Namespace + "/" + o.Name
}

// Called returns "Deployment/web".
func (o *Object) Called() string { return o.Kind + "/" + o.Name }

// Top returns the workload that the object belongs to: itself if it has no owner.
func (o *Object) Top() string {
	if o.Owner != "" {
		return o.Owner
	}
	return o.Called()
}

// Entry is something that happened to an object.
type Entry struct {
	At    int64 // unix milliseconds
	Of    *Object
	Words string
	// Fields are the paths of the fields that changed, comma-separated: "spec.replicas". There are
	// none if the object was added or deleted.
	Fields string
	Event  bool // an event says it, which may be a normal one

	number int // from 1
	class  uint8
	rule   uint8 // that folds it, from 1; 0: none does
}

// Class returns what kind of thing happened.
func (e *Entry) Class() Class { return Classes[e.class] }

// Number distinguishes the entry from all others of its Timeline.
func (e *Entry) Number() int { return e.number }

// Rule returns the name of the rule that folds the entry; "" if none does.
func (e *Entry) Rule() string {
	if e.rule == 0 {
		return ""
	}
	return Rules[e.rule-1].Name
}

// classIndex returns the index of a class in Classes.
func classIndex(c Class) uint8 {
	for i, one := range Classes {
		if one == c {
			return uint8(i)
		}
	}
	return 0
}

// worst orders classes by how much they matter, by index in Classes.
var worst = [...]uint8{0: 1, 1: 2, 2: 3, 3: 7, 4: 4, 5: 6, 6: 5}

// split splits "Deployment/web".
func split(called string) (kind, name string) {
	kind, name, _ = strings.Cut(called, "/")
	return kind, name
}
