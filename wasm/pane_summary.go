package main

import (
	"bytes"
	"context"
	"encoding/json"
	"reflect"
	"slices"
	"sync/atomic"
	"time"

	"watchglass/internal/detail"
	"watchglass/internal/detail/related"
	"watchglass/internal/informer"
	"watchglass/internal/object"
	"watchglass/internal/query"
	"watchglass/internal/wire"
)

// summaryEvery is the least time between two summaries of the same version of an
// object, while others change that have to do with it.
const summaryEvery = 250 * time.Millisecond

// summaryPane makes the summary of the object, and holds the lists of others that
// something of is in it.
type summaryPane struct {
	d       *desk
	f       *focus
	v       detail.Value
	wants   []detail.Want
	kin     []*kinList
	news    bool        // the object is another
	stirred atomic.Bool // or others are
	made    time.Time
	waits   bool // somebody will ask when it is time
	sent    []byte
}

// kinList is a list of objects that have to do with one.
type kinList struct {
	follow
	want   detail.Want
	kind   object.Kind
	synced bool
	denied *wire.Status // why it may not be read
	match  query.Selector
	path   query.Path // of what they have to have
	count  query.Path
}

func newSummaryPane(_ context.Context, d *desk, f *focus) pane { return &summaryPane{d: d, f: f} }

func (p *summaryPane) option(json.RawMessage) {}

func (p *summaryPane) close() {
	for _, k := range p.kin {
		k.release()
	}
	p.kin, p.wants = nil, nil
}

// object takes another version. What is gone is shown as it last was.
func (p *summaryPane) object(o *object.Object, body func() (detail.Value, error)) {
	if o == nil {
		return
	}
	v, err := body()
	if err != nil {
		return // it has lost its bytes, and comes again
	}
	p.v, p.news = v, true
	if wants := detail.Wants(v); !reflect.DeepEqual(wants, p.wants) {
		p.close()
		p.wants = wants
		for _, w := range wants {
			if kind, ok := p.d.known(w.Resource); ok {
				p.kin = append(p.kin, p.hold(w, kind))
			}
		}
	}
}

// hold leases a list of what is wanted alone.
func (p *summaryPane) hold(w detail.Want, kind object.Kind) *kinList {
	k := &kinList{want: w, kind: kind}
	k.match, _ = query.ParseSelector(w.Labels) // one that is none selects all: the owner tells
	k.path, _ = query.ParsePath(w.Path)
	k.count, _ = query.ParsePath(w.Count)
	fields := w.Fields
	if w.Name != "" {
		fields = related.ByName + w.Name
	}
	k.lease = p.d.beside(kind, w.Namespace, w.Labels, fields)
	k.subscribe(func(changes []informer.Change[*object.Object]) {
		for _, c := range changes {
			if c.Before != nil && k.among(c.Before) || c.After != nil && k.among(c.After) {
				p.stirred.Store(true)
				p.d.stir()
				return
			}
		}
	})
	p.stirred.Store(true)
	return k
}

// among reports whether an object is wanted, by what it keeps without its bytes.
func (k *kinList) among(o *object.Object) bool {
	w := k.want
	return (w.Namespace == "" || o.Namespace() == w.Namespace) && (w.Name == "" || o.Name() == w.Name) &&
		(w.Owner == "" || slices.ContainsFunc(o.Owners(), func(by object.Owner) bool { return by.Controller && by.UID == w.Owner })) &&
		k.match.Matches(o.Labels())
}

// has reports whether an object is wanted, by what is in it.
func (k *kinList) has(o *object.Object) bool {
	found := k.want.Path == ""
	if !found {
		k.kind.Find(o, k.path, func(text string) { found = found || text == k.want.Is })
	}
	return found
}

// gather adds what is wanted of the list to what is known: nothing, where its objects
// have lost their bytes.
func (k *kinList) gather(more *detail.More) {
	var objects []detail.Value
	counts := make(map[string]int)
	for _, o := range k.lease.Store().List() {
		if !k.among(o) {
			continue
		}
		if o.Packed() == nil {
			return
		}
		if !k.has(o) {
			continue
		}
		if k.want.Count != "" {
			k.kind.Find(o, k.count, func(text string) { counts[text]++ })
		} else if v, err := bodyOf(k.kind, o); err == nil {
			objects = append(objects, v)
		}
	}
	more.Objects[k.want.Key], more.Counts[k.want.Key] = objects, counts
}

// turn makes the summary, if it may be another.
func (p *summaryPane) turn(now time.Time) []byte {
	p.observe(now)
	if !p.v.Exists() || !p.news && !p.stir(now) {
		return nil
	}
	p.news, p.made = false, now
	more := detail.More{Objects: make(map[string][]detail.Value), Counts: make(map[string]map[string]int), Cells: p.f.cells()}
	for _, k := range p.kin {
		switch {
		case k.denied != nil:
			more.Denied = append(more.Denied, detail.Denial{Resource: k.kind.ID(), Status: k.denied})
		case k.synced:
			k.gather(&more)
		}
	}
	summary := detail.Summarize(p.v, more)
	summary.Deny(more.Denied)
	doc, err := json.Marshal(summary)
	if err != nil || bytes.Equal(doc, p.sent) {
		return nil
	}
	p.sent = doc
	return doc
}

// observe looks how the lists stand: there may be none to tell of that.
func (p *summaryPane) observe(now time.Time) {
	for _, k := range p.kin {
		s := k.stand(p.d.link(), now)
		var denied *wire.Status
		if s.refused() {
			denied = s.cause
		}
		if k.synced != s.state.Synced || text(statusError(k.denied)) != text(statusError(denied)) {
			p.stirred.Store(true)
		}
		k.synced, k.denied = s.state.Synced, denied
	}
}

// stir reports whether others have changed, and it is time to tell.
func (p *summaryPane) stir(now time.Time) bool {
	if !p.stirred.Load() {
		return false
	}
	if wait := p.made.Add(summaryEvery).Sub(now); wait > 0 {
		if !p.waits {
			p.waits = true
			time.AfterFunc(wait, p.d.stir)
		}
		return false
	}
	p.stirred.Store(false)
	p.waits = false
	return true
}

// cells are what the list that the object comes from prints of it.
func (f *focus) cells() []detail.Cell {
	if f.object == nil {
		return nil
	}
	var out []detail.Cell
	columns := f.quarry.decoder().Columns()
	for i, column := range columns {
		if column.Kind == object.NameCell {
			continue
		}
		c := f.object.Cell(columns, i)
		cell := detail.Cell{Name: column.Name, Text: c.Text, At: c.At}
		if c.Kind == object.SpanCell && c.End != 0 {
			cell.At, cell.Text = 0, string(c.Append(nil, time.Time{}))
		}
		if !column.OfLabel() {
			out = append(out, cell)
		}
	}
	return out
}
