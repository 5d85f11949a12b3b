package deltafifo

// DeltaType is what happened to an object.
type DeltaType uint8

// The types of deltas.
const (
	Added DeltaType = iota + 1
	Updated
	Deleted
	// Replaced is an object of a new list: the key may or may not have been
	// known before.
	Replaced
	// Sync tells again of an object that did not change.
	Sync
)

var deltaTypes = [...]string{"", "Added", "Updated", "Deleted", "Replaced", "Sync"}

// String is the type in client-go's words.
func (t DeltaType) String() string { return deltaTypes[t] }

// Delta is one thing that happened to an object.
type Delta[T any] struct {
	Type   DeltaType
	Object T
	// FinalStateUnknown of a Deleted says that the object was missed in a new
	// list: its last state was never seen, and Object is the last that was
	// known, if any was.
	FinalStateUnknown bool
}

// Deltas are what happened to one key, oldest first.
type Deltas[T any] []Delta[T]

// Newest is the last of them. There is at least one.
func (d Deltas[T]) Newest() Delta[T] { return d[len(d)-1] }

// dedupe drops one of two deletions in a row: the one that knows less, else the
// later one.
func (d Deltas[T]) dedupe() (Deltas[T], bool) {
	n := len(d)
	if n < 2 || d[n-1].Type != Deleted || d[n-2].Type != Deleted {
		return d, false
	}
	if d[n-2].FinalStateUnknown {
		d[n-2] = d[n-1]
	}
	return d[:n-1], true
}

// coalesce folds the newest delta into those before it, as far as the state in
// the end and the order of deletions and additions stay the same. At most three
// are left. It returns how many it folded.
func (d Deltas[T]) coalesce() (Deltas[T], int) {
	n := len(d)
	if n < 2 {
		return d, 0
	}
	last, before := d[n-1], d[n-2]
	switch {
	case last.Type == Deleted && n > 2 && d[n-3].Type == Deleted:
		// gone, back and gone again: the first going is what is left to tell
		return d[:n-2], 2
	case last.Type == Deleted || before.Type == Deleted:
		return d, 0
	case last.Type == Sync:
		return d[:n-1], 1
	case before.Type == Added:
		last.Type = Added
	}
	d[n-2] = last
	return d[:n-1], 1
}
