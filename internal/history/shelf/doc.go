// Package shelf is a noun: where history goes that does not fit into memory.
//
// In: a history.Store, and a Shelf outside of memory, which encrypts what it is given. Out: a Tape that
// reaches back as far as both. What memory would drop next is written in chapters. A chapter is a
// recording of one stream: its objects at one moment, and all changes up to another. It can be read
// alone, and is read as carefully as a file that somebody sends.
package shelf

import "context"

// Shelf stores chapters outside of memory, for as long as a session lives. It is safe for concurrent use.
// Calls take effect in the order in which they begin.
type Shelf interface {
	// Open empties the shelf and returns how many bytes it may take.
	Open(ctx context.Context) (room int64, err error)
	// Put stores a chapter, encrypted, and returns how many bytes it takes. Data may be reused afterwards.
	Put(ctx context.Context, id uint64, data []byte) (size int64, err error)
	// Get returns a chapter as it was put.
	Get(ctx context.Context, id uint64) ([]byte, error)
	// Drop removes a chapter.
	Drop(id uint64)
	// Clear removes all chapters, and forgets the key. Nothing can be read afterwards.
	Clear()
}
