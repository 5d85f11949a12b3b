package hub

import (
	"slices"
	"time"

	"watchglass/internal/history"
	"watchglass/internal/hub/cluster"
	"watchglass/internal/hub/focus"
	"watchglass/internal/hub/list"
	"watchglass/internal/hub/loop"
	"watchglass/internal/hub/pane"
	"watchglass/internal/hub/past"
	"watchglass/internal/hub/report"
	"watchglass/internal/hub/source"
	"watchglass/internal/inspection"
	"watchglass/internal/object"
	"watchglass/internal/port"
)

// Page is one connected page: a tab of the browser, or an embedded view. It has any number
// of lists and objects, each under an ID that the page chose. Its methods are for the loop.
type Page struct {
	id          uint32 // for inspect
	port        port.Port
	cluster     *cluster.Cluster // its own
	clusters    func(context string) *cluster.Cluster
	overview    func() inspection.Hub
	elsewhere   func() []*cluster.Cluster // of the same user in other contexts
	keepHistory func(on bool)
	paneOf      func(tab string) pane.Open
	connected   time.Time

	lists     []*list.List
	objects   []*focus.Object
	overviews []*report.Overview
	timelines []*report.Timeline
	memory    *list.Memory
	past      *past.Past
	files     *past.Files
	transfers *port.Transfers
	visible   bool
	kinds     kindsSent
	reports   list.Reporter // of the cluster, while there is no list
	focused   time.Time     // when another object was last opened
	search    loop.Latest   // the last search by name
	dues      int           // requests to renew the session since it last did
}

var (
	_ focus.Host  = (*Page)(nil)
	_ past.Host   = (*Page)(nil)
	_ report.Host = (*Page)(nil)
)

// Send sends the page a message.
func (p *Page) Send(m port.Message) { p.port.Send(m) }

// Begin begins to send or receive something long, and End answers the page's request for it.
func (p *Page) Begin(a port.Ask, t port.Transfer)    { p.transfers.Begin(a, t) }
func (p *Page) End(a port.Ask, value any, err error) { p.transfers.End(a, value, err) }

// Cluster returns the cluster that the page shows.
func (p *Page) Cluster() *cluster.Cluster { return p.cluster }

// Lists returns the lists of the page.
func (p *Page) Lists() []*list.List { return p.lists }

// Logs returns the logs that the open objects of the page's cluster have in memory.
func (p *Page) Logs() (all []history.Log) {
	for _, o := range p.objects {
		if o.Cluster() == p.cluster {
			all = append(all, o.Logs()...)
		}
	}
	return all
}

// Pane returns the function that opens the pane of a tab, or nil if there is no such tab.
func (p *Page) Pane(tab string) pane.Open { return p.paneOf(tab) }

// receive handles a message.
func (p *Page) receive(m port.Message, now time.Time) {
	switch m := m.(type) {
	case port.ListQuery:
		p.query(m, now)
	case port.Focus:
		p.focus(m, now)
	case port.OpenOverview:
		p.openOverview(m)
	case port.OpenTimeline:
		p.openTimeline(m)
	case port.Close:
		p.closeID(m.ID)
	case port.Chunk, port.Pull, port.Cancel:
		p.transfers.Receive(m)
	case port.Painted:
		if l := byID(p.lists, m.ID); l != nil {
			l.Painted()
		}
	case port.Presence:
		p.presence(m)
	case port.SavedNamespaces:
		p.memory.Remembered = append([]string{}, m.Namespaces...)
	case port.Renewed:
		p.dues = 0
		p.renewed(m, now)
	case port.WatchKinds:
		p.kinds.wanted = true
		p.cluster.KeepKinds()
	case port.Ask:
		p.answer(m)
	case port.KeepHistory:
		p.keepHistory(m.Disk)
	case port.Travel:
		p.past.Travel(m, now)
	}
}

// renewed lets the cluster of a session that the page has renewed reconnect, unless it is no longer
// in use.
func (p *Page) renewed(m port.Renewed, now time.Time) {
	if m.Context == "" {
		p.past.Own().Renew(m, now)
		return
	}
	for _, c := range p.used() {
		if c != p.past.Own() && c.Relay == nil && c.Context == m.Context {
			c.Renew(m, now)
		}
	}
}

// ClusterOf returns the cluster of a context; "" is the page's own.
func (p *Page) ClusterOf(context string) *cluster.Cluster {
	if context == "" || context == p.cluster.Context {
		return p.cluster
	}
	for _, l := range p.lists { // in another context the user may have another name
		if c := l.Cluster(); c.Context == context && !c.UserChanged() {
			return c
		}
	}
	for _, o := range p.objects {
		for _, c := range o.Clusters() {
			if c.Context == context && !c.UserChanged() {
				return c
			}
		}
	}
	return p.clusters(context)
}

// Shown returns the list of an ID and what it shows, and whether it shows anything.
func (p *Page) Shown(id uint32) (l *list.List, s list.Shown, ok bool) {
	if l = byID(p.lists, id); l != nil {
		s, ok = l.Shown()
	}
	return l, s, ok
}

// Object returns the open object of an ID, or nil.
func (p *Page) Object(id uint32) *focus.Object { return byID(p.objects, id) }

// query opens or changes a list.
func (p *Page) query(m port.ListQuery, now time.Time) {
	l, c := byID(p.lists, m.ID), p.ClusterOf(m.Context)
	if l != nil && l.Cluster() != c {
		p.closeID(m.ID)
		l = nil
	}
	if l == nil {
		l = list.New(m.ID, c, p.port, p.memory)
		p.lists = append(p.lists, l)
	}
	l.SetQuery(m, now)
}

