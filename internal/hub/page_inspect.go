package hub

import (
	"runtime"
	"time"

	"watchglass/internal/hub/inspect"
	"watchglass/internal/inspection"
	"watchglass/internal/port"
)

// inspect returns the sources of the page's cluster, the whole hub, memory and goroutines. With {gc:
// true} it collects garbage before it measures, with {meters: true} it has the charts, and
// the sources of other contexts.
func (p *Page) inspect(ask port.Ask) (any, error) {
	var options struct {
		GC     bool `json:"gc"`
		Meters bool `json:"meters"`
	}
	if err := ask.Read(&options); err != nil {
		return nil, err
	}
	out := p.overview()
	for i := range out.Pages {
		out.Pages[i].Self = out.Pages[i].ID == p.id
	}
	if out.Sources = p.cluster.Sources().Read(time.Now()); options.Meters {
		out.Sources = p.inspectMeters(time.Now())
	}
	out.Memory.Worker, out.Goroutines.Worker = inspect.Heap(options.GC), runtime.NumGoroutine()
	return out, nil
}

// inspectMeters returns the sources of the page's cluster with their charts, then those of its user's
// other contexts, which share the worker and its memory.
func (p *Page) inspectMeters(now time.Time) []inspection.Source {
	all := p.cluster.ReadMeters(now)
	for _, c := range p.elsewhere() {
		name := c.Context
		if welcome := c.Client.Link().Welcome; welcome != nil && name == "" {
			name = welcome.Context
		}
		for _, s := range c.ReadMeters(now) {
			s.Elsewhere, s.Context = true, name
			all = append(all, s)
		}
	}
	return all
}

// summary returns what a page has open.
func (p *Page) summary() inspection.Page {
	out := inspection.Page{ID: p.id, Context: p.cluster.Context, Since: p.connected.UTC(), Visible: p.visible, Lists: []inspection.List{}, Objects: []inspection.Object{}}
	for _, l := range p.lists {
		out.Lists = append(out.Lists, inspection.List{ID: l.ID(), Resource: l.Asked().Resource, State: string(l.State())})
	}
	for _, o := range p.objects {
		asked := o.Asked()
		out.Objects = append(out.Objects, inspection.Object{ID: asked.ID, Resource: asked.Resource, Namespace: asked.Namespace, Name: asked.Name, Tab: asked.Tab})
	}
	return out
}
