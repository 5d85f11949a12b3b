package hub

import (
	"encoding/json"
	"runtime"
	"time"
)

// inspectedPage, inspectedList and inspectedObject are what scripts see of a page.
type inspectedPage struct {
	ID      uint32            `json:"id"`
	Self    bool              `json:"self"` // it is the page that asks
	Context string            `json:"context"`
	Since   string            `json:"since"`
	Visible bool              `json:"visible"`
	Lists   []inspectedList   `json:"lists"`
	Objects []inspectedObject `json:"objects"`
}

type inspectedList struct {
	ID       uint32 `json:"id"`
	Resource string `json:"resource"`
	State    string `json:"state"`
}

type inspectedObject struct {
	ID        uint32 `json:"id"`
	Resource  string `json:"resource"`
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	Tab       string `json:"tab"`
}

// inspect returns the sources of the page's cluster, the whole hub, memory and goroutines. With {gc:
// true} it collects garbage before it measures, with {meters: true} it has the charts, and
// the sources of other contexts.
func (p *Page) inspect(args json.RawMessage) (any, error) {
	var options struct {
		GC     bool `json:"gc"`
		Meters bool `json:"meters"`
	}
	if err := arguments(args, &options); err != nil {
		return nil, err
	}
	out := p.overview()
	for i := range out.Pages {
		out.Pages[i].Self = out.Pages[i].ID == p.id
	}
	if out.Sources = p.cluster.inspect(time.Now()); options.Meters {
		out.Sources = p.inspectMeters(time.Now())
	}
	out.Memory.Worker, out.Goroutines.Worker = heap(options.GC), runtime.NumGoroutine()
	return out, nil
}

// inspectMeters returns the sources of the page's cluster with their charts, then those of its user's
// other contexts, which share the worker and its memory.
func (p *Page) inspectMeters(now time.Time) []inspected {
	all := p.cluster.inspectMeters(now)
	for _, c := range p.elsewhere() {
		name := c.context
		if welcome := c.client.Link().Welcome; welcome != nil && name == "" {
			name = welcome.Context
		}
		for _, s := range c.inspectMeters(now) {
			s.Elsewhere, s.Context = true, name
			all = append(all, s)
		}
	}
	return all
}

// overview is what scripts see of the hub. Page fills in its own part.
type overview struct {
	Sources  []inspected        `json:"sources"`
	Worker   inspectedWorker    `json:"worker"`
	Clusters []inspectedCluster `json:"clusters"`
	Pages    []inspectedPage    `json:"pages"`
	Packed   inspectedPacked    `json:"packed"`
	History  inspectedHistory   `json:"history"`
	Memory   struct {
		Worker uint64 `json:"worker"`
	} `json:"memory"`
	Goroutines struct {
		Worker int `json:"worker"`
	} `json:"goroutines"`
}

// Worker says what runs a hub.
type Worker struct {
	Name   string `json:"name"`
	Shared bool   `json:"shared"` // by all tabs of the browser
}

type inspectedWorker struct {
	Worker
	Since string `json:"since"`
}

type inspectedPacked struct {
	Bytes   int64 `json:"bytes"`
	Objects int   `json:"objects"`
	Dropped int   `json:"dropped"`
	Limit   int64 `json:"limit"`
}

// inspectedHistory is what the hub remembers of all clusters.
type inspectedHistory struct {
	Bytes   int           `json:"bytes"`
	Limit   int           `json:"limit"`
	Dropped int           `json:"dropped"` // changes
	Disk    inspectedDisk `json:"disk"`
}

// inspectedDisk is what is on disk of the histories of all clusters.
type inspectedDisk struct {
	On     bool   `json:"on"`
	Bytes  int64  `json:"bytes"`
	Room   int64  `json:"room"`
	Failed string `json:"failed"`
}

// summary returns what a page has open.
func (p *Page) summary() inspectedPage {
	out := inspectedPage{ID: p.id, Context: p.cluster.context, Since: rfc3339(p.connected), Visible: p.visible, Lists: []inspectedList{}, Objects: []inspectedObject{}}
	for _, l := range p.lists {
		out.Lists = append(out.Lists, inspectedList{l.id, l.look.Resource, string(l.state)})
	}
	for _, o := range p.objects {
		out.Objects = append(out.Objects, inspectedObject{o.id, o.asked.Resource, o.asked.Namespace, o.asked.Name, o.asked.Tab})
	}
	return out
}

// heap returns how many bytes of heap are in use.
func heap(collect bool) uint64 {
	if collect {
		runtime.GC()
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
