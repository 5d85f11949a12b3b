package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"k8s.io/client-go/rest"

	"watchglass/e2e/cluster"
)

const (
	busyConnections = 200
	eventsPerSecond = 100

	// relayedMost are the events that are relayed in a second, to all watchers together.
	// With four times as many, two cores are full: of the apiserver, the relay and the
	// watchers. Then nothing is measured but who waits, and the apiserver lets go.
	relayedMost = 5000

	// spreadFor is how long events flow that go to few each.
	spreadFor = 10 * time.Second

	// turnAttempts are how often a turn is begun.
	turnAttempts = 3

	// heardWithin is how long the last event may be on its way, and heardLook how
	// often is looked whether it has come.
	heardWithin = 30 * time.Second
	heardLook   = 5 * time.Millisecond
)

// besideConnections are how many watch beside each other.
var besideConnections = []int{1, 50, busyConnections}

// relay is a program that hands the apiserver's watches on.
type relay interface {
	PID() int
	// follow watches the pods of a namespace, for somebody of the crowd.
	follow(ctx context.Context, c *crowd, namespace string) error
	Close() error
}

// contender is a relay that takes turns with others, and the form in which it asks.
type contender struct {
	name  string
	form  form
	start func(ctx context.Context, c *connections, as form) (relay, error)
}

// pace is how many events a second as many watchers are made to hear, all the same.
func (c *connections) pace(watchers int) int { return min(eventsPerSecond, c.most/watchers) }

func startOurs(ctx context.Context, c *connections, _ form) (relay, error) {
	return startTabs(ctx, c.kubeconfig)
}

func startTheirs(ctx context.Context, c *connections, as form) (relay, error) {
	return startKubectl(ctx, c.kubectl, c.kubeconfig, as)
}

// contenders are whose figures stand beside each other; the first is ours.
var contenders = []contender{
	{"Watchglass", protobufForm, startOurs},
	{"kubectl proxy, JSON", jsonForm, startTheirs},
	{"kubectl proxy, protobuf", protobufForm, startTheirs},
}

// turn is whose it is, and before how many watchers.
type turn struct {
	contender, watchers int
}

// relayed is what a relay took for a while of events.
type relayed struct {
	watchers  int
	heard     int // events, each once for everybody who heard of it
	took      time.Duration
	processor time.Duration
	apiserver time.Duration // its processor time, for the writes and for all who watch it
	machine   float64       // how busy all of it was, in percent
	resident  float64
	bytes     float64 // of an event, as it came
	latency   sample  // ms
}

// per1000 is the processor time for 1,000 events relayed, in milliseconds.
func (l relayed) per1000() float64 {
	return 1000 * l.processor.Seconds() * 1e3 / float64(l.heard)
}

// apiserverPer1000 is the same of the apiserver.
func (l relayed) apiserverPer1000() float64 {
	return 1000 * l.apiserver.Seconds() * 1e3 / float64(l.heard)
}

// spread is many tabs, each of which hears what happens in its own namespace.
func (c *connections) spread(ctx context.Context, all *crowded) (err error) {
	length := spreadFor
	if c.quick {
		length = c.length
	}
	churn := cluster.ChurnOptions{PerSecond: eventsPerSecond}
	all.apart, err = c.turn(ctx, contenders[0], c.tenth(busyConnections), length, churn, func(i int) string {
		return c.namespaces[i%len(c.namespaces)]
	})
	return err
}

// beside has the contenders relay the same to as many, one after the other. Who
// begins changes from round to round.
func (c *connections) beside(ctx context.Context, all *crowded) error {
	ordinary := func(int) string { return c.ordinary() }
	for round := range c.rounds {
		for _, watchers := range besideConnections {
			for i := range contenders {
				who := (round + i) % len(contenders)
				churn := cluster.ChurnOptions{PerSecond: float64(c.pace(watchers)), Namespace: c.ordinary()}
				l, err := c.turn(ctx, contenders[who], watchers, c.length, churn, ordinary)
				if err != nil {
					return fmt.Errorf("%s, %d watchers: %w", contenders[who].name, watchers, err)
				}
				c.logf("%s, %d watchers: %.1f ms of processor for 1,000 events, p99 %.1f ms", contenders[who].name, watchers, l.per1000(), l.latency.quantile(0.99))
				key := turn{who, watchers}
				all.turns[key] = append(all.turns[key], l)
			}
		}
	}
	return nil
}

// turn is one attempt that nothing came between. The apiserver lets watchers go that
// take too long, as they do when the machine is full; then it is begun anew.
func (c *connections) turn(ctx context.Context, who contender, watchers int, length time.Duration, churn cluster.ChurnOptions, of func(i int) string) (l relayed, err error) {
	for range turnAttempts {
		before, err := c.letGo(ctx)
		if err != nil {
			return l, err
		}
		l, failed := c.attempt(ctx, who, watchers, length, churn, of)
		after, err := c.letGo(ctx)
		if failed == nil || err != nil || after == before {
			return l, errors.Join(failed, err)
		}
		c.logf("%s, %d watchers: the apiserver let %.0f go, which were too slow: once more", who.name, watchers, after-before)
	}
	return l, fmt.Errorf("%d times the apiserver let watchers go, which were too slow", turnAttempts)
}

