package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"watchglass/e2e/browser"
	"watchglass/e2e/cluster"
	"watchglass/e2e/proxy"
)

//go:embed changes.js
var changesScript string

const (
	// The pods that change while somebody looks are alone in their namespace, so
	// that all of them are on screen. The tab still has all pods of the cluster.
	changingNamespace = "bench-changing"
	changingPods      = 20

	changesPerSecond = 100
	changesFor       = 20 * time.Second
	quickChangesFor  = 3 * time.Second

	// clockLooks are enough that one of them is answered at once.
	clockLooks = 40
)

// makeChangingPods makes pods that run, each with one container.
func (b *bench) makeChangingPods(ctx context.Context) error {
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: changingNamespace}}
	if _, err := b.client.CoreV1().Namespaces().Create(ctx, ns, metav1.CreateOptions{}); err != nil {
		return err
	}
	pods := b.client.CoreV1().Pods(changingNamespace)
	for i := range changingPods {
		pod, err := pods.Create(ctx, &corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("changing-%02d", i)},
			Spec: corev1.PodSpec{
				NodeName:                     "node-1",
				AutomountServiceAccountToken: new(bool),
				Containers:                   []corev1.Container{{Name: "main", Image: "registry.example.com/app:1"}},
			},
		}, metav1.CreateOptions{})
		if err != nil {
			return err
		}
		now := metav1.Now()
		pod.Status.Phase = corev1.PodRunning
		pod.Status.ContainerStatuses = []corev1.ContainerStatus{{
			Name: "main", Image: "registry.example.com/app:1", Ready: true,
			State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: now}},
		}}
		if _, err := pods.UpdateStatus(ctx, pod, metav1.UpdateOptions{}); err != nil {
			return err
		}
	}
	return nil
}

// change is a row that changed on screen.
type change struct {
	Key, Status, Restarts string
	Changed, Painted      float64
}

// step is how many writes a row shows: the churn crashes a pod that runs, with one
// more restart, and has one that crashed run again.
func (c change) step() (int, error) {
	restarts, _, _ := strings.Cut(c.Restarts, " ") // of "3 (2s ago)"
	n, err := strconv.Atoi(restarts)
	if err != nil {
		return 0, fmt.Errorf("%s has %q restarts", c.Key, c.Restarts)
	}
	switch c.Status {
	case "Running":
		return 2 * n, nil
	case "CrashLoopBackOff":
		return 2*n - 1, nil
	}
	return 0, fmt.Errorf("%s is %q", c.Key, c.Status)
}

// changes measures from a write that the apiserver has answered to the cell that
// shows it.
func (b *bench) changes(ctx context.Context, r *report) error {
	return inTab(ctx, func(tab *browser.Tab) error { return b.changesIn(ctx, tab, b.proxy, r) })
}

// changesIn measures changes in a tab, at a proxy.
func (b *bench) changesIn(ctx context.Context, tab *browser.Tab, p *proxy.Proxy, r *report) error {
	if _, err := b.open(tab, p.At("/pods?n="+changingNamespace), "pods"); err != nil {
		return err
	}
	if err := tab.Await(fmt.Sprintf(`document.querySelectorAll(".row[data-key]:not([hidden])").length === %d`, changingPods), syncWithin); err != nil {
		return err
	}
	if _, err := browser.Eval[bool](tab, changesScript); err != nil {
		return err
	}
	ahead, err := clock(tab)
	if err != nil {
		return err
	}
	b.logf("the page's clock is %.2f ms ahead", ahead)
	before, err := b.stepsBefore(ctx)
	if err != nil {
		return err
	}
	writes, err := b.write(ctx)
	if err != nil {
		return err
	}
	seen, err := browser.Eval[[]change](tab, "benchChanges")
	if err != nil {
		return err
	}
	return r.latencies(before, writes, seen, ahead)
}

// clock is how much later it is in the page than here, in milliseconds.
func clock(tab *browser.Tab) (float64, error) {
	best, ahead := time.Duration(1<<62), 0.0
	for range clockLooks {
		sent := time.Now()
		there, err := browser.Eval[float64](tab, "performance.timeOrigin + performance.now()")
		if err != nil {
			return 0, err
		}
		if took := time.Since(sent); took < best {
			best, ahead = took, there-milliseconds(sent.Add(took/2))
		}
	}
	return ahead, nil
}

func milliseconds(t time.Time) float64 { return float64(t.UnixMicro()) / 1e3 }

// write changes the pods that are on screen, and returns the writes of each.
func (b *bench) write(ctx context.Context) (map[string][]cluster.Write, error) {
	var mu sync.Mutex
	writes := map[string][]cluster.Write{}
	flowing, stop := context.WithCancel(ctx)
	defer stop()
	churn, err := b.cluster.Churn(flowing, cluster.ChurnOptions{
		PerSecond: changesPerSecond, Mix: cluster.Mix{Status: 1}, Namespace: changingNamespace,
		Wrote: func(w cluster.Write) {
			mu.Lock()
			defer mu.Unlock()
			key := w.Namespace + "/" + w.Name
			writes[key] = append(writes[key], w)
		},
	})
	if err != nil {
		return nil, err
	}
	length := changesFor
	if b.quick {
		length = quickChangesFor
	}
	if err := sleep(ctx, length); err != nil {
		return nil, err
	}
	stop()
	if err := churn.Wait(); err != nil && !errors.Is(err, context.Canceled) {
		return nil, err
	}
	return writes, sleep(ctx, settle)
}

// stepsBefore returns how many writes each row shows already: the pods have changed for other tabs.
func (b *bench) stepsBefore(ctx context.Context) (map[string]int, error) {
	pods, err := b.client.CoreV1().Pods(changingNamespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	before := make(map[string]int)
	for _, p := range pods.Items {
		c := p.Status.ContainerStatuses[0]
		step := 2 * int(c.RestartCount)
		if c.State.Waiting != nil {
			step--
		}
		before[p.Namespace+"/"+p.Name] = step
	}
	return before, nil
}

// latencies finds for each write the first sight of it, or of a later one.
func (r *report) latencies(before map[string]int, writes map[string][]cluster.Write, seen []change, ahead float64) error {
	steps := map[string][]int{}
	byKey := map[string][]change{}
	for _, c := range seen {
		step, err := c.step()
		if err != nil {
			return err
		}
		steps[c.Key], byKey[c.Key] = append(steps[c.Key], step), append(byKey[c.Key], c)
	}
	for key, list := range writes {
		for i, w := range list {
			at := slices.IndexFunc(steps[key], func(step int) bool { return step > before[key]+i })
			if at < 0 {
				return fmt.Errorf("write %d of %d to %s was never painted", i+1, len(list), key)
			}
			c := byKey[key][at]
			r.changed = append(r.changed, c.Changed-ahead-milliseconds(w.Answered))
			r.painted = append(r.painted, c.Painted-ahead-milliseconds(w.Answered))
			r.fromSent = append(r.fromSent, c.Painted-ahead-milliseconds(w.Sent))
		}
	}
	return nil
}
