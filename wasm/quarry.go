package main

import (
	"context"
	"slices"
	"sync"
	"time"

	"watchglass/internal/informer"
	"watchglass/internal/object"
	"watchglass/internal/wire"
)

// quarry is where an object comes from: the list on screen, if that has all of it, and
// else a watch of its own, by its name.
type quarry struct {
	follow
	held *source // whose list it is, if it is not its own

	polled  time.Time // when it was last asked for, since it may not be watched
	polling bool
	refused *wire.Status // what was said to that
	unsure  bool         // it was there in another list, and may not be any more

	mu    sync.Mutex
	now   *object.Object // nil if it is not there
	fresh bool           // it has not been taken
}

// pursue finds the object, and reports whether there is where to look. It finds it anew
// when the list that it came from has left the screen.
func (d *desk) pursue(f *focus) bool {
	q := f.quarry
	if q != nil && (q.held == nil || q.held == d.source && d.source.shares(q.lease)) {
		return true
	}
	if f.kind.Name == "" {
		kind, ok := d.known(f.asked.Resource)
		if !ok {
			return false
		}
		f.kind = kind
	}
	next := d.track(f)
	if f.quarry = next; q != nil {
		next.unsure = true
		q.release()
	}
	return true
}

// settle notes that an object which was there went while nobody looked.
func (q *quarry) settle(key string) {
	if q.unsure && q.lease.HasSynced() {
		q.unsure = false
		if _, ok := q.lease.Store().Get(key); !ok {
			q.put(nil)
		}
	}
}

// shares reports whether a list is one of the source's.
func (s *source) shares(lease *informer.Lease[*object.Object]) bool {
	return slices.ContainsFunc(s.parts, func(p *follow) bool { return p.lease.Informer == lease.Informer })
}

// track begins to follow the object.
func (d *desk) track(f *focus) *quarry {
	key := f.ref().Key()
	q := &quarry{}
	// A list that is still coming in will do, and one of a namespace.
	if q.lease = d.onScreen(f.kind, func(_ string, list *follow) bool {
		o, ok := list.lease.Store().Get(key)
		return ok && f.kind.Whole(o)
	}); q.lease != nil {
		q.held = d.source
	} else {
		q.lease = d.factory.Lease(byName(f.kind, f.asked.Namespace, f.asked.Name))
	}
	q.subscribe(func(changes []informer.Change[*object.Object]) {
		for _, c := range changes {
			if c.Key == key {
				q.put(c.After)
				d.stir()
			}
		}
	})
	if o, ok := q.lease.Store().Get(key); ok {
		q.put(o)
	}
	return q
}

// byName names the source of one object, with all of it.
func byName(kind object.Kind, namespace, name string) wire.Request {
	r := requestFor(kind, namespace)
	if r.FieldSelector = "metadata.name=" + name; r.Encoding == wire.EncodingTable {
		r.Encoding = wire.EncodingWhole
	}
	return r
}

func (q *quarry) put(o *object.Object) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.now, q.fresh = o, true
}

// take returns the object, and whether it is another than the one before.
func (q *quarry) take() (o *object.Object, changed bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	changed, q.fresh = q.fresh, false
	return q.now, changed
}

// pollEvery is how often an object is asked for that may be got and not watched.
const pollEvery = 10 * time.Second

// poll asks for an object that may not be watched: it may be that it may be got.
func (d *desk) poll(ctx context.Context, f *focus, now time.Time) {
	q := f.quarry
	if q.polling || now.Sub(q.polled) < pollEvery || q.stand(d.link(), now).fresh != informer.Denied {
		return
	}
	q.polling, q.polled = true, now
	kind, r := f.kind, requestFor(f.kind, f.asked.Namespace)
	if r.Verb, r.Name = wire.Get, f.asked.Name; r.Encoding != wire.EncodingDefault {
		r.Encoding = wire.EncodingJSON
	}
	f.running.Go(func() {
		payload, err := d.client.Get(ctx, r)
		status := wire.StatusOf(err)
		d.post(ctx, func() {
			q.polling, q.refused = false, status
			switch o, bad := object.NewDecoder(kind, true).Decode(payload); {
			case err == nil && bad == nil:
				q.put(o)
			case status != nil && status.NotFound():
				q.refused = nil
				q.put(nil)
			}
		})
	})
}
