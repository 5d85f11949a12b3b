package identity

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"watchglass/e2e/proxy"
	"watchglass/e2e/stage"
	"watchglass/internal/informer"
	"watchglass/internal/object"
	"watchglass/internal/reflector"
	"watchglass/internal/socket"
	"watchglass/internal/wire"
)

const (
	browsersOpen = 8
	tabsEach     = 8

	// writeEvery is the pace of the writes to each of the two kinds: 50 objects/s in all.
	writeEvery = 40 * time.Millisecond
	// writesLater is how many writes lie between the creation of an object and its next write.
	writesLater = 53

	// resumesPerRelist is how many watches have to resume for each that is listed again: 99 %.
	resumesPerRelist = 99

	// crowdWithin is how long hundreds of tabs may take on a machine that runs other tests beside them.
	crowdWithin = 3 * time.Minute
)

// watchedKinds are the sources of each tab.
var watchedKinds = []string{"configmaps", "pods"}

// TestRollingRestart restarts two replicas in turn behind a round-robin balancer, and then kills
// one, while tabs watch and objects are written. Sessions stay valid, at most one watch in a
// hundred is listed again, and every store ends equal to a LIST.
func TestRollingRestart(t *testing.T) {
	replicas, front := replicasBehind(t, true)
	listen := func(p *proxy.Proxy) string { return strings.TrimPrefix(p.Origin(), "http://") }
	w := startWriting(t)
	c := openCrowd(t, front.origin())
	c.awaitLive("the tabs are open")
	for _, p := range replicas {
		if n := front.connections(listen(p)); n < c.size()/4 {
			t.Errorf("%d of %d tabs are at %s: the balancer does not balance", n, c.size(), p.Origin())
		}
	}

	for i, p := range replicas {
		tabs, written := front.connections(listen(p)), w.count.Load()
		must(t, p.Terminate())
		must(t, p.Start(t.Context()))
		stage.WaitFor(t, "the restarted replica is ready", func() bool { return isReady(listen(p)) })
		t.Logf("replica %d with %d tabs restarted during %d writes", i+1, tabs, w.count.Load()-written)
	}

	c.awaitLive("both replicas have restarted")
	victim, survivor := replicas[0], replicas[1]
	if front.connections(listen(survivor)) > front.connections(listen(victim)) {
		victim, survivor = survivor, victim
	}
	t.Logf("a replica with %d tabs is killed", front.connections(listen(victim)))
	must(t, victim.Kill())
	stage.WaitFor(t, "every tab is at the other replica", func() bool { return front.connections(listen(survivor)) >= c.size() })
	c.awaitLive("a replica was killed")
	must(t, victim.Start(t.Context()))
	stage.WaitFor(t, "the killed replica is ready again", func() bool { return isReady(listen(victim)) })

	w.stop()
	c.awaitEqual()
	for i, b := range c.browsers {
		for _, p := range replicas {
			if err := b.Check(t.Context(), p.Origin()); err != nil {
				t.Errorf("the session of browser %d is not valid at %s: %v", i, p.Origin(), err)
			}
		}
	}
	c.report(w.count.Load())
}

// crowd is browsers with native tabs: no Chromium, but the informers and the socket of a tab.
type crowd struct {
	*testing.T
	browsers []*proxy.Browser
	tabs     []*socket.Client
	sources  []*followed

	mu     sync.Mutex
	failed map[string]int // errors of the sources, and how often
}

// followed is a source of a tab.
type followed struct {
	client   *socket.Client
	resource string
	opened   atomic.Int64 // when the last watch was accepted, in Unix nanoseconds
	*informer.Informer[*object.Object]
}

// source returns where the informer reads from.
func (f *followed) source(ctx context.Context, r wire.Request) (reflector.Stream, error) {
	stream, err := f.client.Open(ctx, r)
	if err == nil && r.Verb == wire.Watch {
		f.opened.Store(time.Now().UnixNano())
	}
	return stream, err
}

// openCrowd signs in each browser once, alternately as one of two users, and opens its tabs. They
// run until the test ends.
func openCrowd(t *testing.T, origin string) *crowd {
	t.Helper()
	token, _ := account(t, "roller")
	c := &crowd{T: t, failed: make(map[string]int)}
	for i := range browsersOpen {
		b, err := proxy.SignIn(t.Context(), origin, []string{vera.Token, token}[i%2], nil)
		must(t, err)
		c.browsers = append(c.browsers, b)
		c.open(b.Dial, tabsEach, watchedKinds)
	}
	return c
}

