package main

import (
	"context"
	"crypto/rand"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"watchglass/e2e/cluster"
	"watchglass/e2e/proxy"
)

// crowdCommand has this program measure what happens when many users open their lists at once through one replica, and
// after that replica was killed, beside a client that asks the apiserver itself, for so many lists at a time.
const crowdCommand = "crowd"

// crowdLists are what each user opens, as group, version and resource.
var crowdLists = [][3]string{{"", "v1", "pods"}, {"apps", "v1", "deployments"}, {"", "v1", "configmaps"}}

// crowdBounds are how many lists the direct client asks for at a time, in the runs of which the best counts.
var crowdBounds = []int{4, 8, 16, 32}

// crowding is one run.
type crowding struct {
	users, pods int
	within      time.Duration
	log         io.Writer
	begin       time.Time

	cluster *cluster.Cluster
	all     []cluster.User
	dir     string
}

// measureCrowd is the whole command.
func measureCrowd(ctx context.Context, args []string, stdout, stderr io.Writer) (err error) {
	c := &crowding{log: stderr, begin: time.Now()}
	flags := flag.NewFlagSet("bench "+crowdCommand, flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.IntVar(&c.users, "users", 200, "how many users there are")
	flags.IntVar(&c.pods, "pods", 5000, "how many pods there are")
	flags.DurationVar(&c.within, "within", 5*time.Minute, "how long to wait until all lists are live")
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return nil
		}
		return err
	}
	if c.users < 1 || c.pods < 1 || c.within <= 0 || flags.NArg() > 0 {
		return errors.New("-users and -pods are at least 1, -within more than 0, and there are no arguments")
	}
	if c.dir, err = os.MkdirTemp("", "watchglass-crowd-"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(c.dir)) }()
	if err := c.start(ctx); err != nil {
		return errors.Join(err, c.close())
	}
	defer func() { err = errors.Join(err, c.close()) }()
	return c.measure(ctx, stdout)
}

// start starts the cluster, whose apiserver has its default fairness, and lets the users see everything.
func (c *crowding) start(ctx context.Context) error {
	for i := range c.users {
		c.all = append(c.all, cluster.User{Name: fmt.Sprintf("user-%03d", i), Groups: []string{"crowd"}, Token: rand.Text()})
	}
	binaries, err := cluster.Build(ctx, c.logf)
	if err != nil {
		return err
	}
	if c.cluster, err = cluster.Start(ctx, cluster.Options{Log: c.log, Binaries: binaries, Users: c.all}); err != nil {
		return err
	}
	if err := c.cluster.SeedPods(ctx, c.pods, cluster.PodOptions{}); err != nil {
		return err
	}
	client, err := kubernetes.NewForConfig(c.cluster.Config())
	if err != nil {
		return err
	}
	_, err = client.RbacV1().ClusterRoles().Create(ctx, &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: "crowd"}, Rules: []rbacv1.PolicyRule{
		{APIGroups: []string{"", "apps"}, Resources: []string{"*"}, Verbs: []string{"get", "list", "watch"}},
	}}, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	_, err = client.RbacV1().ClusterRoleBindings().Create(ctx, &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: "crowd"}, Subjects: []rbacv1.Subject{{Kind: "Group", APIGroup: rbacv1.GroupName, Name: "crowd"}},
		RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "crowd"},
	}, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	for i := range 20 {
		config := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprint("config-", i)}, Data: map[string]string{"config.yaml": "log: info\n"}}
		if _, err := client.CoreV1().ConfigMaps("default").Create(ctx, config, metav1.CreateOptions{}); err != nil {
			return err
		}
	}
	return nil
}

// measure measures the direct client, then the crowd, before and after its replica is killed, and what a bystander
// notices of it, and of users who read nothing.
func (c *crowding) measure(ctx context.Context, stdout io.Writer) error {
	fmt.Fprintf(stdout, "\nWatchglass bench, crowd: %d users × %d lists, %d pods, %s\n\n", c.users, len(crowdLists), c.pods, c.begin.UTC().Format("2006-01-02 15:04 MST"))
	best, err := c.bestDirect(ctx, stdout)
	if err != nil {
		return err
	}
	b, err := c.bystand(ctx)
	if err != nil {
		return err
	}
	p, metrics, err := c.serve(ctx)
	if err != nil {
		return err
	}
	defer p.Close()
	if err := c.comeAndGo(ctx, stdout, p, metrics, b, best); err != nil {
		return err
	}
	return c.unread(ctx, stdout, p, b)
}

