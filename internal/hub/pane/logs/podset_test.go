package logs

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"watchglass/internal/detail"
	"watchglass/internal/detail/log"
	"watchglass/internal/document"
	"watchglass/internal/hub/pane"
	"watchglass/internal/object"
	"watchglass/internal/wire"
)

// TestSelectorOf checks which kinds have pods, and their selectors.
func TestSelectorOf(t *testing.T) {
	for _, c := range []struct {
		kind, doc, want string
		ok              bool
	}{
		{"services", `{"spec":{"selector":{"b":"2","a":"1"}}}`, "a=1,b=2", true},
		{"services", `{"spec":{}}`, "", true},
		{"deployments.apps", `{"spec":{"selector":{"matchLabels":{"a":"1"},"matchExpressions":[{"key":"t","operator":"In","values":["x","y"]}]}}}`, "a=1,t in (x,y)", true},
		{"cronjobs.batch", `{}`, "job-name", true},
		{"configmaps", `{}`, "", false},
	} {
		v, err := document.Parse([]byte(c.doc))
		if err != nil {
			t.Fatal(err)
		}
		if got, ok := selectorOf(c.kind, v); got != c.want || ok != c.ok {
			t.Errorf("%s: %q %t, want %q", c.kind, got, ok, c.want)
		}
	}
}

// TestNoLogs checks that the message is true of every kind: pods do run on nodes, and a
// custom kind may own pods.
func TestNoLogs(t *testing.T) {
	for _, c := range []struct {
		kind object.Kind
		want string
	}{
		{object.Kind{Version: "v1", Resource: "nodes", Name: "Node"}, "no combined log for a node"},
		{object.Kind{Version: "v1", Resource: "namespaces", Name: "Namespace"}, "no combined log for a namespace"},
		{object.Kind{Group: "tekton.dev", Version: "v1", Resource: "pipelineruns", Name: "PipelineRun"}, "PipelineRun objects have no logs of their own. Their pods, if any,"},
		{object.Kind{Version: "v1", Resource: "configmaps", Name: "ConfigMap"}, "ConfigMap objects have no logs"},
	} {
		if got := noLogs(c.kind); !strings.Contains(got, c.want) {
			t.Errorf("%s: %s", c.kind.Name, got)
		}
	}
}

// TestWithoutPods says why an object has no logs, and follows nothing.
func TestWithoutPods(t *testing.T) {
	for kind, want := range map[string]string{
		"configmaps": "ConfigMap objects have no logs of their own. Their pods, if any, are listed under Related.",
		"services":   "It has no selector, so its pods are unknown.",
	} {
		c := &cluster{}
		onPane(t, kind, c, func(t *testing.T, h *host) {
			h.ask(log.Options{})
			h.object(manifest{name: "it"})
			if d := h.last(); d.Said != want || len(d.Sources) != 0 {
				t.Errorf("%q, want %q", d.Said, want)
			}
			if got := c.watches(); len(got) > 0 {
				t.Errorf("%q are watched", got)
			}
		})
	}
}

// TestUnreadable shows the error of an object that cannot be parsed, until it can.
func TestUnreadable(t *testing.T) {
	onPane(t, "pods", &cluster{}, func(t *testing.T, h *host) {
		h.ask(log.Options{})
		h.Do(func() {
			h.pane.Object(pane.Version{Body: func() (document.Value, error) { return document.Value{}, errors.New("torn") }})
			h.Update()
		})
		if got := h.last().Said; got != "torn" {
			t.Errorf("%q", got)
		}
		h.object(newPod("it", "web"))
		if d := h.last(); d.Said != "" || d.Pods != 1 {
			t.Errorf("%d pods, %q", d.Pods, d.Said)
		}
	})
}

