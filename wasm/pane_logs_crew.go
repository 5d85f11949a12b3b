package main

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"time"

	"watchglass/internal/detail"
	"watchglass/internal/detail/log"
	"watchglass/internal/informer"
	"watchglass/internal/object"
	"watchglass/internal/wire"
)

// crew are the pods whose logs are read: the one that is open, or those of an owner.
type crew struct {
	desk    *desk
	focus   *focus
	kind    object.Kind
	name    string
	pods    map[string]member // by UID
	single  bool
	changed bool
	problem string
	stands  string // why the pods are not known, if they are not

	// Of an owner: the pods that it may have, by key, and of a CronJob its jobs.
	watch, jobs *followed
	held        map[string]*object.Object
	known       map[string]bool // of the CronJob: "Job/…"
	stale       bool            // these have changed
}

// followed is a list that is kept for the crew.
type followed struct {
	follow
	selector string

	mu      sync.Mutex
	changed map[string]*object.Object // by key, since it was last asked; nil if it is gone
}

// member is a pod.
type member struct {
	uid, namespace, name string
	version              string
	containers           []container
	usual                string // what kubectl takes where none is named
}

// container is one of a pod, and how it is.
type container struct {
	name     string
	role     string
	known    bool // the pod has said how it is
	running  bool
	instance string // the run that is the present one
	restarts int64
	reason   string // why it waits
	message  string
	ended    string // how it has
}

// waits is why there is no log yet, in words.
func (c container) waits() string {
	switch {
	case c.reason != "" && c.message != "":
		return c.reason + ": " + c.message
	case c.reason != "":
		return c.reason
	}
	return "it has not started"
}

func newCrew(d *desk, f *focus) *crew {
	return &crew{desk: d, focus: f, kind: f.kind, name: f.asked.Name, single: f.kind.ID() == "pods", pods: make(map[string]member), held: make(map[string]*object.Object), known: make(map[string]bool)}
}

// object takes the object that is open: a pod, or what says which pods.
func (c *crew) object(o *object.Object, body func() (detail.Value, error)) {
	c.changed = true
	if o == nil {
		clear(c.pods)
		c.close()
		return
	}
	v, err := body()
	if err != nil {
		c.problem = err.Error()
		return
	}
	if c.single {
		c.put(o, v)
		return
	}
	selector, ok := selectorOf(c.kind.ID(), v)
	switch c.problem = ""; {
	case !ok:
		c.problem = "This kind of object runs no pods: it has no logs."
	case selector == "":
		c.problem = "It selects no pods."
	default:
		c.follow(&c.watch, "pods", o.Namespace(), selector)
		if c.kind.ID() == "cronjobs.batch" {
			c.follow(&c.jobs, "jobs.batch", o.Namespace(), "")
		}
	}
}

// put takes a pod as it is.
func (c *crew) put(o *object.Object, v detail.Value) {
	if c.pods[o.UID()].version != o.Version() {
		if c.single {
			clear(c.pods)
		}
		c.pods[o.UID()], c.changed = memberOf(o, v), true
	}
}

// selectorOf is how an owner selects its pods, in the apiserver's words.
func selectorOf(kind string, v detail.Value) (selector string, ok bool) {
	s := v.At("spec", "selector")
	switch kind {
	case "services", "replicationcontrollers":
		return detail.LabelsText(s), true
	case "cronjobs.batch": // its jobs are known by their names
		return "job-name", true
	case "deployments.apps", "replicasets.apps", "statefulsets.apps", "daemonsets.apps", "jobs.batch":
		return detail.SelectorText(s), true
	}
	return "", false
}

// follow follows a list, if it is not that which is followed already.
func (c *crew) follow(w **followed, resource, namespace, selector string) {
	if *w != nil && (*w).selector == selector {
		return
	}
	if *w != nil {
		(*w).release()
		clear(c.held)
	}
	kind, _ := object.Builtin(resource)
	next := &followed{selector: selector, changed: make(map[string]*object.Object)}
	next.lease = c.desk.beside(kind, namespace, selector, "")
	objects := next.subscribe(func(changes []informer.Change[*object.Object]) {
		next.mu.Lock()
		for _, change := range changes {
			next.changed[change.Key] = change.After
		}
		next.mu.Unlock()
		c.desk.stir()
	})
	next.mu.Lock()
	for _, o := range objects {
		if _, newer := next.changed[o.Key()]; !newer {
			next.changed[o.Key()] = o
		}
	}
	next.mu.Unlock()
	*w = next
}

func (w *followed) take() map[string]*object.Object {
	w.mu.Lock()
	defer w.mu.Unlock()
	changed := w.changed
	w.changed = make(map[string]*object.Object)
	return changed
}

// tend takes what has changed of the pods of an owner, and reports whether the pods are
// others since it was last called.
func (c *crew) tend(now time.Time) (changed bool) {
	if c.jobs != nil {
		c.tendJobs()
	}
	if c.watch != nil {
		for key, o := range c.watch.take() {
			if delete(c.held, key); o != nil {
				c.held[key] = o
			}
			c.stale = true
		}
	}
	if c.stale {
		c.stale = false
		c.sort()
	}
	if stands := c.standing(now); stands != c.stands {
		c.stands, c.changed = stands, true
	}
	changed, c.changed = c.changed, false
	return changed
}

