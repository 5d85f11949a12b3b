package main

import (
	"context"
	"time"

	"watchglass/internal/informer"
	"watchglass/internal/object"
	"watchglass/internal/reflector"
	"watchglass/internal/wire"
)

// seeded is a source that begins with what another informer of the same source
// holds, and goes on with the server from there: for other columns of the same
// objects nobody needs to send them again.
type seeded struct {
	reflector.Source
	kind object.Kind
	held func() (*informer.Informer[*object.Object], bool)
	used bool // once; another list is a new one
}

// seedWithin is how long the other informer may take to come to rest.
const seedWithin = time.Second

// Open answers the first request for a list and a watch, if it can.
func (s *seeded) Open(ctx context.Context, r wire.Request) (reflector.Stream, error) {
	if !s.used && r.Verb == wire.Watch && r.SendInitialEvents {
		s.used = true
		if stream, ok := s.seed(ctx, r); ok {
			return stream, nil
		}
	}
	return s.Source.Open(ctx, r)
}

// seed is a stream of what is held, if all of it is.
func (s *seeded) seed(ctx context.Context, r wire.Request) (*seed, bool) {
	from, ok := s.held()
	if !ok || from.State(time.Now()).Polled > 0 { // it could not go on
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
	watch, err := s.Source.Open(ctx, r) // before anybody is told that there is one
	if err != nil {
		return nil, false
	}
	return &seed{Stream: watch, kind: s.kind, objects: objects, version: version}, true
}

// seed is a stream that begins with objects at a version, and goes on with the watch
// of the server from that version on.
type seed struct {
	reflector.Stream
	kind    object.Kind
	objects []*object.Object
	version string // of the end of the objects; none when that has been told
}

var _ reflector.Stream = (*seed)(nil)

// seedAtOnce is how many objects are a batch.
const seedAtOnce = 500

// Next returns a batch. An object that has lost its bytes meanwhile ends the stream,
// as a server might: the list is asked for anew.
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

// errUnseeded is an object that was dropped from the budget while it was read.
var errUnseeded = &wire.Status{Origin: wire.FromProxy, Reason: wire.ReasonUnreachable, Message: "what was held is not held any more"}

// Credit passes what is of the server's: what is held cost it nothing.
func (s *seed) Credit(bytes int) {
	if bytes > 0 {
		s.Stream.Credit(bytes)
	}
}