// TestPodsUnknown says why the pods of an owner are not known, and who said so.
func TestPodsUnknown(t *testing.T) {
	no := &wire.Status{Origin: wire.FromAPIServer, Code: 403, Reason: wire.ReasonForbidden, Message: "no"}
	denies := func(resource string) *cluster {
		return &cluster{deny: func(r wire.Request) *wire.Status {
			if r.Resource == resource {
				return no
			}
			return nil
		}}
	}
	for _, c := range []struct {
		kind    string
		cluster *cluster
		want    string
	}{
		{"deployments", denies("pods"), "You can't list its pods; the apiserver said: no"},
		{"cronjobs", denies("jobs"), "You can't list its jobs; the apiserver said: no"},
		{"deployments", &cluster{slow: true}, "Loading its pods…"},
		{"deployments", (&cluster{}).has("pods", newPod("two", "web")), ""},
		{"deployments", &cluster{}, ""},
	} {
		onPane(t, c.kind, c.cluster, func(t *testing.T, h *host) {
			h.ask(log.Options{})
			h.object(selecting("app", "x"))
			if got := h.last().Said; got != c.want {
				t.Errorf("%s: %q, want %q", c.kind, got, c.want)
			}
		})
	}
}

// TestObjectUnknown says why there is no object to read logs of, and who said so.
func TestObjectUnknown(t *testing.T) {
	no := &wire.Status{Origin: wire.FromProxy, Message: "no"}
	for _, c := range []struct {
		state detail.State
		said  *wire.Status
		want  string
	}{
		{detail.Denied, no, "You can't view this object; the Watchglass proxy said: no"},
		{detail.Loading, nil, "Loading…"},
		{detail.Loading, no, "Loading… the Watchglass proxy said: no"},
		{detail.Missing, nil, ""},
	} {
		onPane(t, "pods", &cluster{}, func(t *testing.T, h *host) {
			h.Do(func() { h.Stands, h.Said = c.state, c.said })
			h.ask(log.Options{})
			if d := h.last(); d.Said != c.want || d.Pods != 0 {
				t.Errorf("%s: %q, want %q", c.state, d.Said, c.want)
			}
		})
	}
}

