package main

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"

	"watchglass/internal/informer"
	"watchglass/internal/object"
	"watchglass/internal/port"
	"watchglass/internal/query"
	"watchglass/internal/view"
	"watchglass/internal/wire"
)

// answerWithin bounds how long a question may take to answer.
const answerWithin = 60 * time.Second

// answer answers a question of the page's.
func (d *desk) answer(ctx context.Context, ask port.Ask) {
	ctx, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	reply := port.Answer{ID: ask.ID}
	value, err := d.value(ctx, ask)
	if err == nil {
		reply.Value, err = json.Marshal(value)
	}
	if err != nil {
		reply.Error = err.Error()
	}
	d.port.Send(reply)
}

func (d *desk) value(ctx context.Context, ask port.Ask) (any, error) {
	switch ask.Method {
	case "inspect":
		return d.inspect(ctx, ask.Args)
	case "list":
		return d.list(ctx, ask.Args)
	case "snapshot":
		return d.snapshot(ctx, ask.Args)
	case "rows":
		return d.rows(ctx, ask.Args)
	case "piece":
		return d.piece(ctx, ask.Args)
	case "facets":
		return d.facets(ctx)
	case "labels":
		return d.labels(ctx, ask.Args)
	}
	return nil, fmt.Errorf("there is nothing called %q", ask.Method)
}

// arguments reads the arguments of a question, as far as there are any.
func arguments(doc json.RawMessage, into ...any) error {
	var args []json.RawMessage
	if err := json.Unmarshal(doc, &args); err != nil {
		return fmt.Errorf("the arguments: %w", err)
	}
	for i, a := range args {
		if i < len(into) && string(a) != "null" {
			if err := json.Unmarshal(a, into[i]); err != nil {
				return fmt.Errorf("argument %d: %w", i+1, err)
			}
		}
	}
	return nil
}

// identity is what scripts are told of an object.
type identity struct {
	Namespace       string `json:"namespace"`
	Name            string `json:"name"`
	UID             string `json:"uid"`
	ResourceVersion string `json:"resourceVersion"`
}

func identities(objects []*object.Object, namespace string) []identity {
	out := make([]identity, 0, len(objects))
	for _, o := range objects {
		if namespace == "" || namespace == o.Namespace() {
			out = append(out, identity{o.Namespace(), o.Name(), o.UID(), o.Version()})
		}
	}
	return out
}

// wanted are the arguments of list and snapshot.
type wanted struct {
	resource  string
	namespace string
}

func wants(args json.RawMessage) (wanted, error) {
	var options struct {
		Namespace string `json:"namespace"`
	}
	w := wanted{}
	err := arguments(args, &w.resource, &options)
	w.namespace = options.Namespace
	return w, err
}

// hold leases the list of a resource, once it is whole.
func (d *desk) hold(ctx context.Context, w wanted) (*informer.Lease[*object.Object], error) {
	kind, ok := d.known(w.resource)
	if !ok {
		if err := d.rediscover(ctx); err != nil {
			return nil, err
		}
		if kind, ok = d.known(w.resource); !ok {
			return nil, fmt.Errorf("the server doesn't have a resource type %q", w.resource)
		}
	}
	lease := d.factory.Lease(requestFor(kind, d.scopeOf(kind, w.namespace)))
	if lease.WaitForSync(ctx) == nil {
		return lease, nil
	}
	defer lease.Release()
	now, err := time.Now(), fmt.Errorf("%s did not come in within %v", w.resource, answerWithin)
	if _, _, cause := informer.Fresh(lease.State(now), d.link(), now); cause != nil {
		err = fmt.Errorf("%w: %w", err, cause)
	}
	return nil, err
}

// scopeOf is the namespace whose list answers for one: all of them, if that list is
// there or no other would do; else the one, since the user may be allowed no more.
func (d *desk) scopeOf(kind object.Kind, namespace string) string {
	scope := d.scopes()[0]
	if !kind.Namespaced {
		return ""
	}
	if _, synced := d.factory.Synced(requestFor(kind, scope)); scope == "" && !synced {
		return namespace
	}
	return scope
}

