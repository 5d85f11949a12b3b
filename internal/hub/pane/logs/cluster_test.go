package logs

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"watchglass/internal/hub/pane/panetest"
	"watchglass/internal/object"
	"watchglass/internal/reflector"
	"watchglass/internal/wire"
)

// manifest is an object: its name, its UID, its labels, its controller as "Kind/name", and the rest of
// its document besides metadata.
type manifest struct {
	name, controller string
	uid              string // "u-" and the name, if it is empty
	labels           map[string]string
	annotations      map[string]string
	rest             map[string]any
}

// doc returns the object's JSON at a version.
func (m manifest) doc(kind object.Kind, version int) []byte {
	metadata := map[string]any{"name": m.name, "namespace": "a", "uid": cmp.Or(m.uid, "u-"+m.name), "resourceVersion": fmt.Sprint(version), "labels": m.labels, "annotations": m.annotations}
	if owner, name, ok := strings.Cut(m.controller, "/"); ok {
		metadata["ownerReferences"] = []any{map[string]any{"apiVersion": "batch/v1", "kind": owner, "name": name, "uid": "u-" + name, "controller": true}}
	}
	all := map[string]any{"kind": kind.Name, "apiVersion": kind.APIVersion(), "metadata": metadata}
	maps.Copy(all, m.rest)
	doc, err := json.Marshal(all)
	if err != nil {
		panic(err)
	}
	return doc
}

// newPod returns a pod whose containers run, labelled app=x.
func newPod(name string, containers ...string) manifest {
	statuses := make([]status, len(containers))
	for i, c := range containers {
		statuses[i] = running(c, "")
	}
	return podWith(name, statuses...)
}

func podWith(name string, statuses ...status) manifest {
	var specs, reports []any
	for _, s := range statuses {
		specs = append(specs, map[string]any{"name": s.name})
		if s.state != nil {
			reports = append(reports, map[string]any{"name": s.name, "containerID": s.run, "restartCount": s.restarts, "state": s.state, "lastState": s.last})
		}
	}
	return manifest{name: name, labels: map[string]string{"app": "x"}, rest: map[string]any{
		"spec": map[string]any{"containers": specs}, "status": map[string]any{"phase": "Running", "containerStatuses": reports},
	}}
}

// status is what a pod reports about a container; nothing if it has no state.
type status struct {
	name, run string
	restarts  int
	state     map[string]any
	last      map[string]any // the state of the run before
}

func running(name, run string) status {
	return status{name: name, run: run, state: map[string]any{"running": map[string]any{}}}
}

func terminated(name, run string, code int) status {
	return status{name: name, run: run, state: map[string]any{"terminated": map[string]any{"reason": "Error", "exitCode": code}}}
}

func waitingFor(name, reason, message string) status {
	return status{name: name, state: map[string]any{"waiting": map[string]any{"reason": reason, "message": message}}}
}

// selecting returns an owner whose selector is one label.
func selecting(key, value string) manifest {
	return manifest{name: "it", rest: map[string]any{"spec": map[string]any{"selector": map[string]any{"matchLabels": map[string]any{key: value}}}}}
}

// server serves logs from a kubelet, and everything else from a cluster.
type server struct {
	cluster *cluster
	kubelet *kubelet
}

func (s server) Open(ctx context.Context, r wire.Request) (reflector.Stream, error) {
	if r.Verb == wire.Log {
		return s.kubelet.open(ctx, r)
	}
	return s.cluster.Open(ctx, r)
}

func (s server) Get(context.Context, wire.Request) ([]byte, error) { panic("logs get nothing") }

// cluster serves watches of pods and jobs.
type cluster struct {
	deny func(r wire.Request) *wire.Status
	slow bool // lists begin but do not end

	mu      sync.Mutex
	version int
	objects []served
	open    []*panetest.Stream
}

type served struct {
	resource string
	manifest
	version int
}

// has adds objects of a resource that exist from the start.
func (c *cluster) has(resource string, all ...manifest) *cluster {
	for _, m := range all {
		c.change(wire.Added, resource, m)
	}
	return c
}