// open opens tabs of a browser that dials, each of which watches some kinds until the test ends.
func (c *crowd) open(dial func(context.Context) (socket.Connection, error), tabs int, kinds []string) {
	c.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	c.Cleanup(func() { cancel(); running.Wait() })
	for range tabs {
		client := socket.New(socket.Options{Dial: dial})
		c.tabs = append(c.tabs, client)
		running.Go(func() { _ = client.Run(ctx) })
		for _, resource := range kinds {
			f := c.follow(client, resource)
			c.sources = append(c.sources, f)
			running.Go(func() { f.Run(ctx) })
		}
	}
}

// follow returns the informer of a source, as the tab's worker has it.
func (c *crowd) follow(client *socket.Client, resource string) *followed {
	kind, _ := object.Builtin(resource)
	decoder := object.NewDecoder(kind, true)
	f := &followed{client: client, resource: resource}
	f.Informer = informer.New(informer.Options[*object.Object]{
		Source:  reflector.SourceFunc(f.source),
		Decoder: decoder,
		Request: wire.Request{Group: kind.Group, Version: kind.Version, Resource: kind.Resource},
		Key:     (*object.Object).Key, Version: (*object.Object).Version, Namespace: (*object.Object).Namespace,
		Same: func(a, b *object.Object) bool { return a.Stamp() == b.Stamp() && a.Layout() == b.Layout() },
		Checks: reflector.Checks[*object.Object]{
			Cluster: func(ctx context.Context) (string, error) {
				doc, err := client.Get(ctx, wire.Request{Verb: wire.Get, Version: "v1", Resource: "namespaces", Name: "kube-system"})
				if err != nil {
					return "", err
				}
				id, err := object.ReadIdentity(doc)
				return id.UID, err
			},
			Stamp: (*object.Object).Stamp,
			ReadStamp: func(payload []byte) (key, stamp string, err error) {
				id, err := object.ReadIdentity(payload)
				return id.Key(), id.Stamp(), err
			},
			Renewed: decoder.Renew,
		},
		Failed: c.note,
	})
	return f
}

func (c *crowd) note(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.failed[err.Error()]++
}

func (c *crowd) size() int { return len(c.tabs) }

// await waits until nothing is missing, and otherwise logs what is.
func (c *crowd) await(what string, missing func() string) {
	c.Helper()
	lacks := ""
	defer func() {
		if lacks != "" {
			c.mu.Lock()
			defer c.mu.Unlock()
			c.Logf("%s; the sources had these errors: %v", lacks, c.failed)
		}
	}()
	stage.WaitWithin(c.T, crowdWithin, what, func() bool {
		lacks = missing()
		return lacks == ""
	})
}

// awaitLive waits until every source is live.
func (c *crowd) awaitLive(since string) {
	c.Helper()
	c.await("every source is live since "+since, func() string {
		ill, first := 0, ""
		for i, f := range c.sources {
			if ails := f.ails(); ails != "" {
				ill++
				first = cmp.Or(first, fmt.Sprintf("source %d, of %s, is %s", i, f.resource, ails))
			}
		}
		if ill == 0 {
			return ""
		}
		return fmt.Sprintf("%d of %d sources are not live: %s", ill, len(c.sources), first)
	})
}

// ails returns why a source is not live, or "".
func (f *followed) ails() string {
	l, now := f.client.Link(), time.Now()
	fresh, _, cause := informer.Fresh(f.State(now), informer.Link{Connected: l.Connected, Heard: l.Heard, Online: true, Err: l.Err}, now)
	if fresh == informer.Live {
		return ""
	}
	return fmt.Sprint(fresh, ": ", cause)
}

// awaitEqual waits until every store holds what the apiserver lists: no object is lost, deleted
// but still there, or old.
func (c *crowd) awaitEqual() {
	c.Helper()
	c.await("every store equals a LIST", func() string {
		want := map[string]map[string]string{"configmaps": {}, "pods": {}}
		add := func(resource string, o metav1.Object) {
			want[resource][o.GetNamespace()+"/"+o.GetName()] = string(o.GetUID()) + " " + o.GetResourceVersion()
		}
		maps, err := stage.Admin.CoreV1().ConfigMaps("").List(c.Context(), metav1.ListOptions{})
		must(c.T, err)
		for i := range maps.Items {
			add("configmaps", &maps.Items[i])
		}
		pods, err := stage.Admin.CoreV1().Pods("").List(c.Context(), metav1.ListOptions{})
		must(c.T, err)
		for i := range pods.Items {
			add("pods", &pods.Items[i])
		}
		for i, f := range c.sources {
			if ails := f.ails(); ails != "" {
				return fmt.Sprintf("source %d, of %s, is %s", i, f.resource, ails)
			}
			if wrong := f.differs(want[f.resource]); wrong != "" {
				return fmt.Sprintf("source %d, of %s: %s", i, f.resource, wrong)
			}
		}
		return ""
	})
}

