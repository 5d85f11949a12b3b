package cluster

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// Log is what a container writes. Line n is always the same.
type Log interface {
	// Written is how many lines there are.
	Written() int
	Line(n int) (at time.Time, text string)
	// Await waits until there are more than n lines. It reports whether there are:
	// the container may have ended, or ctx.
	Await(ctx context.Context, n int) bool
}

// Logs are those of a node's containers: nil of one that has not started, or was not
// there before.
type Logs func(namespace, pod, container string, previous bool) Log

// Kubelet stands in for the kubelet of one node: it serves its containers' logs to the
// apiserver, by the rules of a real one. It runs nothing.
type Kubelet struct {
	Node string

	logs   Logs
	client *kubernetes.Clientset
	server *http.Server
	served chan error
}

// StartKubelet makes a node and serves its logs until Stop.
func (c *Cluster) StartKubelet(ctx context.Context, node string, logs Logs) (*Kubelet, error) {
	k := &Kubelet{Node: node, logs: logs, served: make(chan error, 1)}
	if err := k.start(ctx, c); err != nil {
		return nil, fmt.Errorf("start the kubelet of %s: %w", node, err)
	}
	return k, nil
}

func (k *Kubelet) start(ctx context.Context, c *Cluster) error {
	port, err := k.serve(c)
	if err != nil {
		return err
	}
	if err := k.makeNode(ctx, port); err != nil {
		return errors.Join(err, k.Stop())
	}
	return nil
}

// serve serves the logs on a port of this machine.
func (k *Kubelet) serve(c *Cluster) (port int, err error) {
	if k.client, err = c.client(); err != nil {
		return 0, err
	}
	pair, err := c.authority.serving()
	if err != nil {
		return 0, err
	}
	certificate, err := tls.X509KeyPair(pair.cert, pair.key)
	if err != nil {
		return 0, err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /containerLogs/{namespace}/{pod}/{container}", k.containerLogs)
	k.server = &http.Server{Handler: mux, TLSConfig: &tls.Config{Certificates: []tls.Certificate{certificate}}}
	go func() { k.served <- k.server.ServeTLS(listener, "", "") }()
	return listener.Addr().(*net.TCPAddr).Port, nil
}

// makeNode tells the apiserver where to ask.
func (k *Kubelet) makeNode(ctx context.Context, port int) error {
	nodes := k.client.CoreV1().Nodes()
	node, err := nodes.Create(ctx, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: k.Node}}, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	node.Status.Addresses = []corev1.NodeAddress{{Type: corev1.NodeInternalIP, Address: "127.0.0.1"}}
	node.Status.DaemonEndpoints.KubeletEndpoint.Port = int32(port)
	node.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue, Reason: "KubeletReady"}}
	_, err = nodes.UpdateStatus(ctx, node, metav1.UpdateOptions{})
	return err
}

// Stop closes the port, and every log with it: the node stays, and is away.
func (k *Kubelet) Stop() error {
	err := k.server.Close()
	if served := <-k.served; !errors.Is(served, http.ErrServerClosed) {
		err = errors.Join(err, served)
	}
	return err
}

// Run puts a pod on the node, all of whose containers run.
func (k *Kubelet) Run(ctx context.Context, pod *corev1.Pod) (*corev1.Pod, error) {
	pod = pod.DeepCopy()
	pod.Spec.NodeName = k.Node
	pods := k.client.CoreV1().Pods(pod.Namespace)
	pod, err := pods.Create(ctx, pod, metav1.CreateOptions{})
	if err != nil {
		return nil, fmt.Errorf("run a pod: %w", err)
	}
	pod.Status.Phase = corev1.PodRunning
	now := metav1.Now()
	for _, c := range pod.Spec.Containers {
		pod.Status.ContainerStatuses = append(pod.Status.ContainerStatuses, corev1.ContainerStatus{
			Name: c.Name, Image: c.Image, Ready: true, State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: now}},
		})
	}
	if pod, err = pods.UpdateStatus(ctx, pod, metav1.UpdateOptions{}); err != nil {
		return nil, fmt.Errorf("run a pod: %w", err)
	}
	return pod, nil
}

// containerLogs answers the apiserver. What is wrong it says in a kubelet's words.
func (k *Kubelet) containerLogs(w http.ResponseWriter, r *http.Request) {
	pod, container := r.PathValue("pod"), r.PathValue("container")
	q, err := parseLogQuery(r.URL.Query(), time.Now())
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	log := k.logs(r.PathValue("namespace"), pod, container, q.previous)
	switch {
	case log != nil:
		out := bufio.NewWriterSize(w, 32<<10)
		// Who asked is gone, if that fails.
		_ = q.write(r.Context(), log, out, func() error { return errors.Join(out.Flush(), http.NewResponseController(w).Flush()) })
	case q.previous:
		fail(w, "previous terminated container %q in pod %q not found", container, pod)
	default:
		fail(w, "container %q in pod %q is waiting to start: ContainerCreating", container, pod)
	}
}

func fail(w http.ResponseWriter, format string, args ...any) {
	w.WriteHeader(http.StatusBadRequest)
	_, _ = fmt.Fprintf(w, format, args...)
}

// logQuery is what is asked of a log.
type logQuery struct {
	follow, previous, timestamps bool
	tail                         int // all, if negative
	since                        time.Time
	limit                        int64 // none, if negative
}

func parseLogQuery(values url.Values, now time.Time) (q logQuery, err error) {
	number := func(name string, none int64) int64 {
		n := none
		if text := values.Get(name); text != "" {
			var wrong error
			n, wrong = strconv.ParseInt(text, 10, 64)
			err = errors.Join(err, wrong)
		}
		return n
	}
	q = logQuery{
		follow: values.Get("follow") == "true", previous: values.Get("previous") == "true", timestamps: values.Get("timestamps") == "true",
		tail: int(number("tailLines", -1)), limit: number("limitBytes", -1),
	}
	if seconds := number("sinceSeconds", 0); seconds > 0 {
		q.since = now.Add(-time.Duration(seconds) * time.Second)
	}
	if text := values.Get("sinceTime"); text != "" {
		var wrong error
		q.since, wrong = time.Parse(time.RFC3339, text)
		err = errors.Join(err, wrong)
	}
	return q, err
}

// timestamp is how a kubelet writes a time.
const timestamp = "2006-01-02T15:04:05.000000000Z07:00"

// write writes what is asked for, line by line: the last lines of the file first, of
// them those since a time. What there is is flushed before more is waited for; until
// there is something, not even the answer's head goes.
func (q *logQuery) write(ctx context.Context, log Log, w *bufio.Writer, flush func() error) error {
	first := 0
	if q.tail >= 0 {
		first = max(0, log.Written()-q.tail)
	}
	written := false
	for n := first; q.limit != 0; n++ {
		if n >= log.Written() {
			if written {
				if err := flush(); err != nil {
					return err
				}
			}
			if !q.follow || !log.Await(ctx, n) {
				break
			}
		}
		at, text := log.Line(n)
		if at.Before(q.since) {
			continue
		}
		if q.timestamps {
			text = at.UTC().Format(timestamp) + " " + text
		}
		text += "\n"
		if q.limit >= 0 {
			text = text[:min(int64(len(text)), q.limit)]
			q.limit -= int64(len(text))
		}
		if _, err := w.WriteString(text); err != nil {
			return err
		}
		written = true
	}
	return w.Flush()
}
