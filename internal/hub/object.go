package hub

import (
	"bytes"
	"time"

	"watchglass/internal/detail"
	"watchglass/internal/hub/cluster"
	"watchglass/internal/hub/kinds"
	"watchglass/internal/hub/pane"
	"watchglass/internal/hub/pane/logs"
	"watchglass/internal/object"
	"watchglass/internal/port"
)

// Object is one open object of a page, kept live, with the tab of it that shows. Without a name it
// is a kind as a whole, which has no object, and only the tabs that need none. Its methods are for
// the loop.
type Object struct {
	live
	id    uint32
	page  port.Sender
	asked port.Focus
	due   time.Time // nothing is requested before this

	paneOf func(tab string) pane.Open
	pane   pane.Pane
	host   *host          // the pane's
	shown  *object.Object // what the pane was given last
	head   headSent
	seen   seen
}

// settleFor is how long an object must stay open before anything is requested for it, if it
// follows another closely. While somebody holds a key down to go through the list, no list
// and no log is opened.
const settleFor = 120 * time.Millisecond

func newObject(c *cluster.Cluster, page port.Sender, s pageLists, paneOf func(tab string) pane.Open, m port.Focus) *Object {
	named := detail.Ref{Resource: m.Resource, Namespace: m.Namespace, Name: m.Name}
	return &Object{live: newLive(c, s, named), id: m.ID, page: page, asked: m, paneOf: paneOf}
}

// paneOf returns the function that opens the pane of a tab, or nil if there is no such tab.
func paneOf(tab string) pane.Open {
	return map[string]pane.Open{
		"summary": pane.NewSummary,
		"yaml":    pane.NewYAML,
		"events":  pane.NewEvents,
		"related": pane.NewRelated,
		"changes": pane.NewChanges,
		"compare": pane.NewCompare,
		"logs":    logs.New,

		accessTab: pane.NewAccess,
	}[tab]
}

// accessTab is the tab that a kind as a whole has, too.
const accessTab = "access"

// isOf reports whether a Focus is about this object.
func (o *Object) isOf(c *cluster.Cluster, m port.Focus) bool {
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
	o.release(false)
}

// closeAtOnce is close for an object whose page is gone: its sources do not linger.
func (o *Object) closeAtOnce() {
	o.closePane()
	o.release(true)
}

func (o *Object) closePane() {
	if o.pane != nil {
		o.pane.Close()
		o.host.end()
		o.pane, o.host = nil, nil
	}
}

// step finds the object, and sends the page its state and the document of its tab.
func (o *Object) step(now time.Time) {
	if now.Before(o.due) {
		o.cluster.WakeAt(o.due)
		return
	}
	kind := o.kind
	there, changed := o.live.step(now)
	if !there {
		return
	}
	if !kinds.Same(kind, o.kind) { // a pane reads one version
		o.closePane()
	}
	if o.asked.Name == "" {
		o.update(false, now)
		return
	}
	o.sendHead(now)
	o.update(changed, now)
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
		o.pane = open(o.host, pane.Subject{Kind: o.kind, Namespace: o.asked.Namespace, Name: o.asked.Name, Since: o.since})
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
	for _, f := range o.host.followed {
		f.step(now)
	}
	o.host.awake(now)
	if doc := o.pane.Update(now); doc != nil {
		o.page.Send(port.Detail{ID: o.id, Seq: o.asked.Seq, Part: o.asked.Tab, Doc: doc})
	}
}
