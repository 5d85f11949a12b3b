package hub

import (
	"context"
	"time"

	"watchglass/internal/informer"
	"watchglass/internal/object"
	"watchglass/internal/reflector"
	"watchglass/internal/wire"
)

// seeded is a source that begins with what another informer of the same source holds, and
// goes on with the server from there. So other columns of the same objects cost no second
// list.
type seeded struct {
	reflector.Source
	kind object.Kind
	held func() (*informer.Informer[*object.Object], bool)
	used bool // once; the next list is a new one
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

// seed returns a stream of what is held, if all of it has its body.
func (s *seeded) seed(ctx context.Context, r wire.Request) (*seed, bool) {
	from, ok := s.held()
	if !ok || from.State(time.Now()).Polled > 0 { // there would be no watch to go on with
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
	return &seed{Stream: watch, kind: s.kind, objects: objects, version: version}, true
}

// seed is a stream that begins with objects at a version, and goes on with the server's
// watch from that version.
type seed struct {
	reflector.Stream
	kind    object.Kind
	objects []*object.Object
	version string // of the end of the objects; "" once that has been said
}

var _ reflector.Stream = (*seed)(nil)

// seedAtOnce is how many objects make a batch.
const seedAtOnce = 500

// Next returns a batch. An object that has lost its bytes meanwhile ends the stream, as a
// server might: then the list is asked for anew.
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
var errUnseeded = &wire.Status{Origin: wire.FromTab, Reason: wire.ReasonUnreachable, Message: "an object was dropped from memory while it was copied"}

// Credit passes on what the server sent: what was held cost it nothing.
func (s *seed) Credit(bytes int) {
	if bytes > 0 {
		s.Stream.Credit(bytes)
	}
}