// comeAndGo measures the crowd, which leaves at the end.
func (c *crowding) comeAndGo(ctx context.Context, stdout io.Writer, p *proxy.Proxy, metrics string, b *bystander, best time.Duration) error {
	c.logf("the crowd")
	t := newThrong(ctx)
	defer t.close()
	var opened course
	gets, err := b.while(ctx, func() (err error) {
		if err = t.gather(c.all, p); err == nil {
			opened, err = t.await(ctx, t.began, c.within)
		}
		return err
	})
	if err != nil {
		return err
	}
	fmt.Fprintf(stdout, "\nopened: all live after %.1f s, %.2f × the best direct client; live lists by the second: %v\n", opened.took.Seconds(), opened.took.Seconds()/best.Seconds(), opened.live)
	fmt.Fprintf(stdout, "sign-in: median %.2f s, p99 %.2f s, at most %.2f s\n", t.signs.median(), t.signs.quantile(.99), t.signs.quantile(1))
	if err := b.report(stdout, gets, p); err != nil {
		return err
	}
	requests, err := c.report(ctx, stdout, metrics)
	if err != nil {
		return err
	}
	lists := c.users * len(crowdLists)
	fmt.Fprintf(stdout, "requests for a list: %.2f; live lists fell by %d at most\n", float64(requests)/float64(lists), opened.fell)
	c.logf("the replica is killed")
	if err := errors.Join(p.Kill(), p.Start(ctx)); err != nil {
		return err
	}
	again, err := t.await(ctx, time.Now(), c.within)
	if err != nil {
		return err
	}
	fmt.Fprintf(stdout, "\nafter SIGKILL: all live after %.1f s; live lists by the second: %v; whole lists again: %d\n", again.took.Seconds(), again.live, t.relists())
	_, err = c.report(ctx, stdout, metrics)
	return err
}

// bestDirect measures the direct client with each of its bounds, and returns the shortest time.
func (c *crowding) bestDirect(ctx context.Context, stdout io.Writer) (best time.Duration, err error) {
	for _, bound := range crowdBounds {
		c.logf("the direct client, %d lists at a time", bound)
		d, err := c.direct(ctx, bound)
		if err != nil {
			return 0, err
		}
		fmt.Fprintf(stdout, "direct, %2d at a time: all live after %.1f s, %d requests, %d refused\n", bound, d.took.Seconds(), d.requests, d.refused)
		if best == 0 || d.took < best {
			best = d.took
		}
	}
	return best, nil
}

// serve starts a replica in token mode, and returns where its metrics are.
func (c *crowding) serve(ctx context.Context) (*proxy.Proxy, string, error) {
	listen, err := freeAddress(ctx)
	if err != nil {
		return nil, "", err
	}
	metrics, err := freeAddress(ctx)
	if err != nil {
		return nil, "", err
	}
	kubeconfig, err := c.cluster.Kubeconfig(cluster.Admin(), cluster.KubeconfigOptions{})
	if err != nil {
		return nil, "", err
	}
	key := make([]byte, 32)
	_, _ = rand.Read(key) // it never fails
	file := filepath.Join(c.dir, "key")
	if err := os.WriteFile(file, key, 0o600); err != nil {
		return nil, "", err
	}
	p, err := proxy.Start(ctx, proxy.Options{Kubeconfig: kubeconfig, Listen: listen, Args: []string{
		"--auth", "token", "--public-url", "http://" + listen, "--key-file", file, "--metrics-listen", metrics, "--front-cidr", "127.0.0.1/32",
	}})
	return p, "http://" + metrics + "/metrics", err
}

// freeAddress returns an address at which nobody listens.
func freeAddress(ctx context.Context) (string, error) {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}

// countedRequests finds the replica's requests to the apiserver in its metrics.
var countedRequests = regexp.MustCompile(`(?m)^watchglass_apiserver_requests_total\{code="(\w+)",verb="(\w+)"\} ([0-9.e+]+)$`)

// report prints the replica's requests to the apiserver since it was started, and returns how many are lists and watches.
func (c *crowding) report(ctx context.Context, stdout io.Writer, metrics string) (requests int, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, metrics, nil)
	if err != nil {
		return 0, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return 0, err
	}
	var words []string
	for _, m := range countedRequests.FindAllStringSubmatch(string(text), -1) {
		n, err := strconv.ParseFloat(m[3], 64)
		if err != nil {
			return 0, err
		}
		if n > 0 {
			words = append(words, fmt.Sprintf("%s %s: %.0f", m[2], m[1], n))
		}
		if m[2] == "watch" || m[2] == "list" {
			requests += int(n)
		}
	}
	slices.Sort(words)
	fmt.Fprintf(stdout, "requests at the apiserver: %s\n", strings.Join(words, ", "))
	return requests, nil
}

func (c *crowding) close() error {
	if c.cluster == nil {
		return nil
	}
	return c.cluster.Stop()
}

func (c *crowding) logf(format string, args ...any) {
	fmt.Fprintf(c.log, "bench: %5.0f s  %s\n", time.Since(c.begin).Seconds(), fmt.Sprintf(format, args...))
}