// TestOwner reads the pods that an owner selects, including those that come later, and
// releases their list when it selects others.
func TestOwner(t *testing.T) {
	other := newPod("other", "web")
	other.labels = map[string]string{"app": "y"}
	onPane(t, "deployments", (&cluster{}).has("pods", newPod("b", "web"), newPod("a", "web"), other), func(t *testing.T, h *host) {
		names := func() (names []string) {
			for _, s := range h.last().Sources {
				names = append(names, s.Pod+" "+s.State)
			}
			slices.Sort(names)
			return names
		}
		h.ask(log.Options{})
		h.object(selecting("app", "x"))
		if got, want := names(), []string{"a live", "b live"}; !slices.Equal(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
		h.cluster.change(wire.Added, "pods", newPod("c", "web"))
		if got, want := names(), []string{"a live", "b live", "c live"}; !slices.Equal(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
		if d := h.last(); d.Pods != 3 {
			t.Errorf("%d pods", d.Pods)
		}
		h.object(selecting("app", "y"))
		h.Wait(soon)
		if got, want := h.cluster.watches(), []string{"pods app=x", "pods app=y"}; !slices.Equal(got, want) {
			t.Errorf("%q are watched, want %q", got, want)
		}
		h.Wait(2 * linger)
		if got, want := h.cluster.watches(), []string{"pods app=y"}; !slices.Equal(got, want) {
			t.Errorf("%q are watched, want %q", got, want)
		}
		if d := h.last(); d.Pods != 1 {
			t.Errorf("%d pods", d.Pods)
		}
	})
}

// TestOwnerSelectsOthers changes what an owner selects. What it no longer selects is not read on, also if it
// selects nothing then, and what it still selects is not closed in between.
func TestOwnerSelectsOthers(t *testing.T) {
	both := newPod("both", "web")
	both.labels = map[string]string{"app": "x", "tier": "y"}
	for _, c := range []struct {
		name    string
		next    manifest
		open    []string
		watches []string
		said    string
	}{
		{"none match", selecting("app", "typo"), nil, []string{"pods app=typo"}, ""},
		{"some match", selecting("tier", "y"), []string{"both/web last 1000"}, []string{"pods tier=y"}, ""},
		{"no selector", manifest{name: "it"}, nil, nil, "It has no selector, so its pods are unknown."},
	} {
		t.Run(c.name, func(t *testing.T) {
			onPane(t, "deployments", (&cluster{}).has("pods", newPod("one", "web"), both), func(t *testing.T, h *host) {
				h.ask(log.Options{})
				h.object(selecting("app", "x"))
				h.Wait(soon)
				h.wantOpen("both/web last 1000", "one/web last 1000")
				h.object(c.next)
				h.Wait(soon)
				h.wantOpen(c.open...)
				d := h.last()
				if d.Pods != len(c.open) || d.Said != c.said {
					t.Errorf("%d pods, %q", d.Pods, d.Said)
				}
				notes := slices.Repeat([]string{"-- the pod is no longer selected"}, 2-len(c.open))
				if got := rows(d); !slices.Equal(got, notes) {
					t.Errorf("%q, want %q", got, notes)
				}
				h.Wait(2 * linger)
				if got := h.cluster.watches(); !slices.Equal(got, c.watches) {
					t.Errorf("%q are watched, want %q", got, c.watches)
				}
				h.object(selecting("app", "x"))
				h.Wait(soon)
				if got := h.kubelet.reading(); len(got) != 2 {
					t.Errorf("selected again, open are %q", got)
				}
			})
		})
	}
}

// TestCronJob reads the pods of the CronJob's own jobs, and of no other's.
func TestCronJob(t *testing.T) {
	of := func(name, job string) manifest {
		p := newPod(name, "web")
		p.controller, p.labels = "Job/"+job, map[string]string{"job-name": job}
		return p
	}
	c := (&cluster{}).has("pods", of("mine", "it-1"), of("theirs", "other-1"), of("next", "it-2"))
	c.has("jobs", manifest{name: "it-1", controller: "CronJob/it"}, manifest{name: "other-1", controller: "CronJob/other"})
	onPane(t, "cronjobs", c, func(t *testing.T, h *host) {
		h.ask(log.Options{})
		h.object(manifest{name: "it"})
		h.Wait(soon)
		h.wantOpen("mine/web last 1000")
		c.change(wire.Added, "jobs", manifest{name: "it-2", controller: "CronJob/it"})
		h.Wait(soon)
		h.wantOpen("mine/web last 1000", "next/web last 1000")
		c.change(wire.Deleted, "jobs", manifest{name: "it-1", controller: "CronJob/it"})
		h.Wait(soon)
		h.wantOpen("mine/web last 1000", "next/web last 1000") // its pod still exists
	})
}

// TestOwnerGone releases the lists of an owner that is deleted. One that is created again has
// none of the earlier pods.
func TestOwnerGone(t *testing.T) {
	onPane(t, "deployments", (&cluster{}).has("pods", newPod("two", "web")), func(t *testing.T, h *host) {
		h.ask(log.Options{})
		h.object(selecting("app", "x"))
		if d := h.last(); d.Pods != 1 {
			t.Fatalf("%d pods", d.Pods)
		}
		h.deleted(selecting("app", "x"))
		if d := h.last(); d.Pods != 0 || d.Sources[0].State != log.Live {
			t.Errorf("%+v", d.Head) // what is still written is read
		}
		h.cluster.change(wire.Deleted, "pods", newPod("two", "web"))
		h.Wait(2 * linger)
		if got := h.cluster.watches(); len(got) > 0 {
			t.Errorf("%q are watched", got)
		}
		h.object(selecting("app", "x"))
		if d := h.last(); d.Pods != 0 {
			t.Errorf("%d pods", d.Pods)
		}
		h.cluster.change(wire.Added, "pods", newPod("three", "web"))
		if d := h.last(); d.Pods != 1 {
			t.Errorf("%d pods", d.Pods)
		}
	})
}

// TestServiceGone checks that the logs of a Service end with it: its pods live on.
func TestServiceGone(t *testing.T) {
	onPane(t, "services", (&cluster{}).has("pods", newPod("two", "web")), func(t *testing.T, h *host) {
		service := manifest{name: "it", rest: map[string]any{"spec": map[string]any{"selector": map[string]any{"app": "x"}}}}
		h.ask(log.Options{})
		h.object(service)
		h.Wait(soon)
		h.wantOpen("two/web last 1000")
		h.deleted(service)
		h.Wait(soon)
		h.wantOpen()
		if got := rows(h.last()); !slices.Equal(got, []string{"-- the pod is no longer selected"}) {
			t.Errorf("%q", got)
		}
	})
}

// TestPodGone reads what a deleted pod still writes, and then reports how it ended.
func TestPodGone(t *testing.T) {
	onPane(t, "pods", &cluster{}, func(t *testing.T, h *host) {
		h.ask(log.Options{})
		h.object(newPod("it", "web"))
		h.Wait(soon)
		h.deleted(newPod("it", "web"))
		h.kubelet.write("it/web", "2500-01-01T00:00:01Z last words")
		h.kubelet.end("it/web", dropped)
		h.Wait(time.Minute)
		h.wantOpen()
		h.wantState(log.Gone, "the connection to the proxy said: the connection broke")
		got := rows(h.last())
		slices.Sort(got)
		if want := []string{"-- the connection to the proxy said: the connection broke", "-- the pod is gone", "last words"}; !slices.Equal(got, want) {
			t.Errorf("%q", got)
		}
	})
}

// TestPodReplaced replaces a pod by one of the same name. What was opened again before the tab knew may be the new
// pod's log, which is read once; what was open all the time is the log of the pod before, and read to its end.
func TestPodReplaced(t *testing.T) {
	for broke, want := range map[bool]int{false: 2, true: 1} {
		t.Run(fmt.Sprintf("broke %t", broke), func(t *testing.T) {
			onPane(t, "pods", &cluster{}, func(t *testing.T, h *host) {
				h.ask(log.Options{})
				before, after := podWith("it", running("web", "r1")), podWith("it", running("web", "r2"))
				before.uid, after.uid = "u1", "u2"
				h.object(before)
				h.kubelet.write("it/web", "1990-01-01T00:00:01Z one")
				h.Wait(soon)
				if broke {
					h.kubelet.end("it/web", dropped)
				}
				h.Wait(20 * time.Second)
				h.object(after)
				h.Wait(time.Minute)
				if got := h.kubelet.reading(); len(got) != want {
					t.Errorf("open are %q, want %d", got, want)
				}
				states := map[string]int{}
				for _, s := range h.last().Sources {
					states[s.State]++
				}
				if states[log.Live] != want || states[log.Gone] != 2-want {
					t.Errorf("%v", states)
				}
			})
		})
	}
}

// TestGoneSources keeps the source of a deleted pod as long as there is a line or a note of
// it, and no longer.
func TestGoneSources(t *testing.T) {
	onPane(t, "pods", &cluster{}, func(t *testing.T, h *host) {
		h.ask(log.Options{})
		h.object(newPod("it", "web"))
		h.Wait(soon)
		h.deleted(newPod("it", "web"))
		h.Wait(soon)
		h.kubelet.end("it/web", io.EOF)
		h.wantState(log.Gone, "")
		h.ask(log.Options{Cleared: 1})
		if d := h.last(); len(d.Sources) > 0 {
			t.Errorf("%+v", d.Sources)
		}
		for i := range 5 { // each with the number of one that is gone
			name := fmt.Sprint("it", i)
			h.object(newPod(name, "web"))
			h.wantState(log.Live, "")
			h.deleted(newPod(name, "web"))
			h.Wait(soon)
			h.kubelet.end(name+"/web", io.EOF)
			h.Wait(soon)
			h.ask(log.Options{Cleared: 2 + i})
		}
		h.Do(func() {
			if n := len(h.pane.lines.store.Sources()); n > 2 {
				t.Errorf("%d numbers are in use", n)
			}
		})
	})
}

// TestPodOf checks which containers a pod has, in kubectl's order, and which of them kubectl
// reads by default.
func TestPodOf(t *testing.T) {
	const spec = `"spec":{"containers":[{"name":"a"},{"name":"b"}],"initContainers":[{"name":"i"}],"ephemeralContainers":[{"name":"e"}]}`
	for _, c := range []struct{ metadata, option, want string }{
		{``, "", "a"},
		{`"annotations":{"kubectl.kubernetes.io/default-container":"b"}`, "", "b"},
		{`"annotations":{"kubectl.kubernetes.io/default-container":"none"}`, "", "a"},
		{``, "i", "i"},
		{``, "none", ""},
		{``, log.AllContainers, "a b i e"},
	} {
		h := &host{t: t}
		h.kind, _ = object.Builtin("pods")
		doc := `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"it","namespace":"a","uid":"u","resourceVersion":"1",` + c.metadata + `},` + spec + `}`
		doc = strings.Replace(doc, ",}", "}", 1)
		o, err := object.NewDecoder(h.kind, true).Decode([]byte(doc))
		if err != nil {
			t.Fatal(err)
		}
		v, err := pane.ParseBody(h.kind, o)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, chosen := range podOf(o, v).chosen(c.option) {
			names = append(names, chosen.name)
		}
		if got := strings.Join(names, " "); got != c.want {
			t.Errorf("%q of %q: %q, want %q", c.option, c.metadata, got, c.want)
		}
	}
}

// TestUnscheduled checks the reason why a pod waits that has reported nothing about its
// containers.
func TestUnscheduled(t *testing.T) {
	for doc, want := range map[string]string{
		`{"status":{"phase":"Pending"}}`: "Pending",
		`{"status":{"phase":"Pending","conditions":[{"type":"PodScheduled","status":"False","reason":"Unschedulable","message":"no node fits"}]}}`: "Unschedulable: no node fits",
		`{"status":{"phase":"Pending","conditions":[{"type":"PodScheduled","status":"True","reason":"x"}]}}`:                                       "Pending",
	} {
		v, err := document.Parse([]byte(doc))
		if err != nil {
			t.Fatal(err)
		}
		if got := containerOf("web", document.Value{}, v).waits(""); got != want {
			t.Errorf("%s: %q, want %q", doc, got, want)
		}
	}
}

// TestQuoted names every origin.
func TestQuoted(t *testing.T) {
	seen := map[string]bool{"": true}
	for _, o := range []wire.Origin{wire.FromAPIServer, wire.FromNetwork, wire.FromSocket, wire.FromPlugin, wire.FromTab, wire.FromProxy} {
		got := quoted(&wire.Status{Origin: o, Message: "no"})
		if seen[got] || !strings.HasSuffix(got, " said: no") {
			t.Errorf("%s: %q", o, got)
		}
		seen[got] = true
	}
	if got := quoted(nil); got != "" {
		t.Errorf("%q", got)
	}
}

// TestLogsHavePods checks that the pods of an owner's logs are known with them: they are in no history.
func TestLogsHavePods(t *testing.T) {
	onPane(t, "deployments.apps", new(cluster).has("pods", newPod("p", "c")), func(t *testing.T, h *host) {
		h.object(selecting("app", "x"))
		h.ask(log.Options{})
		h.Wait(soon)
		if all := h.pane.Logs(); len(all) != 1 || !strings.Contains(string(all[0].Object), `"name":"p"`) {
			t.Errorf("%+v", all)
		}
	})
}

// loses ends the open lists of a resource. If they are expired, the next attempt cannot go on where they ended, and lists anew.
func (c *cluster) loses(resource string, expired bool) {
	c.deny = func(r wire.Request) *wire.Status {
		if expired && r.Resource == resource && !r.SendInitialEvents {
			return &wire.Status{Origin: wire.FromAPIServer, Code: 410, Reason: wire.ReasonExpired, Message: "too old resource version"}
		}
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, w := range c.open {
		if w.Request.Resource == resource {
			w.End(dropped)
		}
	}
}

// missedNote says that pods may have come and gone unread.
const missedNote = "-- lines may be missing: pods may have started and ended without being read"

// TestPodsMissed checks that the log of an owner says when pods may have come and gone unread: while their list was not
// watched, or while nobody read what it brought. A watch that goes on where it ended has missed none.
func TestPodsMissed(t *testing.T) {
	const note = missedNote
	short, again := newPod("short", "c"), newPod("web", "c")
	again.uid = "u-again"
	for name, c := range map[string]struct {
		meanwhile func(h *host) // while nobody updates the pane
		missed    bool
	}{
		"nothing":     {func(h *host) {}, false},
		"resumed":     {func(h *host) { h.cluster.loses("pods", false) }, false},
		"listed anew": {func(h *host) { h.cluster.loses("pods", true) }, true},
		"one pod": {func(h *host) {
			h.cluster.change(wire.Added, "pods", short)
			h.cluster.change(wire.Deleted, "pods", short)
		}, true},
		"pod replaced": {func(h *host) {
			h.cluster.change(wire.Deleted, "pods", newPod("web", "c"))
			time.Sleep(time.Second)
			h.cluster.change(wire.Added, "pods", again)
			time.Sleep(time.Second)
			h.cluster.change(wire.Deleted, "pods", again)
		}, true},
		"pod stays": {func(h *host) { h.cluster.change(wire.Added, "pods", short) }, false},
	} {
		t.Run(name, func(t *testing.T) {
			onPane(t, "deployments.apps", new(cluster).has("pods", newPod("web", "c"), newPod("other", "c")), func(t *testing.T, h *host) {
				h.object(selecting("app", "x"))
				h.ask(log.Options{Bars: 20})
				h.Wait(10 * time.Second)
				write := func() {
					h.kubelet.write("other/c", time.Now().UTC().Format(time.RFC3339Nano)+" a line\n")
					h.Wait(soon)
				}
				write()
				h.Do(func() {
					time.Sleep(10 * time.Second)
					c.meanwhile(h)
					time.Sleep(20 * time.Second)
				})
				h.Wait(soon)
				write()
				d := h.last()
				if got := slices.Contains(rows(d), note); got != c.missed {
					t.Errorf("missed: %t, want %t\n%s", got, c.missed, strings.Join(rows(d), "\n"))
				}
				if got := slices.ContainsFunc(d.Histogram.Bars, func(b log.Bar) bool { return b.Gap }); got != c.missed {
					t.Errorf("a gap is drawn: %t, want %t", got, c.missed)
				}
				for i, r := range d.Window {
					if rows(d)[i] == note && r.Source < len(d.Sources) {
						t.Errorf("the note is said to be of %+v", d.Sources[r.Source])
					}
				}
			})
		})
	}
}

// TestCronJobMissed checks that the log of a CronJob says when pods of its own jobs may have come and gone unread, also if
// somebody else named the job, and nothing of the pods of others.
func TestCronJobMissed(t *testing.T) {
	job := func(name, of string) manifest { return manifest{name: name, controller: "CronJob/" + of} }
	flash := func(c *cluster, resource string, m manifest) {
		c.change(wire.Added, resource, m)
		time.Sleep(time.Second)
		c.change(wire.Deleted, resource, m)
	}
	podOf := func(job string) manifest {
		p := newPod("short", "c")
		p.controller, p.labels = "Job/"+job, map[string]string{"job-name": job}
		return p
	}
	for name, c := range map[string]struct {
		meanwhile func(c *cluster) // while nobody updates the pane
		missed    bool
	}{
		"a pod of its job":             {func(c *cluster) { flash(c, "pods", podOf("it-1")) }, true},
		"a pod of a job by hand":       {func(c *cluster) { flash(c, "pods", podOf("manual")) }, true},
		"a pod of another CronJob":     {func(c *cluster) { flash(c, "pods", podOf("it-db-1")) }, false},
		"a job":                        {func(c *cluster) { flash(c, "jobs", job("it-2", "it")) }, true},
		"a job of another CronJob":     {func(c *cluster) { flash(c, "jobs", job("it-db-2", "it-db")) }, false},
		"jobs are listed anew":         {func(c *cluster) { c.loses("jobs", true) }, true},
		"the watch of jobs is resumed": {func(c *cluster) { c.loses("jobs", false) }, false},
	} {
		t.Run(name, func(t *testing.T) {
			jobs := new(cluster).has("jobs", job("it-1", "it"), job("manual", "it"), job("it-db-1", "it-db"))
			onPane(t, "cronjobs", jobs, func(t *testing.T, h *host) {
				h.ask(log.Options{})
				h.object(manifest{name: "it"})
				h.Wait(soon)
				h.Do(func() {
					time.Sleep(10 * time.Second)
					c.meanwhile(h.cluster)
					time.Sleep(20 * time.Second)
				})
				if got := slices.Contains(rows(h.last()), missedNote); got != c.missed {
					t.Errorf("missed: %t, want %t", got, c.missed)
				}
			})
		})
	}
}

// TestPolledGaps checks that pods may be missing at any time while their list is polled, and that the log says so once.
func TestPolledGaps(t *testing.T) {
	c := new(cluster).has("pods", newPod("web", "c"))
	c.deny = func(r wire.Request) *wire.Status {
		if r.Verb == wire.Watch {
			return &wire.Status{Origin: wire.FromAPIServer, Code: 403, Reason: wire.ReasonForbidden, Message: "no"}
		}
		return nil
	}
	onPane(t, "deployments.apps", c, func(t *testing.T, h *host) {
		h.object(selecting("app", "x"))
		h.ask(log.Options{Bars: 20})
		h.Wait(10 * time.Second)
		for range 2 {
			h.kubelet.write("web/c", time.Now().UTC().Format(time.RFC3339Nano)+" a line\n")
			h.Wait(time.Minute)
		}
		d := h.last()
		if got := rows(d); len(got) != 3 || !slices.Contains(got, missedNote) {
			t.Errorf("%q", got)
		}
		for i, b := range d.Histogram.Bars {
			if !b.Gap {
				t.Errorf("bar %d of %d is no gap", i, len(d.Histogram.Bars))
			}
		}
	})
}

// TestMissedInPast checks that a gap of the past is drawn at the moment that was shown.
func TestMissedInPast(t *testing.T) {
	at := time.Date(1990, 1, 1, 0, 0, 0, 0, time.UTC)
	onPane(t, "deployments.apps", new(cluster).has("pods", newPod("web", "c")), func(t *testing.T, h *host) {
		line := func() {
			h.kubelet.write("web/c", h.Moment.Format(time.RFC3339Nano)+" a line\n")
			h.Wait(soon)
		}
		h.Do(func() { h.Moment = at })
		h.object(selecting("app", "x"))
		h.ask(log.Options{Bars: 20})
		h.Wait(soon)
		line()
		h.Do(func() { // nobody updates the pane meanwhile
			h.cluster.loses("pods", true)
			time.Sleep(10 * time.Second)
			h.Moment = at.Add(time.Minute)
		})
		h.Wait(soon)
		line()
		if d := h.last(); !slices.ContainsFunc(d.Histogram.Bars, func(b log.Bar) bool { return b.Gap }) {
			t.Errorf("no gap: %+v", d.Histogram)
		}
	})
}
