package focus

import (
	"bytes"
	"time"

	"watchglass/internal/detail"
	"watchglass/internal/history"
	"watchglass/internal/hub/cluster"
	"watchglass/internal/hub/kinds"
	"watchglass/internal/hub/loop"
	"watchglass/internal/hub/pane"
	"watchglass/internal/hub/pane/logs"
	"watchglass/internal/hub/source"
	"watchglass/internal/object"
	"watchglass/internal/port"
)

// Object is one open object of a page, kept live, with the tab of it that shows. Without a name it
// is a kind as a whole, which has no object, and only the tabs that need none. Its methods are for
// the loop.
type Object struct {
	live
	asked port.Focus
	due   time.Time // nothing is requested before this
	pane  pane.Pane
	host  *paneHost      // the pane's
	shown *object.Object // what the pane was given last
	head  headSent
	heads loop.Pace
	seen  seenVersions
}

// New returns an object of a cluster as the page asks for it. Nothing is requested for it before a time, which may be zero.
func New(c *cluster.Cluster, page Host, m port.Focus, due time.Time) *Object {
	named := detail.Ref{Resource: m.Resource, Namespace: m.Namespace, Name: m.Name}
	return &Object{live: newLive(c, page, named), asked: m, due: due}
}

// MovedTo returns an object in another cluster that shows what this one does. The page closes this one.
func (o *Object) MovedTo(c *cluster.Cluster, _ time.Time) *Object {
	return New(c, o.page, o.asked, time.Time{})
}

// ID returns the ID that the page chose.
func (o *Object) ID() uint32 { return o.asked.ID }

// Asked returns what the page asked to see.
func (o *Object) Asked() port.Focus { return o.asked }

// Cluster returns the cluster that the object is of.
func (o *Object) Cluster() *cluster.Cluster { return o.cluster }

// Kind returns the kind of the object; the zero Kind while it is not known.
func (o *Object) Kind() object.Kind { return o.kind }

// Source returns the source that the object is read from; nil while there is none.
func (o *Object) Source() *source.Lease {
	if o.tracked == nil {
		return nil
	}
	return o.tracked.Lease
}

// Logs returns the logs that its tab has in memory.
func (o *Object) Logs() []history.Log {
	if reader, ok := o.pane.(interface{ Logs() []history.Log }); ok {
		return reader.Logs()
	}
	return nil
}

// Pane returns the function that opens the pane of a tab, or nil if there is no such tab.
func Pane(tab string) pane.Open {
	return map[string]pane.Open{
		"summary": pane.NewSummary,
		"yaml":    pane.NewYAML,
		"events":  pane.NewEvents,
		"related": pane.NewRelated,
		"changes": pane.NewChanges,
		"compare": pane.NewCompare,
		"logs":    logs.New,

		AccessTab: pane.NewAccess,
	}[tab]
}

// AccessTab is the tab that a kind as a whole has, too.
const AccessTab = "access"

// IsOf reports whether a Focus is about this object.
func (o *Object) IsOf(c *cluster.Cluster, m port.Focus) bool {
	return o.cluster == c && o.asked.Resource == m.Resource && o.asked.Namespace == m.Namespace && o.asked.Name == m.Name
}

// Focus switches to another tab, or applies other options of it.
func (o *Object) Focus(m port.Focus) {
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

// Close releases what the object holds. Its sources linger unless atOnce is set: nobody comes back to a page that is
// gone.
func (o *Object) Close(atOnce bool) {
	o.closePane()
	o.release(atOnce)
}

func (o *Object) closePane() {
	if o.pane != nil {
		o.pane.Close()
		o.host.end()
		o.pane, o.host = nil, nil
	}
}

// Step finds the object, and sends the page its state and the document of its tab.
func (o *Object) Step(now time.Time) {
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
		open := o.page.Pane(o.asked.Tab)
		if open == nil {
			return
		}
		o.host = newPaneHost(o)
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
		o.page.Send(port.Detail{ID: o.asked.ID, Seq: o.asked.Seq, Part: o.asked.Tab, Doc: doc})
	}
}
