package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"watchglass/internal/informer"
	"watchglass/internal/object"
	"watchglass/internal/reflector"
	"watchglass/internal/view"
	"watchglass/internal/wire"
)

// source is what the page looks at: one kind, from one list of the whole
// cluster or from one of each of some namespaces, in one view.
type source struct {
	resource string // as it was asked for
	kind     object.Kind
	scopes   []string       // namespaces; one that is empty is the whole cluster
	extras   []object.Extra // columns that were added
	parts    []*follow      // one for each scope
	wide     *follow        // of the whole cluster, while it is denied
	view     *view.View     // nil until the kind is known
	problem  *wire.Status   // why it is not
	stands   []standing     // how the parts stood when that was last looked at
	begun    bool
	state    informer.Freshness
	since    time.Time
}

// show turns to the source of a resource.
func (d *desk) show(resource string) {
	d.leave()
	d.source = &source{resource: resource, state: informer.Connecting, since: time.Now()}
	d.painted = false
}

// begin opens the source that is shown, once the proxy has said how wide it may
// be, and once it is known what kind it is.
func (d *desk) begin(ctx context.Context, running *sync.WaitGroup) {
	s := d.source
	if s == nil || s.begun || d.client.Link().Welcome == nil {
		return
	}
	s.begun = true
	if d.opened == nil {
		d.opened = d.client.Link().Welcome
	}
	if kind, ok := d.known(s.resource); ok {
		d.open(kind, d.scopes())
		return
	}
	running.Go(func() { d.discover(ctx, s) })
}

// leave lets go of what is shown.
func (d *desk) leave() {
	if d.source == nil {
		return
	}
	d.source.release()
	d.dropNext()
	d.source.wide.release()
	d.source.wide = nil
}

// open leases what the source needs, and makes its view.
func (d *desk) open(kind object.Kind, scopes []string) {
	s := d.source
	s.kind, s.scopes, s.extras = kind, scopes, d.extras
	if !kind.Namespaced {
		s.scopes = []string{""}
	}
	d.fill(s)
	d.columns()
	s.view.SetQuery(d.look.Query)
}

// fill leases what a source needs, and makes its view.
func (d *desk) fill(s *source) {
	s.view = view.New()
	var all []*object.Object
	for _, namespace := range s.scopes {
		list := &follow{lease: d.lease(s.kind, namespace, s.extras)}
		s.parts = append(s.parts, list)
		all = append(all, list.subscribe(d.applyTo(s.view))...)
	}
	s.view.Start(all)
}

// applyTo has a view told of changes.
func (d *desk) applyTo(v *view.View) func([]informer.Change[*object.Object]) {
	return func(changes []informer.Change[*object.Object]) {
		out := make([]view.Change, len(changes))
		for i, c := range changes {
			out[i] = view.Change{Before: c.Before, After: c.After}
		}
		v.Apply(out)
		d.stir()
	}
}

// requestFor names a source. Rows of a Table come with whole objects where an extra
// column needs them.
func requestFor(kind object.Kind, namespace string, extras ...object.Extra) wire.Request {
	r := wire.Request{Group: kind.Group, Version: kind.Version, Resource: kind.Resource, Namespace: namespace}
	switch {
	case kind.Printed():
	case slices.ContainsFunc(extras, object.Extra.NeedsBody):
		r.Encoding = wire.EncodingWhole
	default:
		r.Encoding = wire.EncodingTable
	}
	return r
}

// columns tells the view what the objects print. A Table tells it with its
// first row: what has rows knows.
func (d *desk) columns() {
	s := d.source
	filled := slices.IndexFunc(s.parts, func(p *follow) bool { return p.lease.Store().Len() > 0 })
	decoder := s.parts[max(filled, 0)].decoder()
	s.view.SetShape(view.Shape{Columns: append(slices.Clip(decoder.Columns()), d.labelled...), Namespaced: s.kind.Namespaced, Images: decoder.Images()})
}

