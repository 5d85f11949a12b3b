package tabs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"watchglass/e2e/proxy"
	"watchglass/e2e/stage"
	"watchglass/internal/object"
	"watchglass/internal/socket"
	"watchglass/internal/wire"
)

// changes are the changes that a tab was told of, as type and version.
type changes struct {
	mu  sync.Mutex
	all []string
}

func (c *changes) add(typ string, version string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.all = append(c.all, typ+" "+version)
}

func (c *changes) list() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.all)
}

// connect signs a browser in, and watches ConfigMaps on a connection of its own. Like a tab, it goes on where it
// was when a watch ends, as it may on a busy machine.
func connect(t *testing.T, p *proxy.Proxy, ns string) *changes {
	t.Helper()
	browser, err := p.SignIn(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	client := socket.New(socket.Options{Dial: browser.Dial})
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	t.Cleanup(func() { cancel(); running.Wait() })
	running.Go(func() { _ = client.Run(ctx) })
	request := wire.InitialWatch("", "v1", "configmaps", ns)
	stream, err := client.Open(ctx, request)
	if err != nil {
		t.Fatal(err)
	}
	c, settled := new(changes), make(chan struct{})
	running.Go(func() {
		for ctx.Err() == nil {
			batch, err := stream.Next(ctx)
			if errors.Is(err, io.EOF) {
				if stream, err = client.Open(ctx, request); err == nil {
					continue
				}
			}
			if err != nil {
				if ctx.Err() == nil {
					t.Errorf("a watch failed: %v", err)
				}
				return
			}
			for _, e := range batch.Events {
				if e.Type == wire.Bookmark && request.SendInitialEvents {
					request.SendInitialEvents, request.ResourceVersionMatch = false, ""
					close(settled)
				}
				if e.Type == wire.Bookmark {
					request.ResourceVersion, _, _ = object.ReadBookmark(e.Payload)
				} else if id, err := object.ReadIdentity(e.Payload); err == nil && !request.SendInitialEvents {
					request.ResourceVersion = id.Version
					c.add(map[wire.EventType]string{wire.Added: "ADDED", wire.Modified: "MODIFIED", wire.Deleted: "DELETED"}[e.Type], id.Version)
				}
			}
			stream.Credit(batch.Bytes)
		}
	})
	<-settled
	return c
}

// oracle watches with client-go, without Watchglass.
func oracle(t *testing.T, ns string) *changes {
	t.Helper()
	list, err := stage.Admin.CoreV1().ConfigMaps(ns).List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	w, err := stage.Admin.CoreV1().ConfigMaps(ns).Watch(t.Context(), metav1.ListOptions{ResourceVersion: list.ResourceVersion})
	if err != nil {
		t.Fatal(err)
	}
	c, done := new(changes), make(chan struct{})
	t.Cleanup(func() { w.Stop(); <-done })
	go func() {
		defer close(done)
		for e := range w.ResultChan() {
			if m, err := meta.Accessor(e.Object); err == nil { // else the test has ended
				c.add(string(e.Type), m.GetResourceVersion())
			}
		}
	}()
	return c
}

// rewrite makes a ConfigMap, changes it and deletes it.
func rewrite(t *testing.T, ns, name string, bytes int) {
	t.Helper()
	api := stage.Admin.CoreV1().ConfigMaps(ns)
	cm, err := api.Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{})
	if err == nil {
		cm.BinaryData = map[string][]byte{"filler": make([]byte, bytes)}
		_, err = api.Update(t.Context(), cm, metav1.UpdateOptions{})
	}
	if err == nil {
		err = api.Delete(t.Context(), name, metav1.DeleteOptions{})
	}
	if err != nil {
		t.Fatal(err)
	}
}

// configMapWatches returns how many watches of ConfigMaps the apiserver serves.
func configMapWatches(t *testing.T) (n int) {
	t.Helper()
	text, err := stage.Admin.Discovery().RESTClient().Get().AbsPath("/metrics").DoRaw(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`(?m)^apiserver_longrunning_requests\{.*resource="configmaps".*verb="WATCH".*\} (\d+)`).FindAllSubmatch(text, -1) {
		one, _ := strconv.Atoi(string(m[1]))
		n += one
	}
	return n
}

// TestSharedWatch opens six tabs in as many browsers of one user. The apiserver serves one watch for all
// of them, and each hears exactly what a watch of client-go hears, objects of 300 KB among it.
func TestSharedWatch(t *testing.T) {
	ns := stage.Namespace(t)
	p := stage.Serve(t, proxy.Options{})
	straight := oracle(t, ns)
	before := configMapWatches(t)
	var tabs []*changes
	for i := range 6 {
		tabs = append(tabs, connect(t, p, ns))
		if i == 1 {
			rewrite(t, ns, "early", 10)
		}
	}
	missed := len(straight.list()) // the last tabs list later than this
	together := func() bool {
		rewrite(t, ns, "meet", 10)
		return configMapWatches(t) == before+1
	}
	await(t, "one watch for all tabs", together)
	for i := range 40 {
		rewrite(t, ns, fmt.Sprintf("map-%d", i), 1+i*7500)
	}
	await(t, "one watch for all tabs at the end", together)
	want := straight.list
	await(t, "all events", func() bool {
		return len(want()) >= 3*40 && !slices.ContainsFunc(tabs, func(c *changes) bool {
			got := c.list()
			return len(got) == 0 || got[len(got)-1] != want()[len(want())-1]
		})
	})
	for i, tab := range tabs {
		got := tab.list()
		if len(got) < len(want())-missed || !slices.Equal(got, want()[len(want())-len(got):]) {
			t.Errorf("tab %d heard\n%q\nand client-go\n%q", i, got, want())
		}
	}
}

// await waits until something holds.
func await(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for late := time.Now().Add(time.Minute); !holds(); {
		if time.Now().After(late) {
			t.Fatalf("waited too long for %s", what)
		}
		select {
		case <-time.After(50 * time.Millisecond):
		case <-t.Context().Done():
			t.FailNow()
		}
	}
}
