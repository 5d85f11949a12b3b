package hub

import (
	"bytes"
	"context"
	"sync"
	"time"

	"watchglass/internal/detail"
	"watchglass/internal/document"
	"watchglass/internal/hub/pane"
	"watchglass/internal/hub/pane/logs"
	"watchglass/internal/hub/source"
	"watchglass/internal/object"
	"watchglass/internal/port"
)

// pageLists is what an object may borrow from the lists of its page.
type pageLists interface {
	borrow(c *Cluster, kind object.Kind, serves func(namespace string, lease *source.Lease) bool) (*source.Lease, sharedList)
	lastVersion(c *Cluster, kind object.Kind, key string) *object.Object
}

// sharedList is a list from which a source was borrowed, for as long as it shows it.
type sharedList interface {
	shows(lease *source.Lease) bool
}

// Object is one open object of a page, kept live, with the tab of it that shows. Without a name it
// is a kind as a whole, which has no object, and only the tabs that need none. Its methods are for
// the loop.
type Object struct {
	id      uint32
	cluster *Cluster
	page    sender
	lists   pageLists
	asked   port.Focus
	due     time.Time // nothing is requested before this

	ctx     context.Context // ends when the object is closed
	end     context.CancelFunc
	kind    object.Kind
	finding bool // its kind
	tracked *tracked
	object  *object.Object // current or last version; nil until it is known
	gone    bool
	body    func() (document.Value, error) // parses the object

	paneOf func(tab string) pane.Open
	pane   pane.Pane
	host   *host          // the pane's
	shown  *object.Object // what the pane was given last
	head   headSent
}

// settleFor is how long an object must stay open before anything is requested for it, if it
// follows another closely. While somebody holds a key down to go through the list, no list
// and no log is opened.
const settleFor = 120 * time.Millisecond

func newObject(c *Cluster, page sender, s pageLists, paneOf func(tab string) pane.Open, m port.Focus) *Object {
	o := &Object{id: m.ID, cluster: c, page: page, lists: s, asked: m, paneOf: paneOf}
	o.ctx, o.end = context.WithCancel(c.ctx)
	return o
}

// paneOf returns the function that opens the pane of a tab, or nil if there is no such tab.
func paneOf(tab string) pane.Open {
	return map[string]pane.Open{
		"summary": pane.NewSummary,
		"yaml":    pane.NewYAML,
		"events":  pane.NewEvents,
		"related": pane.NewRelated,
		"changes": pane.NewChanges,
		"logs":    logs.New,

		accessTab: pane.NewAccess,
	}[tab]
}

// accessTab is the tab that a kind as a whole has, too.
const accessTab = "access"

// isOf reports whether a Focus is about this object.
func (o *Object) isOf(c *Cluster, m port.Focus) bool {
	return o.cluster == c && o.asked.Resource == m.Resource && o.asked.Namespace == m.Namespace && o.asked.Name == m.Name
}

// focus switches to another tab, or applies other options of it.
func (o *Object) focus(m port.Focus) {
	other := o.asked.Tab != m.Tab
	changed := !bytes.Equal(o.asked.Options, m.Options)
	o.asked = m
	switch {
	case other:
		o.closePane()
	case changed && o.pane != nil:
		o.pane.Options(m.Options)
	}
}

// close releases what the object holds; its sources linger.
func (o *Object) close() {
	o.closePane()
	o.end()
	if o.tracked != nil {
		o.tracked.Close()
		o.tracked = nil
	}
}

// closeAtOnce is close for an object whose page is gone: its sources do not linger.
func (o *Object) closeAtOnce() {
	o.closePane()
	o.end()
	if o.tracked != nil {
		o.tracked.CloseAtOnce()
		o.tracked = nil
	}
}

func (o *Object) closePane() {
	if o.pane != nil {
		o.pane.Close()
		o.host.end()
		o.pane, o.host = nil, nil
	}
}

// ref names the object.
func (o *Object) ref() detail.Ref {
	return detail.Ref{Group: o.kind.Group, Kind: o.kind.Name, Resource: o.kind.ID(), Namespace: o.asked.Namespace, Name: o.asked.Name}
}

// step finds the object, and sends the page its state and the document of its tab.
func (o *Object) step(now time.Time) {
	if now.Before(o.due) {
		o.cluster.wakeAtOnLoop(o.due)
		return
	}
	if o.cluster.client.Link().Welcome == nil || o.cluster.userChanged() || !o.knowKind() {
		return
	}
	if o.asked.Name == "" {
		o.update(false, now)
		return
	}
	o.track()
	changed := o.read()
	if o.object != nil {
		o.object.Show()
	}
	o.poll(now)
	o.sendHead(now)
	o.update(changed, now)
}

// read updates the object from its source, and reports whether it changed.
func (o *Object) read() (changed bool) {
	last, there, changed := o.tracked.read()
	if !changed {
		return false
	}
	if o.gone = !there; last != nil && last != o.object {
		o.object = last
		kind := o.kind
		o.body = sync.OnceValues(func() (document.Value, error) { return pane.ParseBody(kind, last) })
	}
	return true
}

// update opens the pane of the tab if necessary, and sends its next document.
func (o *Object) update(changed bool, now time.Time) {
	opened := o.pane == nil
	if opened {
		open := o.paneOf(o.asked.Tab)
		if open == nil {
			return
		}
		o.host = newHost(o)
		of := pane.Subject{Kind: o.kind, Namespace: o.asked.Namespace, Name: o.asked.Name}
		if o.tracked != nil {
			of.Since = o.tracked.Begun()
		}
		o.pane = open(o.host, of)
		o.pane.Options(o.asked.Options)
		changed = o.object != nil
	}
	if changed && o.object != nil {
		if opened || !o.gone || o.object != o.shown {
			o.pane.Object(o.version(false))
			o.shown = o.object
		}
		if o.gone { // it is shown as it last was
			o.pane.Object(o.version(true))
		}
	}
	o.host.awake(now)
	if doc := o.pane.Update(now); doc != nil {
		o.page.Send(port.Detail{ID: o.id, Seq: o.asked.Seq, Part: o.asked.Tab, Doc: doc})
	}
}

// version returns the object for a pane.
func (o *Object) version(gone bool) pane.Version {
	return pane.Version{Object: o.object, Gone: gone, Body: o.body, Cells: o.cells}
}

// cells returns the cells that the object has in its list.
func (o *Object) cells() []detail.Cell {
	var out []detail.Cell
	columns := o.tracked.Decoder().Columns()
	for i, column := range columns {
		if column.Kind == object.NameCell || column.OfLabel() {
			continue
		}
		c := o.object.Cell(columns, i)
		cell := detail.Cell{Name: column.Name, Text: c.Text, At: c.At}
		if c.Kind == object.SpanCell && c.End != 0 || c.Kind == object.AgeCell && c.Text != "" && !c.Approximate() {
			cell.At, cell.Text = 0, string(c.Append(nil, time.Time{}))
		}
		out = append(out, cell)
	}
	return out
}
