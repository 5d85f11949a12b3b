package source

import (
	"context"
	"time"

	"watchglass/internal/informer"
	"watchglass/internal/object"
	"watchglass/internal/reflector"
	"watchglass/internal/wire"
)

// seedSource is a server whose first list comes from the objects that another informer holds.
type seedSource struct {
	reflector.Source
	kind object.Kind
	held func() (*informer.Informer[*object.Object], bool)
	used bool // seeding happens once; a later list comes from the server
}

// WithSeed returns a server that starts from the objects that another informer of the same source holds, and continues
// with a watch from there. So other columns of the same objects cost no second list. held returns the other informer.
func WithSeed(server reflector.Source, kind object.Kind, held func() (*informer.Informer[*object.Object], bool)) reflector.Source {
	return &seedSource{Source: server, kind: kind, held: held}
}

// seedWithin is how long the other informer may take to reach a consistent state.
const seedWithin = time.Second

// Open answers the first request for a list and a watch, if it can.
func (s *seedSource) Open(ctx context.Context, r wire.Request) (reflector.Stream, error) {
	if !s.used && r.Verb == wire.Watch && r.SendInitialEvents {
		s.used = true
		if stream, ok := s.seed(ctx, r); ok {
			return stream, nil
		}
	}
	return s.Source.Open(ctx, r)
}

// seed returns a stream of the held objects, unless one of them has lost its body or the server may be another
// one by now.
func (s *seedSource) seed(ctx context.Context, r wire.Request) (*seed, bool) {
	from, ok := s.held()
	if !ok {
		return nil, false
	}
	before := from.State(time.Now())
	if !follows(before) {
		return nil, false
	}
	resting, cancel := context.WithTimeout(ctx, seedWithin)
	defer cancel()
	objects, version, err := from.Store().Snapshot(resting)
	if err != nil || version == "" {
		return nil, false
	}
	for _, o := range objects {
		if o.Packed() == nil {
			return nil, false
		}
	}
	r.SendInitialEvents, r.ResourceVersion, r.ResourceVersionMatch = false, version, ""
	watch, err := s.Source.Open(ctx, r) // before anybody is promised a list
	if err != nil {
		return nil, false
	}
	if after := from.State(time.Now()); !follows(after) || after.Rewinds != before.Rewinds { // the request may have waited for a connection, to another server
		watch.Close()
		return nil, false
	}
	return &seed{Stream: watch, kind: s.kind, objects: objects, version: version}, true
}

// follows reports whether a source has an open watch to go on with. While it has none, the next server may be
// another one, which accepts a watch from any version and says nothing of what it never had. Nor has a source all objects
// that could not read one: the watch would not send it again.
func follows(s informer.State) bool {
	return s.Phase == reflector.Watching && s.Polled == 0 && s.AsOf.IsZero() && s.Unread == 0
}

// seed is a stream that begins with objects at a version, and continues with the server's
// watch from that version.
type seed struct {
	reflector.Stream
	kind    object.Kind
	objects []*object.Object
	version string // sent as a bookmark after the objects; "" once it was
}

var _ reflector.Stream = (*seed)(nil)

// Paused reports whether the server's watch is paused.
func (s *seed) Paused() bool { return reflector.Paused(s.Stream) }

// seedAtOnce is how many objects make a batch.
const seedAtOnce = 500

// Next returns a batch. If an object has lost its body meanwhile, the stream fails as a
// server's might, and the reflector lists again.
func (s *seed) Next(ctx context.Context) (wire.Batch, error) {
	var out wire.Batch
	switch {
	case len(s.objects) > 0:
		some := s.objects[:min(seedAtOnce, len(s.objects))]
		for _, o := range some {
			payload := s.kind.Payload(o)
			if payload == nil {
				return out, errUnseeded
			}
			out.Events = append(out.Events, wire.Event{Type: wire.Added, Payload: payload})
		}
		s.objects = s.objects[len(some):]
		return out, nil
	case s.version != "":
		out.Events = []wire.Event{{Type: wire.Bookmark, Payload: object.EndOfList(s.version)}}
		s.version = ""
		return out, nil
	}
	return s.Stream.Next(ctx)
}

// errUnseeded ends a stream when an object was dropped from the budget before it was read.
var errUnseeded = &wire.Status{Origin: wire.FromTab, Reason: wire.ReasonUnreachable, Message: "an object was dropped from memory during a copy"}

// Credit forwards credit for what the server sent. Seeded batches count no bytes.
func (s *seed) Credit(bytes int) {
	if bytes > 0 {
		s.Stream.Credit(bytes)
	}
}
