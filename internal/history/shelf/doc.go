// Package shelf is a noun: the place for history that does not fit into memory.
//
// In: a history.Store, and a Shelf outside of memory, which encrypts its contents. Out: a Tape of both.
// The history that memory would drop next is written in chapters. A chapter is a recording of one
// stream: its objects at one moment, and all changes up to another. It can be read alone, and is read as
// carefully as a file from a stranger.
package shelf

import "context"

// Shelf stores chapters outside of memory, for the life of a session. It is safe for concurrent use. Calls
// take effect in the order in which they begin.
type Shelf interface {
	// Open empties the shelf and returns its capacity in bytes.
	Open(ctx context.Context) (room int64, err error)
	// Put encrypts and stores a chapter, and returns its size on the shelf. Data may be reused afterwards.
	Put(ctx context.Context, id uint64, data []byte) (size int64, err error)
	// Get returns a chapter as it was put.
	Get(ctx context.Context, id uint64) ([]byte, error)
	// Drop removes a chapter.
	Drop(id uint64)
	// Clear removes all chapters and the key. Nothing can be read afterwards.
	Clear()
}
