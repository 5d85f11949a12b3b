package main

import (
	"context"
	"sync"
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
	return &seed{server: s.Source, kind: s.kind, objects: objects, watch: r, since: time.Now()}, true
}

// seed is a stream that begins with objects at a version, and goes on with the watch
// of the server from that version on.
type seed struct {
	server  reflector.Source
	kind    object.Kind
	objects []*object.Object
	ended   bool // the initial events
	watch   wire.Request
	since   time.Time

	mu     sync.Mutex
	stream reflector.Stream // once it goes on
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
	case !s.ended:
		s.ended = true
		out.Events = []wire.Event{{Type: wire.Bookmark, Payload: object.EndOfList(s.watch.ResourceVersion)}}
		return out, nil
	}
	stream, err := s.goOn(ctx)
	if err != nil {
		return out, err
	}
	return stream.Next(ctx)
}

// errUnseeded is an object that was dropped from the budget while it was read.
var errUnseeded = &wire.Status{Origin: wire.FromProxy, Reason: wire.ReasonUnreachable, Message: "what was held is not held any more"}

// goOn opens the watch of the server.
func (s *seed) goOn(ctx context.Context) (reflector.Stream, error) {
	if stream := s.opened(); stream != nil {
		return stream, nil
	}
	stream, err := s.server.Open(ctx, s.watch)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	s.stream = stream
	s.mu.Unlock()
	return stream, nil
}

func (s *seed) opened() reflector.Stream {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stream
}

// Credit passes what is of the server's.
func (s *seed) Credit(bytes int) {
	if stream := s.opened(); stream != nil && bytes > 0 {
		stream.Credit(bytes)
	}
}

// Encoding is that of what is held.
func (s *seed) Encoding() wire.Encoding { return wire.EncodingProtobuf }

// Age is how long ago the server gave a sign of life: what is held did then.
func (s *seed) Age(now time.Time) time.Duration {
	if stream := s.opened(); stream != nil {
		return stream.Age(now)
	}
	return now.Sub(s.since)
}

// Close lets the watch go, if there is one.
func (s *seed) Close() {
	if stream := s.opened(); stream != nil {
		stream.Close()
	}
}
