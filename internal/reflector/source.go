package reflector

import (
	"context"
	"time"

	"watchglass/internal/wire"
)

// Source opens streams. Open returns when the apiserver has accepted the
// request; an error that is a *wire.Status tells why it has not.
type Source interface {
	Open(ctx context.Context, r wire.Request) (Stream, error)
}

// Stream is an open request. It is read by one goroutine; Credit and Age may be
// called by any.
type Stream interface {
	// Next waits for events, which are valid until the next call. At a clean end
	// the error is io.EOF, else a *wire.Status.
	Next(ctx context.Context) (wire.Batch, error)
	// Credit tells that so many bytes of events have been applied.
	Credit(bytes int)
	// Encoding is how the objects are written.
	Encoding() wire.Encoding
	// Age is how long ago the apiserver gave a sign of life. It goes on when the
	// stream has ended.
	Age(now time.Time) time.Duration
	// Close lets the stream go. It may be called when it has ended.
	Close()
}

// SourceFunc makes a Source of a function.
type SourceFunc func(ctx context.Context, r wire.Request) (Stream, error)

// Open calls the function.
func (f SourceFunc) Open(ctx context.Context, r wire.Request) (Stream, error) { return f(ctx, r) }

// Decoder makes objects of payloads. It is called by one goroutine.
type Decoder[T any] interface {
	// Decode makes an object. It is an error if it has no name, or is of another
	// kind: what cannot be stored under its own key is not.
	Decode(payload []byte) (T, error)
	// Bookmark reads the version of a bookmark, and whether it ends the initial
	// events.
	Bookmark(payload []byte) (version string, end bool, err error)
	// SetColumns takes the columns of the rows that follow, and reports whether
	// they are others than before.
	SetColumns(payload []byte) (changed bool, err error)
}

// Sink takes the objects, in order, from one goroutine. Until Populated or Replace
// has been called, what was added is part of an initial list.
type Sink[T any] interface {
	// Add, Update and Delete tell what the server said happened. None relies on
	// what is stored: an Add may be of a key that is known, and a Delete of one
	// that is not.
	Add(obj T)
	Update(obj T)
	Delete(obj T)
	// Replace is a whole new list, at a version.
	Replace(list []T, version string)
	// Populated tells that what was added so far is the whole initial list.
	Populated(version string)
	// Bookmark tells that all up to a version has been handed over.
	Bookmark(version string)
	// Applied has done called once all that was handed over is applied.
	Applied(done func())
}