// change changes an object, and sends the event to all watches.
func (c *cluster) change(t wire.EventType, resource string, m manifest) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.version++
	s := served{resource, m, c.version}
	c.objects = slices.DeleteFunc(c.objects, func(o served) bool { return o.resource == resource && o.name == m.name })
	if t != wire.Deleted {
		c.objects = append(c.objects, s)
	}
	for _, w := range c.open {
		if s.matches(w.Request) {
			w.Send(t, s.payload())
		}
	}
}

func (s served) payload() []byte {
	name := s.resource
	if name == "jobs" {
		name = "jobs.batch"
	}
	kind, _ := object.Builtin(name)
	return s.doc(kind, s.version)
}

// matches evaluates the two forms of selectors that the tests use: key=value and key.
func (s served) matches(r wire.Request) bool {
	key, value, equal := strings.Cut(r.LabelSelector, "=")
	label, there := s.labels[key]
	return s.resource == r.Resource && (r.LabelSelector == "" || there && (!equal || label == value))
}

// Open opens a list or a watch.
func (c *cluster) Open(_ context.Context, r wire.Request) (reflector.Stream, error) {
	if c.deny != nil {
		if status := c.deny(r); status != nil {
			return nil, status
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	w := panetest.NewStream(r)
	c.open = append(c.open, w)
	for _, o := range c.objects {
		switch {
		case !o.matches(r):
		case r.Verb == wire.List:
			w.Send(wire.Item, o.payload())
		case r.SendInitialEvents:
			w.Send(wire.Added, o.payload())
		}
	}
	if r.Verb == wire.List {
		w.Send(wire.ListEnd, fmt.Appendf(nil, `{"resourceVersion":"%d"}`, c.version))
	}
	if r.SendInitialEvents && !c.slow {
		w.Send(wire.Bookmark, object.EndOfList(fmt.Sprint(c.version)))
	}
	return w, nil
}

// watches returns the selectors that are watched.
func (c *cluster) watches() (all []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, w := range c.open {
		if !w.Closed() {
			all = append(all, w.Request.Resource+" "+w.Request.LabelSelector)
		}
	}
	slices.Sort(all)
	return all
}

// kubelet serves logs.
type kubelet struct {
	mu      sync.Mutex
	refusal error // instead of a stream
	slow    bool  // nothing is answered
	streams []*panetest.Stream
	asked   []time.Time
}

// refuses makes requests fail with an error, or succeed again if it is nil.
func (k *kubelet) refuses(err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.refusal = err
}

// stalls makes requests wait without an answer.
func (k *kubelet) stalls() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.slow = true
}

func (k *kubelet) open(ctx context.Context, r wire.Request) (reflector.Stream, error) {
	k.mu.Lock()
	k.asked = append(k.asked, time.Now())
	slow := k.slow
	k.mu.Unlock()
	if slow {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.refusal != nil {
		return nil, k.refusal
	}
	s := panetest.NewStream(r)
	k.streams = append(k.streams, s)
	return s, nil
}

// find returns the open stream of a container, "pod/container".
func (k *kubelet) find(name string) *panetest.Stream {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, s := range k.streams {
		if !s.Closed() && s.Request.Name+"/"+s.Request.Log.Container == name {
			return s
		}
	}
	panic("no stream of " + name)
}

func (k *kubelet) write(name, text string) {
	k.find(name).Send(wire.Text, []byte(text))
}

func (k *kubelet) end(name string, err error) { k.find(name).End(err) }

// reading returns the open logs: the container, and the options of the request.
func (k *kubelet) reading() (all []string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, s := range k.streams {
		if s.Closed() {
			continue
		}
		o := s.Request.Log
		from := "all"
		if o.TailLines != nil {
			from = fmt.Sprint("last ", *o.TailLines)
		}
		if o.SinceSeconds > 0 {
			from += fmt.Sprint(" since ", o.SinceSeconds, "s")
		}
		if o.SinceTime != "" {
			from += " since " + o.SinceTime
		}
		if o.Previous {
			from += " previous"
		}
		all = append(all, s.Request.Name+"/"+o.Container+" "+from)
	}
	slices.Sort(all)
	return all
}

// times returns when logs were requested since the last call.
func (k *kubelet) times() []time.Time {
	k.mu.Lock()
	defer k.mu.Unlock()
	asked := k.asked
	k.asked = nil
	return asked
}