func (d *desk) list(ctx context.Context, args json.RawMessage) (any, error) {
	w, err := wants(args)
	if err != nil {
		return nil, err
	}
	lease, err := d.hold(ctx, w)
	if err != nil {
		return nil, err
	}
	defer lease.Release()
	return identities(lease.Store().List(), w.namespace), nil
}

func (d *desk) snapshot(ctx context.Context, args json.RawMessage) (any, error) {
	w, err := wants(args)
	if err != nil {
		return nil, err
	}
	lease, err := d.hold(ctx, w)
	if err != nil {
		return nil, err
	}
	defer lease.Release()
	objects, version, err := lease.Store().Snapshot(ctx)
	if err != nil {
		return nil, fmt.Errorf("the store does not come to rest: %w", err)
	}
	return map[string]any{"resourceVersion": version, "items": identities(objects, w.namespace)}, nil
}

// onView runs f on the view that is on the screen.
func onView[T any](ctx context.Context, d *desk, f func(s *source, v *view.View) T) (T, error) {
	done := make(chan T, 1)
	failed := make(chan struct{}, 1)
	d.post(ctx, func() {
		if d.source == nil || d.source.view == nil {
			failed <- struct{}{}
			return
		}
		done <- f(d.source, d.source.view)
	})
	var none T
	select {
	case v := <-done:
		return v, nil
	case <-failed:
		return none, fmt.Errorf("nothing is shown yet")
	case <-ctx.Done():
		return none, ctx.Err()
	}
}

type rowColumn struct {
	Name     string `json:"name"`
	Priority int    `json:"priority"`
}

type row struct {
	Key   string   `json:"key"`
	UID   string   `json:"uid"`
	Cells []string `json:"cells"`
}

type rows struct {
	Total   int         `json:"total"`
	Columns []rowColumn `json:"columns"`
	Rows    []row       `json:"rows"`
}

// piece is part of a list that is asked for piece by piece.
type piece struct {
	rows
	// Generation tells pieces of one list from those of another.
	Generation uint64
}

func (d *desk) rows(ctx context.Context, args json.RawMessage) (any, error) {
	p, err := d.part(ctx, args)
	return p.rows, err
}

func (d *desk) piece(ctx context.Context, args json.RawMessage) (any, error) {
	return d.part(ctx, args)
}

// part is part of what the view on the screen matches.
func (d *desk) part(ctx context.Context, args json.RawMessage) (piece, error) {
	options := struct {
		Offset int `json:"offset"`
		Limit  int `json:"limit"`
	}{Limit: 100}
	if err := arguments(args, &options); err != nil {
		return piece{}, err
	}
	return onView(ctx, d, func(_ *source, v *view.View) piece {
		total, columns, list := v.Rows(options.Offset, options.Limit, time.Now())
		out := rows{Total: total, Columns: []rowColumn{}, Rows: []row{}}
		for _, c := range columns {
			out.Columns = append(out.Columns, rowColumn{c.Name, c.Priority})
		}
		for _, r := range list {
			out.Rows = append(out.Rows, row(r))
		}
		return piece{out, v.Generation()}
	})
}

type facetValue struct {
	Value string `json:"value"`
	Count int    `json:"count"`
}

type facet struct {
	Name   string       `json:"name"`
	Values []facetValue `json:"values"`
}

func (d *desk) facets(ctx context.Context) (any, error) {
	return onView(ctx, d, func(_ *source, v *view.View) []facet {
		out := []facet{}
		for _, f := range v.Facets(time.Now()) {
			values := []facetValue{}
			for _, fv := range f.Values {
				values = append(values, facetValue(fv))
			}
			out = append(out, facet{f.Name, values})
		}
		return out
	})
}

// labels are the values of a label, or, without a name, the names of all.
func (d *desk) labels(ctx context.Context, args json.RawMessage) (any, error) {
	key := ""
	if err := arguments(args, &key); err != nil {
		return nil, err
	}
	return onView(ctx, d, func(_ *source, v *view.View) []query.Counted { return v.Labels(key) })
}

type inspectedIndex struct {
	Name   string `json:"name"`
	Values int    `json:"values"`
	Broken int    `json:"broken"`
	Said   string `json:"said,omitempty"`
}