// standing is why the pods are not known: they may not be listed, or are yet to come.
func (c *crew) standing(now time.Time) string {
	if c.single || c.watch == nil {
		switch state, said := c.focus.stand(c.desk.link(), now); {
		case state == detail.Denied:
			return "You may not get it. " + quoted(said)
		case state == detail.Loading && len(c.pods) == 0:
			return strings.TrimSpace("Looking for it … " + quoted(said))
		}
		return ""
	}
	for _, l := range []struct {
		list *followed
		of   string
	}{{c.watch, "pods"}, {c.jobs, "jobs"}} {
		if l.list == nil {
			continue
		}
		switch s := l.list.stand(c.desk.link(), now); {
		case s.refused():
			return "You may not list its " + l.of + ". " + quoted(s.cause)
		case !s.state.Synced && len(c.pods) == 0:
			return strings.TrimSpace("Looking for its " + l.of + " … " + quoted(s.cause))
		}
	}
	return ""
}

// quoted is what was said, and by whom; nothing if nothing was.
func quoted(s *wire.Status) string {
	if s == nil {
		return ""
	}
	return speakerOf(s.Origin) + " said: " + s.Message
}

// tendJobs takes which jobs are the CronJob's.
func (c *crew) tendJobs() {
	for _, o := range c.jobs.take() {
		if o != nil && o.Controller() == "CronJob/"+c.name {
			c.known["Job/"+o.Name()], c.stale = true, true
		}
	}
}

// sort finds the crew's among the pods that are held.
func (c *crew) sort() {
	kind, _ := object.Builtin("pods")
	there := make(map[string]bool)
	for _, o := range c.held {
		if c.jobs != nil && !c.known[o.Controller()] {
			continue
		}
		there[o.UID()] = true
		if c.pods[o.UID()].version == o.Version() {
			continue
		}
		o.Show()
		if v, err := bodyOf(kind, o); err == nil {
			c.put(o, v)
		} else {
			c.problem = err.Error()
		}
	}
	for uid := range c.pods {
		if !there[uid] {
			delete(c.pods, uid)
			c.changed = true
		}
	}
}

func (c *crew) close() {
	for _, w := range []**followed{&c.jobs, &c.watch} {
		if *w != nil {
			(*w).release()
			*w = nil
		}
	}
	clear(c.held)
	clear(c.known)
}

// members are the pods, by their names.
func (c *crew) members() []member {
	out := make([]member, 0, len(c.pods))
	for _, m := range c.pods {
		out = append(out, m)
	}
	slices.SortFunc(out, func(a, b member) int { return cmp.Or(strings.Compare(a.name, b.name), strings.Compare(a.uid, b.uid)) })
	return out
}

func (c *crew) count() int { return len(c.pods) }

// said is why there are no logs, if there is something to say.
func (c *crew) said() string { return cmp.Or(c.problem, c.stands) }

// chosen are the containers that are asked for.
func (m member) chosen(name string) []container {
	if name == log.AllContainers {
		return m.containers
	}
	name = cmp.Or(name, m.usual)
	if i := slices.IndexFunc(m.containers, func(c container) bool { return c.name == name }); i >= 0 {
		return m.containers[i : i+1]
	}
	return nil
}

// memberOf reads a pod.
func memberOf(o *object.Object, v detail.Value) member {
	m := member{uid: o.UID(), namespace: o.Namespace(), name: o.Name(), version: o.Version()}
	for _, list := range []struct{ field, status, role string }{
		{"containers", "containerStatuses", ""}, {"initContainers", "initContainerStatuses", "init"}, {"ephemeralContainers", "ephemeralContainerStatuses", "ephemeral"},
	} {
		states := make(map[string]detail.Value)
		for _, s := range v.At("status", list.status).List() {
			states[s.At("name").Text()] = s
		}
		for _, spec := range v.At("spec", list.field).List() {
			m.containers = append(m.containers, containerOf(spec.At("name").Text(), list.role, states[spec.At("name").Text()], v))
		}
	}
	m.usual = v.At("metadata", "annotations", "kubectl.kubernetes.io/default-container").Text()
	if named := func(c container) bool { return c.name == m.usual }; !slices.ContainsFunc(m.containers, named) && len(m.containers) > 0 {
		m.usual = m.containers[0].name
	}
	return m
}

// containerOf reads how a container is.
func containerOf(name, role string, status, pod detail.Value) container {
	c := container{name: name, role: role, known: status.Exists(), instance: status.At("containerID").Text(), restarts: status.At("restartCount").Int()}
	c.running = status.At("state", "running").Exists()
	if waiting := status.At("state", "waiting"); waiting.Exists() {
		c.reason, c.message = waiting.At("reason").Text(), waiting.At("message").Text()
	}
	if over := status.At("state", "terminated"); over.Exists() {
		c.ended = cmp.Or(over.At("reason").Text(), "Ended") + ", exit code " + cmp.Or(over.At("exitCode").Text(), "unknown")
	}
	if !c.known {
		for _, condition := range pod.At("status", "conditions").List() {
			if condition.At("status").Text() == "False" && condition.At("type").Text() == "PodScheduled" {
				c.reason, c.message = condition.At("reason").Text(), condition.At("message").Text()
			}
		}
		c.reason = cmp.Or(c.reason, pod.At("status", "phase").Text())
	}
	return c
}