// newInformer makes the informer of a source. Its kind is known: it was leased
// by it.
func (d *desk) newInformer(r wire.Request, variant string) *informer.Informer[*object.Object] {
	kind := d.kindOf(r)
	extras, _ := added(strings.Split(variant, betweenExtras))
	decoder := object.NewDecoder(kind, true, extras...)
	var server reflector.Source = reflector.SourceFunc(func(ctx context.Context, r wire.Request) (reflector.Stream, error) {
		return d.client.Open(ctx, r)
	})
	if variant != "" && kind.Printed() {
		server = &seeded{Source: server, kind: kind, held: func() (*informer.Informer[*object.Object], bool) { return d.factory.Synced(r) }}
	}
	i := informer.New(informer.Options[*object.Object]{
		Source:  server,
		Decoder: decoder, Request: r,
		Key: (*object.Object).Key, Version: (*object.Object).Version, Same: sameVersion,
		Namespace: (*object.Object).Namespace, Changed: d.stir,
		Yield: func() { time.Sleep(time.Millisecond) }, // the browser's turn too: a goroutine that sleeps lets it
		Checks: reflector.Checks[*object.Object]{
			Cluster:   func(ctx context.Context) (string, error) { return d.cluster.name(ctx, d.client.Get) },
			Stamp:     (*object.Object).Stamp,
			ReadStamp: readStamp,
			Renewed:   decoder.Renew,
		},
	})
	i.Subscribe(d.account)
	return i
}

// account keeps the budget of packed bytes, and what was seen of each object.
func (d *desk) account(changes []informer.Change[*object.Object]) {
	now := time.Now()
	for _, c := range changes {
		d.history.Note(now, c.Before, c.After)
		if c.Before != nil {
			d.budget.Release(c.Before)
		}
		if c.After != nil {
			d.budget.Keep(c.After)
		}
	}
}

func sameVersion(a, b *object.Object) bool {
	return a.Version() == b.Version() && a.UID() == b.UID() && a.Layout() == b.Layout()
}

func readStamp(payload []byte) (key, stamp string, err error) {
	id, err := object.ReadIdentity(payload)
	return id.Key(), id.Stamp(), err
}

// known finds a kind by a name that kubectl would take for it.
func (d *desk) known(name string) (object.Kind, bool) {
	if k, ok := object.Builtin(name); ok {
		return k, true
	}
	return d.find(func(k object.Kind) bool { return k.Answers(name) })
}

func (d *desk) kindOf(r wire.Request) object.Kind {
	is := func(k object.Kind) bool {
		return k.Group == r.Group && k.Version == r.Version && k.Resource == r.Resource
	}
	if k, ok := object.Builtin(r.Resource); ok && is(k) {
		return k
	}
	k, _ := d.find(is)
	return k
}

func (d *desk) find(is func(object.Kind) bool) (object.Kind, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if i := slices.IndexFunc(d.kinds, is); i >= 0 {
		return d.kinds[i], true
	}
	return object.Kind{}, false
}

// The wait between two times of asking what the server has doubles.
const (
	discoverFirst = time.Second
	discoverMost  = 30 * time.Second
)

// discover asks the server what it has until that is what is shown, for as long
// as it is shown: a kind may be installed at any time.
func (d *desk) discover(ctx context.Context, s *source) {
	for wait := discoverFirst; ; wait = min(2*wait, discoverMost) {
		err := d.rediscover(ctx)
		again := make(chan bool, 1)
		d.post(ctx, func() { again <- d.found(s, err) })
		select {
		case <-ctx.Done():
			return
		case more := <-again:
			if !more {
				return
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
	}
}

// rediscover asks the server what it has.
func (d *desk) rediscover(ctx context.Context) error {
	kinds, err := d.discovered(ctx)
	if err != nil {
		return err
	}
	d.mu.Lock()
	d.kinds, d.news = kinds, described(kinds)
	d.mu.Unlock()
	d.stir()
	return nil
}

// found opens a source whose kind has become known, and reports whether it has
// to be asked for again.
func (d *desk) found(s *source, err error) (again bool) {
	if d.source != s {
		return false
	}
	if kind, ok := d.known(s.resource); ok {
		s.problem = nil
		d.open(kind, d.scopes())
		return false
	}
	switch s.problem = wire.StatusOf(err); {
	case err == nil:
		s.problem = &wire.Status{
			Origin: wire.FromAPIServer, Code: 404, Reason: wire.ReasonNotFound,
			Message: fmt.Sprintf("the server doesn't have a resource type %q", s.resource),
		}
	case s.problem == nil:
		s.problem = &wire.Status{Origin: wire.FromProxy, Reason: wire.ReasonUnreachable, Message: err.Error()}
	}
	return true
}

// discovered is all that the server has. Groups that answer by themselves, the
// core first.
func (d *desk) discovered(ctx context.Context) ([]object.Kind, error) {
	var all []object.Kind
	for _, group := range []string{"", "*"} {
		doc, err := d.client.Get(ctx, wire.Request{Verb: wire.Discover, Group: group})
		if err != nil {
			return nil, err
		}
		kinds, err := object.Discovered(doc)
		if err != nil {
			return nil, &wire.Status{Origin: wire.FromProxy, Reason: wire.ReasonMalformed, Message: err.Error()}
		}
		all = append(all, kinds...)
	}
	return all, nil
}
