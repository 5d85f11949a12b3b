package main

import (
	"bytes"
	"context"
	"encoding/json"
	"sync"
	"time"

	"watchglass/internal/detail"
	"watchglass/internal/informer"
	"watchglass/internal/object"
	"watchglass/internal/port"
	"watchglass/internal/wire"
)

// focus is the object whose detail is on screen, kept live, and the tab of it that is.
// It belongs to the goroutine that runs, but for its quarry.
type focus struct {
	asked   port.Focus
	kind    object.Kind
	quarry  *quarry
	running *sync.WaitGroup

	object *object.Object // as it is, or last was
	gone   bool
	body   func() (detail.Value, error) // of the object

	pane   pane
	leave  context.CancelFunc // of what the pane does in the background
	told   standpoint         // of the last head
	toldAt time.Time
}

// standpoint is what a head is made of: while it is the same, so is the head.
type standpoint struct {
	uid, version string
	state        detail.State
	said         string
}

// ref names the object.
func (f *focus) ref() detail.Ref {
	return detail.Ref{Group: f.kind.Group, Kind: f.kind.Name, Resource: f.kind.ID(), Namespace: f.asked.Namespace, Name: f.asked.Name}
}

// pane is a tab's part in the worker. Its methods are called by the goroutine that
// runs; what it does in others it has posted back, or stirs.
type pane interface {
	// object tells of another version of the object; nil if it is gone. The body is
	// its JSON, parsed when it is first asked for.
	object(o *object.Object, body func() (detail.Value, error))
	// option takes the tab's options when they have changed; there may be none.
	option(raw json.RawMessage)
	// turn returns what there is to show, if that is news, and else nothing.
	turn(now time.Time) []byte
	close()
}

// paneOf makes that of a tab; nil if there is none.
func paneOf(tab string) func(ctx context.Context, d *desk, f *focus) pane {
	return map[string]func(ctx context.Context, d *desk, f *focus) pane{
		"logs":    newLogsPane,
		"yaml":    newYAMLPane,
		"changes": newChangesPane,
		"related": newRelatedPane,
		"events":  newEventsPane,
		"summary": newSummaryPane,
	}[tab]
}

// focusOn turns to an object, to another tab of it, or to other options of the tab.
func (d *desk) focusOn(m port.Focus) {
	f := d.focus
	if f == nil || f.asked.Resource != m.Resource || f.asked.Namespace != m.Namespace || f.asked.Name != m.Name {
		d.unfocus()
		if m.Name != "" {
			d.focus = &focus{asked: m}
		}
		return
	}
	other := f.asked.Tab != m.Tab
	changed := !bytes.Equal(f.asked.Options, m.Options)
	f.asked = m
	switch {
	case other:
		f.closePane()
	case changed && f.pane != nil:
		f.pane.option(m.Options)
	}
}

// unfocus lets go of the object.
func (d *desk) unfocus() {
	if f := d.focus; f != nil {
		f.closePane()
		if f.quarry != nil {
			f.quarry.release()
		}
		d.focus = nil
	}
}

func (f *focus) closePane() {
	if f.pane != nil {
		f.pane.close()
		f.leave()
		f.pane = nil
	}
}

// attend keeps the detail: it finds the object, tells the page how it stands, and what
// the tab has to show.
func (d *desk) attend(ctx context.Context, running *sync.WaitGroup, now time.Time) {
	f := d.focus
	if f == nil || d.client.Link().Welcome == nil {
		return
	}
	f.running = running
	if !d.pursue(f) {
		return // the source on screen is of the same resource: it asks what kind that is
	}
	f.quarry.settle(f.ref().Key())
	changed := f.take()
	if f.object != nil {
		f.object.Show()
	}
	d.poll(ctx, f, now)
	d.tellHead(f, now)
	d.present(ctx, f, changed, now)
}

// take takes the object as it is now, and reports whether it is another.
func (f *focus) take() (changed bool) {
	o, changed := f.quarry.take()
	if !changed {
		return false
	}
	if f.gone = o == nil; !f.gone {
		f.object = o
		f.body = sync.OnceValues(func() (detail.Value, error) { return bodyOf(f.kind, o) })
	}
	return true
}

func bodyOf(kind object.Kind, o *object.Object) (detail.Value, error) {
	doc, err := kind.Document(o)
	if err != nil {
		return detail.Value{}, err
	}
	return detail.ParseValue(doc)
}

// present has the tab show what is news.
func (d *desk) present(ctx context.Context, f *focus, changed bool, now time.Time) {
	opened := f.pane == nil
	if opened {
		open := d.paneOf(f.asked.Tab)
		if open == nil {
			return
		}
		within, leave := context.WithCancel(ctx)
		f.pane, f.leave = open(within, d, f), leave
		f.pane.option(f.asked.Options)
		changed = f.object != nil
	}
	switch {
	case changed && f.gone && !opened:
		f.pane.object(nil, nil)
	case changed:
		if f.pane.object(f.object, f.body); f.gone { // it is shown as it last was
			f.pane.object(nil, nil)
		}
	}
	if doc := f.pane.turn(now); doc != nil {
		d.port.Send(port.Detail{Seq: f.asked.Seq, Part: f.asked.Tab, Doc: doc})
	}
}

// tellHead tells the page which object it is and how it stands, if that is news.
func (d *desk) tellHead(f *focus, now time.Time) {
	state, said := f.stand(d.link(), now)
	at := standpoint{state: state}
	if f.object != nil {
		at.uid, at.version = f.object.UID(), f.object.Version()
	}
	if said != nil {
		at.said = said.Error()
	}
	before := f.told
	if before.version = at.version; at == f.told || at == before && now.Sub(f.toldAt) < reportEvery {
		return
	}
	f.told, f.toldAt = at, now
	h := detail.Head{
		Resource: f.kind.ID(), Kind: f.kind.Name, APIVersion: f.kind.APIVersion(), Namespaced: f.kind.Namespaced,
		Namespace: f.asked.Namespace, Name: f.asked.Name, State: state, Said: said,
	}
	if o := f.object; o != nil {
		h.UID, h.Version, h.Created, h.Deleting = o.UID(), o.Version(), o.Created(), o.Deleting()
		if v, err := f.body(); err == nil {
			h.Describe(v)
		}
	}
	if doc, err := json.Marshal(h); err == nil {
		d.port.Send(port.Detail{Seq: f.asked.Seq, Part: port.HeadPart, Doc: doc})
	}
}

// stand is how the object stands, and why.
func (f *focus) stand(link informer.Link, now time.Time) (detail.State, *wire.Status) {
	s := f.quarry.stand(link, now)
	switch there := f.object != nil && !f.gone; {
	case f.object != nil && f.gone:
		return detail.Deleted, nil
	case s.fresh == informer.Denied && there && f.quarry.refused == nil: // it may be got, and not watched
		return detail.Polled, s.cause
	case s.fresh == informer.Denied && there && !f.quarry.refused.Denied():
		return detail.Stale, f.quarry.refused
	case s.fresh == informer.Gone && !there:
		return detail.Missing, s.cause
	case s.refused():
		return detail.Denied, s.cause
	case s.fresh == informer.Live && there:
		return detail.Live, nil
	case s.fresh == informer.Live:
		return detail.Missing, nil
	case there && s.fresh == informer.Syncing: // of a list that is still coming in
		return detail.Live, nil
	case there:
		return detail.Stale, s.cause
	}
	return detail.Loading, s.cause
}
