// Package disk is a noun: the place for history that does not fit into memory.
//
// In: a history.Store, and a Disk outside of memory, which encrypts its contents. Out: a Record of both.
// The history that memory would drop next is written in segments. A segment is a recording of one
// stream: its objects at one moment, and all changes up to another. It can be read alone, and is read as
// carefully as a file from a stranger.
package disk

import "context"

// Disk stores segments outside of memory, for the life of a session. It is safe for concurrent use. Calls
// take effect in the order in which they begin.
type Disk interface {
	// Open empties the disk and returns its capacity in bytes.
	Open(ctx context.Context) (room int64, err error)
	// Put encrypts and stores a segment, and returns its size on disk. Data may be reused afterwards.
	Put(ctx context.Context, id uint64, data []byte) (size int64, err error)
	// Get returns a segment as it was put.
	Get(ctx context.Context, id uint64) ([]byte, error)
	// Drop removes a segment.
	Drop(id uint64)
	// Clear removes all segments and the key. Nothing can be read afterwards.
	Clear()
}
