package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"watchglass/e2e/proxy"
	"watchglass/internal/socket"
	"watchglass/internal/wire"
)

const (
	// unreadUsers open unreadLists each, and read none of them.
	unreadUsers = 64
	unreadLists = 200
	// unreadLasts is how long they stay.
	unreadLasts = 40 * time.Second
	// getEvery is how often the bystander asks, and aloneLasts how long while nobody else does.
	getEvery   = 50 * time.Millisecond
	aloneLasts = 10 * time.Second
)

// bystander is a user who asks the apiserver itself for one object, again and again.
type bystander struct {
	client *kubernetes.Clientset
	alone  sample // seconds that each answer took while nobody else asked
}

// bystand returns the bystander, who is the last of the users, after some time alone.
func (c *crowding) bystand(ctx context.Context) (*bystander, error) {
	config := c.cluster.ConfigFor(c.all[len(c.all)-1])
	config.QPS = -1
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	b := &bystander{client: client}
	b.alone, err = b.while(ctx, func() error { return stay(ctx, aloneLasts) })
	return b, err
}

// stay waits for a time.
func stay(ctx context.Context, lasts time.Duration) error {
	select {
	case <-time.After(lasts):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// during returns how many seconds each answer takes until done is closed.
func (b *bystander) during(ctx context.Context, done <-chan struct{}) (took sample, err error) {
	ticker := time.NewTicker(getEvery)
	defer ticker.Stop()
	for {
		select {
		case <-done:
			return took, nil
		case <-ticker.C:
		}
		began := time.Now()
		if _, err := b.client.CoreV1().ConfigMaps("default").Get(ctx, "config-0", metav1.GetOptions{}); err != nil {
			return took, err
		}
		took = append(took, time.Since(began).Seconds())
	}
}

// while measures the bystander's gets while something else goes on.
func (b *bystander) while(ctx context.Context, other func() error) (took sample, err error) {
	done, ended := make(chan struct{}), make(chan error, 1)
	go func() { ended <- other(); close(done) }()
	took, err = b.during(ctx, done)
	if err != nil {
		return took, err
	}
	return took, <-ended
}

// unread has users open lists that they never read, and prints what that takes from others, and from the proxy.
func (c *crowding) unread(ctx context.Context, stdout io.Writer, p *proxy.Proxy, b *bystander) error {
	took, err := b.while(ctx, func() error { return c.readNothing(ctx, p) })
	if err != nil {
		return err
	}
	fmt.Fprintf(stdout, "\n%d connections with %d unread lists each:\n", unreadUsers, unreadLists)
	return b.report(stdout, took, p)
}

// report prints how long the gets took, and how much memory the proxy took.
func (b *bystander) report(stdout io.Writer, took sample, p *proxy.Proxy) error {
	peak, err := statusKB(p.PID(), "VmHWM")
	fmt.Fprintf(stdout, "gets of others: %s; the proxy took %.0f MB at most\n", b.against(took), float64(peak)/1e6)
	return err
}

// against says how long gets took, and how long while nobody else asked.
func (b *bystander) against(took sample) string {
	return fmt.Sprintf("median %.1f ms, p99 %.1f ms; alone %.1f and %.1f ms, so p99 is %.1f ×", 1e3*took.median(), 1e3*took.quantile(.99), 1e3*b.alone.median(), 1e3*b.alone.quantile(.99), took.quantile(.99)/b.alone.quantile(.99))
}

// readNothing opens the lists of all users, and leaves after a while.
func (c *crowding) readNothing(ctx context.Context, p *proxy.Proxy) error {
	c.logf("users who read nothing")
	ctx, leave := context.WithCancel(ctx)
	var running sync.WaitGroup
	defer running.Wait()
	defer leave()
	for n := range min(unreadUsers, len(c.all)) {
		browser, err := proxy.SignIn(ctx, p.Origin(), c.all[n].Token, http.Header{"X-Forwarded-For": {fmt.Sprintf("10.1.0.%d", 1+n)}})
		if err != nil {
			return err
		}
		client := socket.New(socket.Options{Dial: browser.Dial})
		running.Go(func() { _ = client.Run(ctx) })
		for range unreadLists {
			running.Go(func() {
				_, _ = client.Open(ctx, wire.Request{Verb: wire.List, Version: "v1", Resource: "pods"}) // it is refused, or never read
			})
		}
	}
	return stay(ctx, unreadLasts)
}
