package source

import (
	"context"
	"fmt"
	"runtime"
	"testing"

	"watchglass/internal/informer"
	"watchglass/internal/object"
	"watchglass/internal/reflector"
	"watchglass/internal/wire"
)

// versions is a watch of one object; the test sends the object's versions.
type versions struct {
	stream
	sent  chan int
	begun bool
}

func (v *versions) Next(ctx context.Context) (wire.Batch, error) {
	select {
	case n := <-v.sent:
		batch := wire.Batch{Events: []wire.Event{{Type: wire.Modified, Payload: fmt.Appendf(nil, `{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"name":"o","uid":"u","resourceVersion":"%d"}}`, n)}}}
		if !v.begun {
			v.begun, batch.Events[0].Type = true, wire.Added
			batch.Events = append(batch.Events, wire.Event{Type: wire.Bookmark, Payload: object.EndOfList("1")})
		}
		return batch, nil
	case <-ctx.Done():
		return wire.Batch{}, ctx.Err()
	}
}

// TestRefill checks that a refilled feed has all objects again, and that an object that changes
// at the same time does not revert to an older version.
func TestRefill(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	server := &versions{sent: make(chan int, 2)}
	factory := informer.NewFactory(ctx, 0, func(r wire.Request, _ string) *informer.Informer[*object.Object] {
		return informer.New(informer.Options[*object.Object]{
			Source:  reflector.SourceFunc(func(context.Context, wire.Request) (reflector.Stream, error) { return server, nil }),
			Decoder: object.NewMetadataDecoder(), Request: r,
			Key: (*object.Object).Key, Version: (*object.Object).Version,
			Same: func(a, b *object.Object) bool { return a.Stamp() == b.Stamp() },
		})
	})
	defer func() { cancel(); factory.Wait() }()
	notified := make(chan struct{}, 2)
	f := Follow(factory.Lease(wire.Request{Version: "v1", Resource: "things"}), nil, func() { notified <- struct{}{} })
	drained := func() string {
		all := f.Drain(0)
		if len(all) != 1 {
			t.Fatalf("%d changes", len(all))
		}
		return all[0].Now.Version()
	}
	server.sent <- 1
	<-notified
	if got := drained(); got != "1" || f.Pending() != 0 {
		t.Error(got)
	}
	f.Refill()
	if got := drained(); got != "1" {
		t.Error(got)
	}

	_, sub := f.Subscribe(func([]informer.Change[*object.Object]) { notified <- struct{}{} })
	f.Unsubscribe(f.sub) // the test fills the mailbox in place of the informer
	defer func() { f.Unsubscribe(sub); f.Release() }()
	f.mu.Lock()
	refilled := make(chan struct{})
	go func() { f.Refill(); close(refilled) }()
	for range 1000 {
		runtime.Gosched() // until it blocks
	}
	server.sent <- 2
	<-notified
	o, _ := f.Store().Get("o")
	f.putLocked("o", nil, o, false)
	f.mu.Unlock()
	<-refilled
	if got := drained(); got != "2" {
		t.Errorf("the mailbox ends with version %s, which was before", got)
	}
}
