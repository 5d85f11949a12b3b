package oracle

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"watchglass/e2e/cluster"
	"watchglass/internal/apiserver"
	"watchglass/internal/informer"
	"watchglass/internal/object"
	"watchglass/internal/reflector"
	"watchglass/internal/relay"
	"watchglass/internal/socket"
	"watchglass/internal/wire"
)

// gauges is the custom kind that is followed beside the pods.
var gauges = object.Kind{Group: "oracle.example.com", Version: "v1", Resource: "gauges", Name: "Gauge", Namespaced: true}

// tab is what runs in a browser's tab, and the relay behind it: the informers of two
// sources over a socket in memory, and real connections to the apiserver. All of
// them are cut.
type tab struct {
	cutter       *cutter
	target       *apiserver.Target
	client       *socket.Client
	pods, gauges *follower
}

// openTab runs a tab until the test ends.
func openTab(t *testing.T, c *cluster.Cluster, seed uint64) *tab {
	t.Helper()
	b := &tab{cutter: newCutter(t, strings.TrimPrefix(c.URL(), "https://"), seed)}
	kubeconfig, err := c.Kubeconfig(viewer, cluster.KubeconfigOptions{
		Path: fmt.Sprintf("%s/kubeconfig", t.TempDir()), Server: "https://" + b.cutter.listener.Addr().String(),
	})
	if err != nil {
		t.Fatal(err)
	}
	if b.target, err = apiserver.Load(apiserver.Options{Kubeconfig: kubeconfig, UserAgent: "watchglass/oracle"}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	t.Cleanup(func() { cancel(); running.Wait() })
	b.client = socket.New(socket.Options{Dial: func(context.Context) (socket.Connection, error) {
		near, far := b.cutter.pipe()
		let := b.cutter.hold(far)
		running.Go(func() {
			defer let()
			_ = relay.Serve(ctx, far, relay.Options{Upstream: relay.Upstream{Base: b.target.Base, Transport: b.target.Transport, Heard: b.target.Pulse.Heard}})
		})
		return socket.Connection{Conn: near}, nil
	}})
	pods, _ := object.Builtin("pods")
	b.pods, b.gauges = b.follow(pods, ""), b.follow(gauges, wire.EncodingTable)
	running.Go(func() { b.target.Pulse.Run(ctx) })
	running.Go(func() { _ = b.client.Run(ctx) })
	for _, f := range b.followers() {
		running.Go(func() { f.informer.Run(ctx) })
	}
	return b
}

func (b *tab) followers() []*follower { return []*follower{b.pods, b.gauges} }

// wake is what the page does when the network is back, or somebody looks at it again.
func (b *tab) wake() {
	b.client.Wake()
	for _, f := range b.followers() {
		f.informer.Wake()
	}
}

// follower is a source, and a subscriber that keeps what it is told.
type follower struct {
	tab      *tab
	kind     object.Kind
	informer *informer.Informer[*object.Object]
	stirred  chan struct{} // one place: the store changed

	mu      sync.Mutex
	told    map[string]*object.Object
	deleted map[string]bool // of which it was told that they were deleted; whether that was missed
	wrong   string          // what it was told that makes no sense, first
	errors  []error         // that cost a wait, a new watch or a new list
}

func (b *tab) follow(kind object.Kind, encoding wire.Encoding) *follower {
	decoder := object.NewDecoder(kind, true)
	f := &follower{
		tab: b, kind: kind, stirred: make(chan struct{}, 1),
		told: make(map[string]*object.Object), deleted: make(map[string]bool),
	}
	f.informer = informer.New(informer.Options[*object.Object]{
		Source:  reflector.SourceFunc(func(ctx context.Context, r wire.Request) (reflector.Stream, error) { return b.client.Open(ctx, r) }),
		Decoder: decoder,
		Request: wire.Request{Group: kind.Group, Version: kind.Version, Resource: kind.Resource, Encoding: encoding},
		Key:     (*object.Object).Key, Version: (*object.Object).Version, Namespace: (*object.Object).Namespace,
		Same: func(a, b *object.Object) bool { return a.Stamp() == b.Stamp() && a.Layout() == b.Layout() },
		Checks: reflector.Checks[*object.Object]{
			Cluster:   b.cluster,
			Stamp:     (*object.Object).Stamp,
			ReadStamp: readStamp,
			Renewed:   decoder.Renew,
		},
		Failed: f.failed,
	})
	f.informer.Subscribe(func(changes []informer.Change[*object.Object]) {
		for _, c := range changes {
			f.note(c)
		}
		select {
		case f.stirred <- struct{}{}:
		default:
		}
	})
	return f
}

// cluster names the cluster, as the worker does.
func (b *tab) cluster(ctx context.Context) (string, error) {
	doc, err := b.client.Get(ctx, wire.Request{Verb: wire.Get, Version: "v1", Resource: "namespaces", Name: "kube-system"})
	if err != nil {
		return "", err
	}
	id, err := object.ReadIdentity(doc)
	return id.UID, err
}

func readStamp(payload []byte) (key, stamp string, err error) {
	id, err := object.ReadIdentity(payload)
	return id.Key(), id.Stamp(), err
}

func (f *follower) failed(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.errors = append(f.errors, err)
}

// failedWith reports whether an error with such words was met.
func (f *follower) failedWith(words string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, err := range f.errors {
		if strings.Contains(err.Error(), words) {
			return true
		}
	}
	return false
}

// note does what it is told, and holds that it begins where the last change of the
// key ended.
func (f *follower) note(c informer.Change[*object.Object]) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.told[c.Key] != c.Before && f.wrong == "" {
		f.wrong = fmt.Sprintf("%s: it was told of %v to %v, and had %v", c.Key, c.Before, c.After, f.told[c.Key])
	}
	if f.told[c.Key] = c.After; c.After == nil {
		delete(f.told, c.Key)
		f.deleted[c.Key] = c.Final == c.Before
	}
}

// toldNow is what the subscriber has been told so far.
func (f *follower) toldNow() (told map[string]string, wrong string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	told = make(map[string]string, len(f.told))
	for key, o := range f.told {
		told[key] = o.Stamp()
	}
	return told, f.wrong
}

// hears compares what the subscriber was told with what the store holds at a version,
// if the store is still there.
func (f *follower) hears(ctx context.Context, objects []*object.Object, version string) (drained bool, wrong string) {
	var told map[string]string
	f.informer.Reported(func() { told, wrong = f.toldNow() })
	if wrong != "" {
		return true, wrong
	}
	if _, now, err := f.informer.Store().Snapshot(ctx); err != nil || now != version {
		return false, ""
	}
	stored := make(map[string]string, len(objects))
	for _, o := range objects {
		stored[o.Key()] = o.Stamp()
	}
	return true, difference(told, stored)
}

// freshness is the state that the page would show, and why.
func (f *follower) freshness() (informer.Freshness, *wire.Status) {
	l, now := f.tab.client.Link(), time.Now()
	fresh, _, cause := informer.Fresh(f.informer.State(now), informer.Link{Connected: l.Connected, Heard: l.Heard, Online: true, Err: l.Err}, now)
	return fresh, cause
}
