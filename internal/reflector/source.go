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

// Stream is an open request. Next waits for events; at a clean end its error is
// io.EOF. Credit tells that events have been applied.
type Stream interface {
	Next(ctx context.Context) (wire.Batch, error)
	Credit(bytes int)
	Encoding() wire.Encoding
	Age(now time.Time) time.Duration
	Close()
}

// SourceFunc makes a Source of a function.
type SourceFunc func(ctx context.Context, r wire.Request) (Stream, error)

// Open calls the function.
func (f SourceFunc) Open(ctx context.Context, r wire.Request) (Stream, error) { return f(ctx, r) }

// Decoder makes objects of payloads.
type Decoder[T any] interface {
	Decode(payload []byte) (T, error)
	// Bookmark reads the version of a bookmark, and whether it ends the initial
	// events.
	Bookmark(payload []byte) (version string, end bool, err error)
	// SetColumns takes the columns of the rows that follow.
	SetColumns(payload []byte) (changed bool, err error)
}

// Sink takes the objects, in order.
type Sink[T any] interface {
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
