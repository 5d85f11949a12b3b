package informer

// Change is one change of the store.
type Change[T any] struct {
	Key string
	// Before is the object that an update or a deletion removed from the store. After is the
	// object that an addition or an update stored. They are the stored pointers themselves, so
	// that readers can compare by identity.
	Before, After T
	// Final is a deleted object in its final state, if the server sent that, else Before.
	Final   T
	Initial bool // it belongs to the initial list
	// Unread says of a deletion that the object exists, but can't be read. See SubscribeLate.
	Unread bool
	// Ended says that the informer has ended: what became of the object is not known.
	Ended bool

	late bool // a deletion of what had left the store because it could not be read
}
