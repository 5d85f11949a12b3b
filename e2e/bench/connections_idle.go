package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"time"

	"golang.org/x/sync/errgroup"
)

const (
	idleConnections = 1000
	idleFor         = 30 * time.Second

	// comers are how many connect at once.
	comers = 32
)

// idleResources are what each tab watches.
var idleResources = []string{"pods", "services", "configmaps"}

// idle is what connections cost to which nothing comes.
type idle struct {
	connections   int
	before, after float64       // bytes resident; after: when they have been at rest for a while
	took          time.Duration // until the last one had what is there
	processor     float64       // of one, in percent
	apiserver     float64       // the same of the apiserver, more than without them
	upstream      int           // connections to the apiserver
	watches       float64       // that the apiserver has more than before
	reviews       float64       // a second: may a user still watch that?
}

// rest opens many tabs in namespaces in which nothing happens.
func (c *connections) rest(ctx context.Context, all *crowded) (err error) {
	t, err := startTabs(ctx, c.kubeconfig)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, t.Close()) }()
	all.idle.connections = c.tenth(idleConnections)
	watchesBefore, _, err := c.served(ctx)
	if err != nil {
		return err
	}
	apiserver, err := spending(ctx, restFor, c.cluster.APIServerPID())
	if err != nil {
		return err
	}
	if all.idle.before, err = resident(t.PID()); err != nil {
		return err
	}
	begin := time.Now()
	crowd := newCrowd(ctx)
	defer crowd.close()
	err = gather(ctx, all.idle.connections, func(ctx context.Context, i int) error {
		return t.open(ctx, crowd, c.namespaces[i%len(c.namespaces)], idleResources...)
	})
	if err = errors.Join(err, crowd.settle()); err != nil {
		return err
	}
	all.idle.took = time.Since(begin)
	c.logf("%d connections are live after %s", all.idle.connections, all.idle.took.Round(time.Millisecond))
	if err := c.look(ctx, t, &all.idle); err != nil {
		return err
	}
	all.idle.apiserver -= apiserver[0]
	all.idle.watches -= watchesBefore
	return context.Cause(crowd.ctx)
}

// look looks at a proxy and the apiserver while nothing happens.
func (c *connections) look(ctx context.Context, t *tabs, i *idle) error {
	if err := sleep(ctx, restWithin); err != nil {
		return err
	}
	length := idleFor
	if c.quick {
		length /= 10
	}
	_, reviewsBefore, err := c.served(ctx)
	if err != nil {
		return err
	}
	spent, err := spending(ctx, length, t.PID(), c.cluster.APIServerPID())
	if err != nil {
		return err
	}
	i.processor, i.apiserver = spent[0], spent[1]
	if i.after, err = resident(t.PID()); err != nil {
		return err
	}
	server, err := url.Parse(c.cluster.URL())
	if err != nil {
		return err
	}
	port, err := strconv.Atoi(server.Port())
	if err != nil {
		return err
	}
	if i.upstream, err = connectionsTo(t.PID(), port); err != nil {
		return err
	}
	var reviews float64
	i.watches, reviews, err = c.served(ctx)
	i.reviews = (reviews - reviewsBefore) / length.Seconds()
	return err
}

// spending is how busy processes are over a while, in percent of a processor.
func spending(ctx context.Context, length time.Duration, pids ...int) ([]float64, error) {
	begin := time.Now()
	before, err := processors(pids...)
	if err != nil {
		return nil, err
	}
	if err := sleep(ctx, length); err != nil {
		return nil, err
	}
	after, err := processors(pids...)
	took := time.Since(begin)
	var percents []float64
	for i := range after {
		percents = append(percents, 100*float64(after[i]-before[i])/float64(took))
	}
	return percents, err
}

// served is what the apiserver's own metrics say: how many watches it has to serve, and
// how many reviews it has answered.
func (c *connections) served(ctx context.Context) (watches, reviews float64, err error) {
	doc, err := c.metrics(ctx)
	if err != nil {
		return 0, 0, err
	}
	watches, found, err := sumOf(doc, "apiserver_longrunning_requests", `verb="WATCH"`)
	if err != nil || !found {
		return 0, 0, errors.Join(err, errors.New("the apiserver does not tell of its watches"))
	}
	reviews, _, err = sumOf(doc, "apiserver_request_total", `resource="selfsubjectaccessreviews"`)
	return watches, reviews, err
}

// metrics is what the apiserver tells of itself.
func (c *connections) metrics(ctx context.Context) (string, error) {
	doc, err := c.client.Discovery().RESTClient().Get().AbsPath("/metrics").DoRaw(ctx)
	if err != nil {
		return "", fmt.Errorf("the apiserver's metrics: %w", err)
	}
	return string(doc), nil
}

// gather has many come, some at a time.
func gather(ctx context.Context, n int, come func(ctx context.Context, i int) error) error {
	ctx, cancel := context.WithTimeout(ctx, settleWithin)
	defer cancel()
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(comers)
	for i := range n {
		group.Go(func() error { return come(ctx, i) })
	}
	return group.Wait()
}