// focus opens or changes an object.
func (p *Page) focus(m port.Focus, now time.Time) {
	c, none := p.ClusterOf(m.Context), m.Name == "" && m.Tab != focus.AccessTab
	open := p.Object(m.ID)
	if open != nil && !none && open.IsOf(c, m) {
		open.Focus(m)
		return
	}
	if open != nil {
		p.closeID(m.ID)
	}
	if none {
		p.focused = now
		return
	}
	var due time.Time
	if now.Before(p.focused.Add(settleFor)) {
		due = now.Add(settleFor)
	}
	p.objects, p.focused = append(p.objects, focus.New(c, p, m, due)), now
}

// settleFor is how long an object must stay open before anything is requested for it, if it
// follows another closely. While somebody holds a key down to go through the list, no list
// and no log is opened.
const settleFor = 120 * time.Millisecond

// openOverview opens an overview, or changes the kinds that it reads.
func (p *Page) openOverview(m port.OpenOverview) {
	c := p.ClusterOf(m.Context)
	c.KeepKinds()
	o := byID(p.overviews, m.ID)
	if o != nil && o.Cluster() != c {
		p.closeID(m.ID)
		o = nil
	}
	if o == nil {
		o = report.NewOverview(m.ID, c, p.port, p.memory)
		p.overviews = append(p.overviews, o)
	}
	o.Want(m.Kinds)
}

// openTimeline opens a timeline, or changes its question.
func (p *Page) openTimeline(m port.OpenTimeline) {
	t := byID(p.timelines, m.ID)
	if t == nil {
		t = report.NewTimeline(p)
		p.timelines = append(p.timelines, t)
	}
	t.Ask(m)
}

// closeID closes what is open under an ID.
func (p *Page) closeID(id uint32) {
	p.lists = closeByID(p.lists, id) // one after another: what closes may ask the page for its lists
	p.objects = closeByID(p.objects, id)
	p.overviews = closeByID(p.overviews, id)
	p.timelines = closeByID(p.timelines, id)
}

// close releases all that the page holds, since it is gone.
func (p *Page) close() {
	p.search.End()
	closeAll(p.objects)
	closeAll(p.lists)
	closeAll(p.overviews)
	closeAll(p.timelines)
	p.transfers.Close()
	p.files.End()
	p.past.Close()
	p.objects, p.lists, p.overviews, p.timelines = nil, nil, nil, nil
}

// MoveTo reopens the lists, objects and overviews of the page's cluster in another one.
func (p *Page) MoveTo(to *cluster.Cluster, now time.Time) {
	from := p.cluster
	p.search.End()
	p.cluster, p.kinds.all = to, nil
	moveAll(p.lists, from, to, now)
	moveAll(p.objects, from, to, now)
	moveAll(p.overviews, from, to, now)
	if p.kinds.wanted {
		to.KeepKinds()
	}
}

// presence records whether the page is on screen and the browser is online. A page that comes
// back may have been away for long, and is brought up to date at once.
func (p *Page) presence(m port.Presence) {
	back := m.Visible && (!p.visible || m.Online)
	p.visible = m.Visible
	for _, c := range p.used() {
		if c.Online.Store(m.Online); back {
			c.Wake()
		}
	}
	if !back {
		return
	}
	for _, l := range p.lists {
		l.Back()
	}
}

// used returns the clusters that the page and what it has open are of.
func (p *Page) used() []*cluster.Cluster {
	all := []*cluster.Cluster{p.cluster, p.past.Own()}
	for _, l := range p.lists {
		all = append(all, l.Cluster())
	}
	for _, o := range p.objects {
		all = append(all, o.Clusters()...)
	}
	for _, o := range p.overviews {
		all = append(all, o.Cluster())
	}
	var out []*cluster.Cluster
	for _, c := range all {
		if !slices.Contains(out, c) {
			out = append(out, c)
		}
	}
	return out
}

// uses reports whether the page, or something that it has open, is of a cluster.
func (p *Page) uses(c *cluster.Cluster) bool { return slices.Contains(p.used(), c) }

// dueBefore reports whether to ask this page rather than another to renew the session.
func (p *Page) dueBefore(other *Page) bool {
	if p.dues != other.dues {
		return p.dues < other.dues
	}
	return p.visible && !other.visible
}

// step brings the page up to date. A hidden page only learns, once, which proxy answers.
func (p *Page) step(now time.Time) {
	if !p.visible {
		for _, l := range p.lists {
			l.Announce(now)
		}
		return
	}
	stepAll(p.lists, now)
	stepAll(p.objects, now)
	stepAll(p.overviews, now)
	stepAll(p.timelines, now)
	if len(p.lists) == 0 && p.reports.Due("", p.cluster.Client.Link().Welcome, now) {
		p.reports.Send(p.port, p.cluster.State(), now)
	}
	p.sendKinds(now)
	p.past.Step(now)
}

// Borrow leases a source of a list on screen that is of the kind and that serves accepts.
func (p *Page) Borrow(c *cluster.Cluster, kind object.Kind, serves func(namespace string, lease *source.Lease) bool) (*source.Lease, focus.List) {
	for _, l := range p.lists {
		if l.Cluster() != c {
			continue
		}
		if lease := l.Borrow(kind, serves); lease != nil {
			return lease, l
		}
	}
	return nil, nil
}

// LastVersion returns the last version of an object that is gone and whose row the page may
// still show, or nil.
func (p *Page) LastVersion(c *cluster.Cluster, kind object.Kind, key string) *object.Object {
	for _, l := range p.lists {
		if l.Cluster() != c {
			continue
		}
		if o := l.LastVersion(kind, key); o != nil {
			return o
		}
	}
	return nil
}
