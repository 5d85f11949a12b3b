package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"watchglass/e2e/cluster"
)

// connectionsCommand has this program measure what many tabs cost the proxy, and
// what kubectl proxy takes for the same, in the place of the whole.
const connectionsCommand = "connections"

const (
	// The pods are spread over the namespaces, a few of which have most of them.
	connectionsPods       = 600
	connectionsNamespaces = 20

	// Beside its pods a namespace has a few of other kinds.
	servicesEach, configMapsEach = 2, 3
)

// connections is one run.
type connections struct {
	rounds  int
	length  time.Duration // of one load
	most    int           // events that are relayed in a second
	quick   bool
	log     io.Writer
	begin   time.Time
	kubectl string

	cluster    *cluster.Cluster
	client     *kubernetes.Clientset
	kubeconfig string
	namespaces []string // of the pods, those with fewest first
}

// crowded is what came of a run.
type crowded struct {
	versions versions
	idle     idle
	apart    relayed
	turns    map[turn][]relayed
	pace     func(watchers int) int
}

// measureConnections is the whole command.
func measureConnections(ctx context.Context, args []string, stdout, stderr io.Writer) (err error) {
	c := &connections{log: stderr, begin: time.Now()}
	flags := flag.NewFlagSet("bench "+connectionsCommand, flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.IntVar(&c.rounds, "rounds", 3, "how often each contender has its turn")
	flags.DurationVar(&c.length, "for", 2500*time.Millisecond, "how long events flow in a turn")
	flags.IntVar(&c.most, "relayed", relayedMost, "how many events a second are relayed at most, to all watchers of a namespace together")
	flags.BoolVar(&c.quick, "quick", false, "a tenth of the connections, and one round: to see that it runs")
	readme := flags.String("readme", "", "file to write the tables to, such as bench/README.md")
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return nil
		}
		return err
	}
	if c.rounds < 1 || c.length <= 0 || c.most < busyConnections || flags.NArg() > 0 {
		return fmt.Errorf("-rounds is at least 1, -for more than 0, -relayed at least %d, and there are no arguments", busyConnections)
	}
	if c.quick {
		c.rounds = 1
	}
	all, err := c.measure(ctx)
	if err = errors.Join(err, c.close()); err != nil {
		return err
	}
	fmt.Fprintf(stdout, "\nWatchglass bench, connections: %d rounds, %s\n", c.rounds, c.begin.UTC().Format("2006-01-02 15:04 MST"))
	if err := printReport(stdout, all.versions, all.sections(), connectionsNotes); err != nil || c.quick {
		return err
	}
	return keep(stdout, *readme, connectionsCommand, all.markdown(c.begin), all.sections())
}

// measure measures everything, one after the other.
func (c *connections) measure(ctx context.Context) (*crowded, error) {
	all := &crowded{turns: make(map[turn][]relayed), pace: c.pace}
	for _, part := range []struct {
		what string
		run  func(ctx context.Context, all *crowded) error
	}{
		{"the cluster", c.start},
		{"connections to which nothing comes", c.rest},
		{"connections each to its own namespace", c.spread},
		{"beside kubectl proxy", c.beside},
	} {
		c.logf("%s", part.what)
		if err := part.run(ctx, all); err != nil {
			return nil, fmt.Errorf("%s: %w", part.what, err)
		}
	}
	return all, nil
}

// start starts the cluster, and fills it.
func (c *connections) start(ctx context.Context, all *crowded) error {
	binaries, err := cluster.Build(ctx, c.logf)
	if err != nil {
		return err
	}
	c.kubectl = binaries.Kubectl
	if c.cluster, err = cluster.Start(ctx, cluster.Options{Log: c.log, Binaries: binaries}); err != nil {
		return err
	}
	if c.client, err = kubernetes.NewForConfig(c.cluster.Config()); err != nil {
		return err
	}
	if c.kubeconfig, err = c.cluster.Kubeconfig(cluster.Admin(), cluster.KubeconfigOptions{}); err != nil {
		return err
	}
	if err := c.cluster.SeedPods(ctx, connectionsPods, cluster.PodOptions{Namespaces: connectionsNamespaces}); err != nil {
		return err
	}
	if err := c.findNamespaces(ctx); err != nil {
		return err
	}
	for _, namespace := range c.namespaces {
		if err := c.furnish(ctx, namespace); err != nil {
			return err
		}
	}
	all.versions, err = c.versions()
	return err
}

// findNamespaces finds where the pods are.
func (c *connections) findNamespaces(ctx context.Context) error {
	pods, err := c.client.CoreV1().Pods("").List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	in := map[string]int{}
	for _, pod := range pods.Items {
		in[pod.Namespace]++
	}
	for namespace := range in {
		c.namespaces = append(c.namespaces, namespace)
	}
	slices.SortFunc(c.namespaces, func(a, b string) int { return in[a] - in[b] })
	if len(c.namespaces) != connectionsNamespaces {
		return fmt.Errorf("the pods are in %d namespaces", len(c.namespaces))
	}
	return nil
}

// ordinary is the namespace in the middle: neither the largest nor the smallest.
func (c *connections) ordinary() string { return c.namespaces[len(c.namespaces)/2] }

// furnish puts the other kinds into a namespace.
func (c *connections) furnish(ctx context.Context, namespace string) error {
	for i := range servicesEach {
		service := &corev1.Service{
			ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("service-%d", i)},
			Spec:       corev1.ServiceSpec{Ports: []corev1.ServicePort{{Port: 80}}},
		}
		if _, err := c.client.CoreV1().Services(namespace).Create(ctx, service, metav1.CreateOptions{}); err != nil {
			return err
		}
	}
	for i := range configMapsEach {
		config := &corev1.ConfigMap{
			ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("config-%d", i)},
			Data:       map[string]string{"config.yaml": "log: info\n"},
		}
		if _, err := c.client.CoreV1().ConfigMaps(namespace).Create(ctx, config, metav1.CreateOptions{}); err != nil {
			return err
		}
	}
	return nil
}

// close ends what start started.
func (c *connections) close() error {
	if c.cluster == nil {
		return nil
	}
	return c.cluster.Stop()
}

func (c *connections) logf(format string, args ...any) {
	fmt.Fprintf(c.log, "bench: %5.0f s  %s\n", time.Since(c.begin).Seconds(), fmt.Sprintf(format, args...))
}

// tenth is how many of n there are in a run that is only to be seen to run.
func (c *connections) tenth(n int) int {
	if c.quick {
		return max(n/10, 1)
	}
	return n
}