// differs returns how the store is not what is wanted, or "".
func (f *followed) differs(want map[string]string) string {
	have := make(map[string]string)
	for _, o := range f.Store().List() {
		have[o.Key()] = o.Stamp()
	}
	var wrong []string
	for key, stamp := range want {
		switch h, ok := have[key]; {
		case !ok:
			wrong = append(wrong, key+" is lost")
		case h != stamp:
			wrong = append(wrong, fmt.Sprintf("%s is %s instead of %s", key, h, stamp))
		}
	}
	for key := range have {
		if _, ok := want[key]; !ok {
			wrong = append(wrong, key+" is deleted, but still there")
		}
	}
	slices.Sort(wrong)
	return strings.Join(wrong, ", ")
}

// report prints how many watches resumed, and fails the test if too many were listed again.
func (c *crowd) report(written int64) {
	c.Helper()
	resumed, relisted := 0, 0
	for i, f := range c.sources {
		s := f.State(time.Now())
		resumed, relisted = resumed+s.Resumes, relisted+s.Relists
		if s.Resumes+s.Relists == 0 {
			c.Errorf("source %d, of %s, was never interrupted: this shows nothing", i, f.resource)
		}
	}
	c.Logf("%d watches resumed, %d relisted; %d tabs in %d browsers, %d writes", resumed, relisted, c.size(), len(c.browsers), written)
	if relisted*(resumesPerRelist+1) > resumed+relisted {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.Errorf("%d watches resumed and %d were listed again, want at most 1 %%; the sources had these errors: %v", resumed, relisted, c.failed)
	}
}

// writer creates, changes and deletes objects of the watched kinds.
type writer struct {
	count atomic.Int64
	stop  func() // returns when the last write is done
}

// startWriting starts a writer. With the test, it stops and its objects are deleted.
func startWriting(t *testing.T) *writer {
	t.Helper()
	ns := stage.Namespace(t)
	ctx, cancel := context.WithCancel(t.Context())
	w := &writer{}
	var running sync.WaitGroup
	w.stop = func() { cancel(); running.Wait() }
	t.Cleanup(func() {
		w.stop()
		if err := stage.Admin.CoreV1().ConfigMaps(ns).DeleteCollection(context.Background(), metav1.DeleteOptions{}, metav1.ListOptions{}); err != nil {
			t.Error(err)
		}
	})
	for _, resource := range watchedKinds {
		running.Go(func() {
			tick := time.NewTicker(writeEvery)
			defer tick.Stop()
			for n := 0; ; n++ {
				select {
				case <-tick.C:
				case <-ctx.Done():
					return
				}
				if err := write(context.WithoutCancel(ctx), ns, resource, n); err != nil {
					t.Errorf("write %d to %s: %v", n, resource, err)
					return
				}
				w.count.Add(1)
			}
		})
	}
	return w
}

// write makes the nth write to a kind. Each name is used once. Of three objects, one is changed later,
// one is deleted later, and one is only created, so that a store that misses any of these events
// differs for good.
func write(ctx context.Context, ns, resource string, n int) error {
	c, name := stage.Admin.CoreV1().RESTClient(), func(n int) string { return fmt.Sprint("rolling-", n) }
	switch old := n - writesLater; {
	case old >= 0 && n%5 == 3:
		patch := fmt.Sprintf(`{"metadata":{"labels":{"wave":"%d"}}}`, n)
		return c.Patch(types.MergePatchType).Namespace(ns).Resource(resource).Name(name(old)).Body([]byte(patch)).Do(ctx).Error()
	case old >= 0 && n%5 == 4:
		now := int64(0)
		return c.Delete().Namespace(ns).Resource(resource).Name(name(old)).Body(&metav1.DeleteOptions{GracePeriodSeconds: &now}).Do(ctx).Error()
	}
	return c.Post().Namespace(ns).Resource(resource).Body(written(resource, name(n))).Do(ctx).Error()
}

// written returns a new object of a kind.
func written(resource, name string) runtime.Object {
	meta := metav1.ObjectMeta{Name: name}
	if resource == "configmaps" {
		return &corev1.ConfigMap{ObjectMeta: meta}
	}
	return &corev1.Pod{ObjectMeta: meta, Spec: corev1.PodSpec{
		AutomountServiceAccountToken: new(bool),
		Containers:                   []corev1.Container{{Name: "main", Image: "registry.example/app:1"}},
	}}
}
