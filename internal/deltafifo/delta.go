package deltafifo

// DeltaType says what happened to an object.
type DeltaType uint8

// The types of deltas.
const (
	Added DeltaType = iota + 1
	Updated
	Deleted
	// Replaced is an object of a new list. Its key may or may not have been known before.
	Replaced
)

// Delta is one thing that happened to an object.
type Delta[T any] struct {
	Type   DeltaType
	Object T
	// FinalStateUnknown says of a Deleted that the deletion itself was missed: a new list did
	// not contain the object. Its final state was never seen. Object is the last known state,
	// if there is one.
	FinalStateUnknown bool
	// Unread says of a Deleted that the object exists, but could not be read.
	Unread bool
}

// Deltas are the changes of one key, oldest first.
type Deltas[T any] []Delta[T]

// newest returns the last delta. There is at least one.
func (d Deltas[T]) newest() Delta[T] { return d[len(d)-1] }

// dedupe drops one of two deletions in a row: the one with FinalStateUnknown, else the later
// one. Where only one is Unread, the later one is true.
func (d Deltas[T]) dedupe() (Deltas[T], bool) {
	n := len(d)
	if n < 2 || d[n-1].Type != Deleted || d[n-2].Type != Deleted {
		return d, false
	}
	if d[n-2].FinalStateUnknown || d[n-2].Unread != d[n-1].Unread {
		d[n-2] = d[n-1]
	}
	return d[:n-1], true
}

// coalesce folds the newest delta into the ones before it, without changing the final state or
// the order of deletions and additions. At most three are left. It returns how many it folded.
func (d Deltas[T]) coalesce() (Deltas[T], int) {
	n := len(d)
	if n < 2 {
		return d, 0
	}
	last, before := d[n-1], d[n-2]
	switch {
	case last.Type == Deleted && n > 2 && d[n-3].Type == Deleted:
		// deleted, added and deleted again: only the first deletion is left to report, unless the last is of another kind
		if d[n-3].Unread != last.Unread {
			d[n-3] = last
		}
		return d[:n-2], 2
	case last.Type == Deleted || before.Type == Deleted:
		return d, 0
	case before.Type == Added:
		last.Type = Added
	}
	d[n-2] = last
	return d[:n-1], 1
}
