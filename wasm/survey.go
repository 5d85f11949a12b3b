package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
	"time"

	"watchglass/internal/informer"
	"watchglass/internal/object"
	"watchglass/internal/port"
	"watchglass/internal/wire"
)

// survey is what the page has been told of the server's kinds, and of those that
// are held.
type survey struct {
	asked bool
	kinds []port.Kind
	lists []port.List
	at    time.Time
}

// tell tells the page which kinds there are and how much is held of them, if that
// is news.
func (d *desk) tell(now time.Time) {
	if s := &d.survey; s.asked && now.Sub(s.at) >= reportEvery {
		s.at = now
		if kinds := d.takeNews(); kinds != nil && !slices.Equal(kinds, s.kinds) {
			s.kinds = kinds
			d.port.Send(port.Kinds{Kinds: kinds})
		}
		if lists := d.held(); !slices.Equal(lists, s.lists) {
			s.lists = lists
			d.port.Send(port.Held{Lists: lists})
		}
	}
}

// takeNews takes what was discovered since the page was told.
func (d *desk) takeNews() []port.Kind {
	d.mu.Lock()
	defer d.mu.Unlock()
	news := d.news
	d.news = nil
	return news
}

func described(kinds []object.Kind) []port.Kind {
	out := make([]port.Kind, 0, len(kinds))
	for _, k := range kinds {
		out = append(out, port.Kind{ID: k.ID(), Name: k.Name, Short: strings.Join(k.Short, ","), Custom: !k.Native()})
	}
	return out
}

// held is how many objects there are of each kind that somebody looks at, or has
// looked at lately.
func (d *desk) held() []port.List {
	objects := make(map[wire.Request]int) // of variants the same
	d.factory.Each(func(r wire.Request, i *informer.Informer[*object.Object]) {
		if r.FieldSelector != "" || r.LabelSelector != "" {
			return // some of a list
		}
		r.Encoding = ""
		objects[r] = max(objects[r], i.Store().Len())
	})
	var lists []port.List
	whole := make(map[string]int) // of the whole cluster: there may be parts of the same beside it
	for r, n := range objects {
		id := object.Kind{Group: r.Group, Resource: r.Resource}.ID()
		at, found := slices.BinarySearchFunc(lists, id, func(l port.List, id string) int { return strings.Compare(l.ID, id) })
		if !found {
			lists = slices.Insert(lists, at, port.List{ID: id})
		}
		if r.Namespace == "" {
			whole[id] = n
		} else {
			lists[at].Objects += n
		}
	}
	for i, l := range lists {
		lists[i].Objects = max(l.Objects, whole[l.ID])
	}
	return lists
}

// How long it takes until the server is asked again what it has: at the least, in
// which what is installed together comes together; after a change, since a kind is
// defined before it is served; where the definitions may not be read; and where they
// may, for what is served by others than the apiserver.
const (
	surveyLeast   = time.Second
	surveySoon    = 5 * time.Second
	surveyBlind   = time.Minute
	surveyPatient = 10 * time.Minute
)

// definitions are the kinds that can be installed.
var definitions = wire.Request{
	Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions", Encoding: wire.EncodingTable,
}

// keepKinds keeps the kinds that the server has up to date, for as long as the tab is
// there. It holds no list: a change among the definitions is a reason to ask.
func (d *desk) keepKinds(ctx context.Context) {
	wait := surveyPatient
	for ctx.Err() == nil {
		version, err := d.newest(ctx)
		_ = d.rediscover(ctx) // what cannot be told now stays as it was
		changed := false
		if err == nil {
			changed, err = d.defined(ctx, version, wait)
		}
		pause, status := surveyLeast, wire.StatusOf(err)
		switch {
		case changed:
			wait = surveySoon
		case err == nil:
			wait = surveyPatient
		case status != nil && (status.Denied() || status.NotFound()):
			pause = surveyBlind
		default:
			pause = surveySoon
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
}

// newest is the version at which the list of definitions is.
func (d *desk) newest(ctx context.Context) (version string, err error) {
	r := definitions
	r.Verb, r.Limit = wire.List, 1
	err = d.events(ctx, r, func(e wire.Event) bool {
		if e.Type != wire.ListEnd {
			return true
		}
		var meta wire.ListMeta
		err := json.Unmarshal(e.Payload, &meta)
		version = meta.ResourceVersion
		return err != nil
	})
	if err == nil && version == "" {
		err = errors.New("the list has no version")
	}
	return version, err
}

// defined waits for a change among the definitions, and reports whether one came.
func (d *desk) defined(ctx context.Context, version string, wait time.Duration) (changed bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	r := definitions
	r.Verb, r.ResourceVersion = wire.Watch, version
	err = d.events(ctx, r, func(e wire.Event) bool {
		changed = changed || e.Type != wire.Columns
		return !changed
	})
	if ctx.Err() != nil {
		err = nil
	}
	return changed, err
}

// events hands over the events of a request until it ends, or f has had enough.
func (d *desk) events(ctx context.Context, r wire.Request, f func(wire.Event) bool) error {
	stream, err := d.client.Open(ctx, r)
	if err != nil {
		return err
	}
	defer stream.Close()
	for {
		batch, err := stream.Next(ctx)
		if errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		for _, e := range batch.Events {
			if !f(e) {
				return nil
			}
		}
		stream.Credit(batch.Bytes)
	}
}
