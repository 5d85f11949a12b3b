package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"k8s.io/client-go/kubernetes"

	"watchglass/e2e/browser"
	"watchglass/e2e/cluster"
	"watchglass/e2e/proxy"
)

// bench is one run.
type bench struct {
	options
	log   io.Writer
	begin time.Time

	cluster    *cluster.Cluster
	client     *kubernetes.Clientset
	kubeconfig string
	proxy      *proxy.Proxy
	idle       float64 // processor time that the apiserver takes for itself, of 1
	ownWatches float64 // of pods, that the apiserver has without anybody
}

func newBench(o options, log io.Writer) *bench {
	return &bench{options: o, log: log, begin: time.Now()}
}

// measure measures everything, one after the other.
func (b *bench) measure(ctx context.Context) (*report, error) {
	r := &report{Begin: b.begin.UTC(), Pods: b.pods, Rounds: b.rounds, Churn: b.churn}
	if err := b.start(ctx); err != nil {
		return nil, err
	}
	for _, part := range []struct {
		what string
		run  func(ctx context.Context, r *report) error
	}{
		{"what runs here", b.versions},
		{"warm up, and the apiserver at rest", b.warm},
		{"a tab with next to nothing", b.nothing},
		{"syncs", b.contest},
		{"filters", b.filters},
		{"details", b.details},
		{"changes on screen", b.changes},
		{"the proxy's memory", b.memory},
		{"busy", b.busy},
		{"a log", b.logs},
		{"the demo", b.demo},
	} {
		b.logf("%s", part.what)
		if err := part.run(ctx, r); err != nil {
			return nil, fmt.Errorf("%s: %w", part.what, err)
		}
	}
	return r, nil
}

// start starts what is measured, and fills it.
func (b *bench) start(ctx context.Context) (err error) {
	if b.cluster, err = cluster.StartSeeded(ctx, b.log, max(0, b.pods-changingPods)); err != nil {
		return err
	}
	if b.client, err = kubernetes.NewForConfig(b.cluster.Config()); err != nil {
		return err
	}
	if err = b.makeChangingPods(ctx); err != nil {
		return err
	}
	if b.kubeconfig, err = b.cluster.Kubeconfig(cluster.Admin(), cluster.KubeconfigOptions{}); err != nil {
		return err
	}
	b.proxy, err = proxy.Start(ctx, proxy.Options{Kubeconfig: b.kubeconfig})
	return err
}

// close ends what start started.
func (b *bench) close() (err error) {
	if b.proxy != nil {
		err = b.proxy.Close()
	}
	if b.cluster != nil {
		err = errors.Join(err, b.cluster.Stop())
	}
	return err
}

func (b *bench) logf(format string, args ...any) {
	fmt.Fprintf(b.log, "bench: %5.0f s  %s\n", time.Since(b.begin).Seconds(), fmt.Sprintf(format, args...))
}

// usage is what the apiserver did for somebody.
type usage struct {
	cpu   time.Duration // less what it takes for itself
	bytes float64       // written, nearly all of it to whom it was for
}

// spent is what the apiserver does while f runs.
func (b *bench) spent(f func() error) (u usage, err error) {
	pid, begin := b.cluster.APIServerPID(), time.Now()
	cpuBefore, err := cpu(pid)
	if err != nil {
		return u, err
	}
	bytesBefore, err := written(pid)
	if err != nil {
		return u, err
	}
	if err := f(); err != nil {
		return u, err
	}
	cpuAfter, err := cpu(pid)
	if err != nil {
		return u, err
	}
	bytesAfter, err := written(pid)
	own := time.Duration(b.idle * float64(time.Since(begin)))
	return usage{cpu: cpuAfter - cpuBefore - own, bytes: float64(bytesAfter - bytesBefore)}, err
}

// restFor is how long the apiserver is watched at rest.
const restFor = 5 * time.Second

// warm has the apiserver serve the list once, which its first reader pays for,
// and sees what it takes for itself.
func (b *bench) warm(ctx context.Context, r *report) error {
	result, err := runNative(ctx, b.kubeconfig, protobuf)
	if err != nil {
		return err
	}
	if !result.WatchList {
		return errors.New("client-go's WatchListClient is off")
	}
	if result.Objects != b.pods {
		return fmt.Errorf("there are %d pods, not %d", result.Objects, b.pods)
	}
	r.Versions.add("client-go's list", "as a watch (WatchListClient is on by default), QPS -1, protobuf is the typed client's default")
	if err := sleep(ctx, settle); err != nil {
		return err
	}
	u, err := b.spent(func() error { return sleep(ctx, restFor) })
	b.idle = u.cpu.Seconds() / restFor.Seconds()
	b.logf("the apiserver takes %.1f %% of a processor at rest", 100*b.idle)
	return err
}

// nothing visits a resource with one object: what a tab costs before its rows.
// The second visit, in the same profile, is what is not kept.
func (b *bench) nothing(ctx context.Context, r *report) error {
	return inTab(ctx, func(tab *browser.Tab) error {
		v, err := b.measured(tab, "services")
		if err != nil {
			return err
		}
		if err := v.inspect(tab, "services"); err != nil {
			return err
		}
		first, err := weight(tab)
		if err != nil {
			return err
		}
		again, err := tab.Beside()
		if err != nil {
			return err
		}
		defer again.Close()
		if _, err := b.open(again, b.proxy.Origin()+"/services", "services"); err != nil {
			return err
		}
		second, err := weight(again)
		r.bare = v
		r.download = row{Name: "download: everything", Unit: megabytes, Values: sample{first / 1e6}, Budget: &budget{Most: 2.8}}
		r.revisit = row{Name: "download: second visit", Unit: kilobytes, Values: sample{second / 1e3}, Budget: &budget{Most: 20}}
		return err
	})
}
