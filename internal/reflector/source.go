package reflector

import (
	"context"
	"time"

	"watchglass/internal/wire"
)

// Source opens streams. Open returns when the apiserver has accepted the request. An error that
// is a *wire.Status says why it was refused.
type Source interface {
	Open(ctx context.Context, r wire.Request) (Stream, error)
}

// Stream is an open request. One goroutine reads it. Any goroutine may call Credit and Age.
type Stream interface {
	// Next waits for events, which are valid until the next call. The error is io.EOF at a
	// clean end, and otherwise a *wire.Status. It may be called again after its context has ended: nothing is
	// lost, and the timers of the stream go on.
	Next(ctx context.Context) (wire.Batch, error)
	// Credit reports a number of bytes of events as applied.
	Credit(bytes int)
	// Encoding returns the encoding of the objects.
	Encoding() wire.Encoding
	// Age returns the time since the apiserver's last sign of life. It keeps growing after the
	// stream has ended.
	Age(now time.Time) time.Duration
	// Close ends the stream. It may be called after the stream has ended.
	Close()
}

// SourceFunc is a function that is a Source.
type SourceFunc func(ctx context.Context, r wire.Request) (Stream, error)

// Open calls the function.
func (f SourceFunc) Open(ctx context.Context, r wire.Request) (Stream, error) { return f(ctx, r) }

// Decoder decodes payloads. One goroutine calls it.
type Decoder[T any] interface {
	// Decode decodes an object. An object without a name or of another kind is an error, since
	// it could not be stored under its own key.
	Decode(payload []byte) (T, error)
	// Bookmark returns the version of a bookmark, and whether it ends the initial events.
	Bookmark(payload []byte) (version string, end bool, err error)
	// SetColumns sets the columns of the rows that follow, and reports whether they changed.
	SetColumns(payload []byte) (changed bool, err error)
}

// Sink receives the objects, in order, from one goroutine. Objects added before the first call of
// Populated or Replace are part of an initial list.
type Sink[T any] interface {
	// Add, Update and Delete report the server's events. They do not depend on what is stored:
	// an added key may be known, and a deleted one unknown.
	Add(obj T)
	Update(obj T)
	Delete(obj T)
	// Unread reports an object that exists, but could not be read. The store lacks it until it is added or updated.
	Unread(obj T)
	// Replace replaces everything with a complete list, at a version, and objects of it that could not be read.
	Replace(list []T, version string, unread ...T)
	// Populated reports that the objects added so far are the whole initial list.
	Populated(version string)
	// Bookmark reports that everything up to a version has been handed over.
	Bookmark(version string)
	// Applied calls done when everything that was handed over has been applied.
	Applied(done func())
}