// inspectedChecks is how it was made sure that what answers is what was left.
type inspectedChecks struct {
	// Cluster is kube-system's UID, or why it is not looked at.
	Cluster string `json:"cluster"`
	Probes  int    `json:"probes"`
	Audits  int    `json:"audits"`
	Rewinds int    `json:"rewinds"`
	// Unaudited is why the last comparison did not come through.
	Unaudited string `json:"unaudited,omitempty"`
}

// inspected is what scripts are told of a source.
type inspected struct {
	Resource        string           `json:"resource"`
	Namespace       string           `json:"namespace"`
	Selector        string           `json:"selector"`
	Encoding        string           `json:"encoding"`
	State           string           `json:"state"`
	Phase           string           `json:"phase"`
	Since           string           `json:"since"`
	Objects         int              `json:"objects"`
	ResourceVersion string           `json:"resourceVersion"`
	UpstreamAge     int64            `json:"upstreamAge"`
	Events          uint64           `json:"events"`
	Bytes           uint64           `json:"bytes"`
	Resumes         int              `json:"resumes"`
	Relists         int              `json:"relists"`
	Idles           int              `json:"idles"`
	Rejected        int              `json:"rejected"`
	Unread          int              `json:"unread"`
	LastRejected    string           `json:"lastRejected,omitempty"`
	Checks          inspectedChecks  `json:"checks"`
	Queue           int              `json:"queue"`
	Coalesced       uint64           `json:"coalesced"`
	Indexes         []inspectedIndex `json:"indexes"`
	Error           string           `json:"error,omitempty"`
}

// inspect tells of every source, and of memory; with {gc: true} what is garbage
// is collected before it is counted.
func (d *desk) inspect(_ context.Context, args json.RawMessage) (any, error) {
	var options struct {
		GC bool `json:"gc"`
	}
	if err := arguments(args, &options); err != nil {
		return nil, err
	}
	now, link := time.Now(), d.link()
	sources := []inspected{}
	d.factory.Each(func(r wire.Request, i *informer.Informer[*object.Object]) {
		sources = append(sources, d.inspectOne(r, i.State(now), link, now))
	})
	slices.SortFunc(sources, func(a, b inspected) int {
		return strings.Compare(a.Resource+"\x00"+a.Namespace, b.Resource+"\x00"+b.Namespace)
	})
	packed, kept, dropped := d.budget.Used()
	return map[string]any{
		"sources": sources,
		"memory":  map[string]any{"worker": heap(options.GC)},
		"packed":  map[string]any{"bytes": packed, "objects": kept, "dropped": dropped, "limit": packedBudget},
	}, nil
}

func (d *desk) inspectOne(r wire.Request, s informer.State, link informer.Link, now time.Time) inspected {
	f, age, cause := informer.Fresh(s, link, now)
	kind := d.kindOf(r)
	out := inspected{
		Resource: kind.ID(), Namespace: r.Namespace, Selector: strings.Trim(r.LabelSelector+" "+r.FieldSelector, " "), Encoding: string(s.Encoding),
		State: string(f), Phase: s.Phase.String(), Since: s.Since.UTC().Format(time.RFC3339Nano), Objects: s.Objects,
		ResourceVersion: s.Settled, UpstreamAge: age.Milliseconds(), Events: s.Events, Bytes: s.Bytes,
		Resumes: s.Resumes, Relists: s.Relists, Idles: s.Idles, Rejected: s.Rejected, Unread: s.Unread, LastRejected: text(s.LastBad),
		Checks: inspectedChecks{Cluster: s.Cluster, Probes: s.Probes, Audits: s.Audits, Rewinds: s.Rewinds, Unaudited: text(s.Unaudited)}, Queue: s.Queue, Coalesced: s.Coalesced,
		Indexes: []inspectedIndex{},
	}
	for _, x := range s.Indexes {
		out.Indexes = append(out.Indexes, inspectedIndex(x))
	}
	if s.Unchecked != nil {
		out.Checks.Cluster = "skipped: " + s.Unchecked.Error()
	}
	if cause != nil {
		out.Error = cause.Error()
	}
	return out
}

// text is what an error says, if there is one.
func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// heap is how many bytes of heap are in use.
func heap(collect bool) uint64 {
	if collect {
		runtime.GC()
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
