// Package visit is a noun: what a tab saw last, for the next time that this browser opens the page.
//
// In: the objects of a source at a version, and a Disk that encrypts. Out: the same objects, without
// their being decoded, and later their bodies. A source that begins with them shows rows at once, marked
// as of when, and follows from their version instead of listing.
package visit

import "context"

// Disk stores visits where the browser keeps them, for the life of a session. It is safe for concurrent
// use. A place is a context of the proxy.
type Disk interface {
	// Open sets the key of a place's session, in base64, and removes what the place has of other
	// sessions. About is what else must be the same for a visit to be read, such as the program.
	Open(ctx context.Context, place, key, about string) error
	// Create begins a visit, which replaces an earlier one of that name once it is committed.
	Create(ctx context.Context, place, name string) (Writer, error)
	// Read returns the last visit of a name, or nil if there is none.
	Read(ctx context.Context, place, name string) (Reader, error)
	// Clear removes all visits of a place.
	Clear(place string)
}

// Writer encrypts and stores the blocks of a visit. Either Commit or Abort has to be called.
type Writer interface {
	// Put adds a block, which may be reused afterwards.
	Put(ctx context.Context, block []byte) error
	Commit(ctx context.Context) error
	Abort()
}

// Reader returns the blocks of a visit as they were put.
type Reader interface {
	// Next returns the next block, or io.EOF after the last one of a visit that is whole.
	Next(ctx context.Context) ([]byte, error)
	// Close may be called more than once.
	Close()
}
