// Package savedlist is a noun: a list saved on disk, so that the next visit starts with rows instead of a list.
//
// In: the objects of a source at a version, and a Disk that encrypts. Out: the same objects, without
// their being decoded, and later their bodies. A source that begins with them shows rows at once, marked
// as of when, and follows from their version instead of listing.
package savedlist

import "context"

// Disk stores saved lists where the browser keeps them. It is safe for concurrent use, as is a Folder.
type Disk interface {
	// Open returns the saved lists of a session. A place is a context of the proxy; what other sessions of
	// it have left is removed. Key is the proxy's, as wire.Welcome has it. About is what else must be
	// the same for a saved list to be read, such as the cluster and the user.
	Open(ctx context.Context, place, key, about string) (Folder, error)
	// Clear removes all saved lists of all places.
	Clear()
}

// Folder has the saved lists of one session. No other can read them, or add to them.
type Folder interface {
	// Create starts a saved list. Commit replaces the previous one of that name.
	Create(ctx context.Context, name string) (Writer, error)
	// Read returns the last saved list of a name, or nil if there is none.
	Read(ctx context.Context, name string) (Reader, error)
	// Remove removes the saved list of a name.
	Remove(name string)
	// Close removes all saved lists, since the session is over. Nothing can be read or added afterwards.
	Close()
}

// Writer encrypts and stores the blocks of a saved list. Either Commit or Abort has to be called.
type Writer interface {
	// Put adds a block, which may be reused afterwards.
	Put(ctx context.Context, block []byte) error
	Commit(ctx context.Context) error
	Abort()
}

// Reader returns the blocks of a saved list as they were put.
type Reader interface {
	// Next returns the next block, or io.EOF after the last one of a saved list that is whole.
	Next(ctx context.Context) ([]byte, error)
	// Close may be called more than once.
	Close()
}