// letGo is how many slow watchers the apiserver has let go so far.
func (c *connections) letGo(ctx context.Context) (float64, error) {
	doc, err := c.metrics(ctx)
	if err != nil {
		return 0, err
	}
	n, _, err := sumOf(doc, "apiserver_terminated_watchers_total", `resource="pods"`)
	return n, err
}

// attempt is a fresh relay, and as many who watch the namespaces that they are given.
// Beside them a client of the apiserver itself watches in the same form.
func (c *connections) attempt(ctx context.Context, who contender, watchers int, length time.Duration, churn cluster.ChurnOptions, of func(i int) string) (l relayed, err error) {
	r, err := who.start(ctx, c, who.form)
	if err != nil {
		return l, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	crowd, straight := newCrowd(ctx), newCrowd(ctx)
	defer straight.close()
	defer crowd.close()
	err = gather(ctx, watchers, func(ctx context.Context, i int) error { return r.follow(ctx, crowd, of(i)) })
	client, also := rest.HTTPClientFor(c.cluster.Config())
	if err = errors.Join(err, also); err != nil {
		return l, err
	}
	defer client.CloseIdleConnections()
	if err := straight.watch(client, c.cluster.URL(), who.form, churn.Namespace); err != nil {
		return l, err
	}
	if err := errors.Join(crowd.settle(), straight.settle()); err != nil {
		return l, err
	}
	return c.carry(ctx, r.PID(), crowd, straight, churn, length)
}

// carry writes for a while, until everybody has heard of everything.
func (c *connections) carry(ctx context.Context, pid int, crowd, straight *crowd, churn cluster.ChurnOptions, length time.Duration) (l relayed, err error) {
	before, err := processors(pid, c.cluster.APIServerPID())
	usedBefore, wholeBefore, also := machine()
	if err := errors.Join(err, also); err != nil {
		return l, err
	}
	begin := time.Now()
	writes, err := c.write(ctx, churn, length)
	if err != nil {
		return l, err
	}
	if err := errors.Join(crowd.hear(writes), straight.hear(writes)); err != nil {
		return l, err
	}
	after, err := processors(pid, c.cluster.APIServerPID())
	used, whole, also := machine()
	if err := errors.Join(err, also); err != nil {
		return l, err
	}
	l.machine = 100 * float64(used-usedBefore) / float64(whole-wholeBefore)
	l.watchers, l.took = len(crowd.watchers), time.Since(begin)
	l.processor, l.apiserver = after[0]-before[0], after[1]-before[1]
	if l.resident, err = resident(pid); err != nil {
		return l, err
	}
	for _, w := range crowd.watchers {
		l.add(w, straight.watchers[0], writes)
	}
	l.bytes /= float64(l.heard)
	return l, nil
}

// add adds what one watcher heard, and how much later than who watches the
// apiserver itself.
func (l *relayed) add(w, straight *watcher, writes []cluster.Write) {
	for _, write := range writes {
		there, heard := w.when(write.ResourceVersion)
		here, also := straight.when(write.ResourceVersion)
		if heard && also {
			l.heard++
			l.latency = append(l.latency, float64(there.Sub(here))/float64(time.Millisecond))
		}
	}
	l.bytes += float64(w.size())
}

// write changes pods for a while, and tells what it wrote.
func (c *connections) write(ctx context.Context, o cluster.ChurnOptions, length time.Duration) (writes []cluster.Write, err error) {
	var mu sync.Mutex
	o.Mix, o.Direct = cluster.Mix{Status: 1}, true
	o.Wrote = func(w cluster.Write) {
		mu.Lock()
		defer mu.Unlock()
		writes = append(writes, w)
	}
	flowing, stop := context.WithTimeout(ctx, length)
	defer stop()
	churn, err := c.cluster.Churn(flowing, o)
	if err != nil {
		return nil, err
	}
	if err := churn.Wait(); err != nil {
		return nil, err
	}
	if counts := churn.Counts(); counts.Failed+counts.Dropped > 0 {
		return nil, fmt.Errorf("of %d writes %d failed and %d were dropped", counts.Status, counts.Failed, counts.Dropped)
	}
	return writes, ctx.Err()
}

// hear waits until everybody has heard of all that was written.
func (c *crowd) hear(writes []cluster.Write) error {
	late := time.Now().Add(heardWithin)
	for _, w := range c.watchers {
		for _, write := range writes {
			for w.wants(write.Namespace) {
				if _, heard := w.when(write.ResourceVersion); heard {
					break
				}
				if time.Now().After(late) {
					return fmt.Errorf("version %s of a pod in %s never came", write.ResourceVersion, write.Namespace)
				}
				if err := sleep(c.ctx, heardLook); err != nil {
					return context.Cause(c.ctx)
				}
			}
		}
	}
	return nil
}
