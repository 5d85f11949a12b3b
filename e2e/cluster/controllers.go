package cluster

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"

	"watchglass/e2e/tools"
)

// ControllerOptions say how StartControllers runs the programs that make a cluster work:
// the kube-controller-manager, the kube-scheduler, and kwok, which acts for the kubelets
// of nodes that are not there. So deployments, jobs, endpoints, quotas, garbage
// collection and evictions are real; pods run only in their status. FaultLabel makes
// pods and nodes fail.
type ControllerOptions struct {
	// Nodes is how many there are: node-1, node-2 and so on. Default: 3.
	Nodes int

	// Capacity of each node, all of it allocatable. Default: 8 CPUs, 32 GiB, 110 pods.
	Capacity corev1.ResourceList

	// NodeGrace is how long a node may miss its heartbeats before it is not ready.
	// Default: 8 s, where a real cluster takes 50.
	NodeGrace time.Duration

	// Logs are those of the nodes' containers. Default: every log is empty.
	Logs Logs

	// Stages are further Stages of kwok, in YAML. If several match an object, one of
	// those with the greatest weight is played; the package's have weight 0.
	Stages []string

	// Flags that come after the harness's own.
	ControllerManagerFlags, SchedulerFlags, KwokFlags []string
}

func (o ControllerOptions) withDefaults() ControllerOptions {
	if o.Nodes == 0 {
		o.Nodes = 3
	}
	if o.Capacity == nil {
		o.Capacity = corev1.ResourceList{
			corev1.ResourceCPU: resource.MustParse("8"), corev1.ResourceMemory: resource.MustParse("32Gi"),
			corev1.ResourcePods: resource.MustParse("110"), corev1.ResourceEphemeralStorage: resource.MustParse("100Gi"),
		}
	}
	if o.NodeGrace == 0 {
		o.NodeGrace = 8 * time.Second
	}
	if o.Logs == nil {
		o.Logs = func(string, string, string, bool) Log {
			empty := NewScript(time.Now())
			empty.End()
			return empty
		}
	}
	return o
}

// Controllers are the programs that make a cluster work.
type Controllers struct {
	options ControllerOptions
	cluster *Cluster
	client  *kubernetes.Clientset
	logs    *Kubelet // serves the logs of all nodes
	logPort int

	mu        sync.Mutex
	processes []*process
	nodes     int // how many were made
}

// kubeletLabel is on every node for which kwok acts.
const kubeletLabel = "watchglass.example.com/kubelet"

// StartControllers starts the controllers against a running cluster and returns when
// its nodes are ready. The admission plugin that gives pods their service account is on
// only if the cluster was started with Options.Controllers.
func (c *Cluster) StartControllers(ctx context.Context, o ControllerOptions) (*Controllers, error) {
	x := &Controllers{options: o.withDefaults(), cluster: c}
	if err := x.start(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("start the controllers: %w", err), x.Stop())
	}
	return x, nil
}

func (x *Controllers) start(ctx context.Context) (err error) {
	c := x.cluster
	kwok, err := tools.Build(ctx, "kwok")
	if err != nil {
		return err
	}
	begin := time.Now()
	if x.client, err = c.client(); err != nil {
		return err
	}
	x.logs = &Kubelet{logs: x.options.Logs, served: make(chan error, 1)}
	if x.logPort, err = x.logs.serve(c); err != nil {
		x.logs = nil
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	failed := make(chan error, 3)
	go func() { failed <- x.startControllerManager(ctx) }()
	go func() { failed <- x.startScheduler(ctx) }()
	go func() { failed <- x.startKwok(ctx, kwok) }()
	for range cap(failed) {
		err = errors.Join(err, <-failed)
	}
	if err != nil {
		return err
	}
	c.logf("%d nodes are ready %s after the start of their controllers", x.options.Nodes, since(begin))
	return nil
}

// Stop ends the programs at once. The nodes stay, and nobody watches them.
func (x *Controllers) Stop() (err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, p := range x.processes {
		err = errors.Join(err, p.kill())
	}
	x.processes = nil
	if x.logs != nil {
		err = errors.Join(err, x.logs.Stop())
		x.logs = nil
	}
	return err
}

// PIDs are the process ids of the programs that run, by name.
func (x *Controllers) PIDs() map[string]int {
	x.mu.Lock()
	defer x.mu.Unlock()
	pids := map[string]int{}
	for _, p := range x.processes {
		if n := pid(p); n != 0 {
			pids[p.name] = n
		}
	}
	return pids
}

func (x *Controllers) startControllerManager(ctx context.Context) error {
	c := x.cluster
	args, err := x.componentArgs("system:kube-controller-manager")
	if err != nil {
		return err
	}
	err = x.startComponent(ctx, "kube-controller-manager", c.binaries.ControllerManager, append(append(args,
		"--use-service-account-credentials=true",
		"--service-account-private-key-file="+c.file("service-account.key"),
		"--root-ca-file="+c.CAFile(),
		"--allocate-node-cidrs=true",
		"--cluster-cidr=10.244.0.0/16",
		"--node-monitor-period=1s",
		"--node-monitor-grace-period="+x.options.NodeGrace.String(),
		// A real cluster evicts from one node in ten seconds.
		"--node-eviction-rate=10",
		// It makes its folder.
		"--flex-volume-plugin-dir="+c.file("volume-plugins"),
		"--kube-api-qps=200", "--kube-api-burst=400",
	), x.options.ControllerManagerFlags...))
	if err != nil {
		return err
	}
	return waitFor(ctx, "the default namespace's service account and authority", func(ctx context.Context) error {
		return x.namespaceReady(ctx, metav1.NamespaceDefault)
	})
}

// NamespaceReady waits until pods can be made in a namespace: until it has its service
// account, and the ConfigMap that every pod mounts.
func (x *Controllers) NamespaceReady(ctx context.Context, name string) error {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	return waitFor(ctx, "the service account of namespace "+name, func(ctx context.Context) error { return x.namespaceReady(ctx, name) })
}

func (x *Controllers) namespaceReady(ctx context.Context, name string) error {
	_, err := x.client.CoreV1().ServiceAccounts(name).Get(ctx, "default", metav1.GetOptions{})
	_, err2 := x.client.CoreV1().ConfigMaps(name).Get(ctx, "kube-root-ca.crt", metav1.GetOptions{})
	return errors.Join(err, err2)
}

func (x *Controllers) startScheduler(ctx context.Context) error {
	args, err := x.componentArgs("system:kube-scheduler")
	if err != nil {
		return err
	}
	return x.startComponent(ctx, "kube-scheduler", x.cluster.binaries.Scheduler, append(args, x.options.SchedulerFlags...))
}

// componentArgs are the flags that both components of Kubernetes have.
func (x *Controllers) componentArgs(user string) ([]string, error) {
	c := x.cluster
	kubeconfig, err := c.Kubeconfig(User{Name: user}, KubeconfigOptions{})
	if err != nil {
		return nil, err
	}
	return []string{
		"--kubeconfig=" + kubeconfig,
		"--authentication-kubeconfig=" + kubeconfig,
		"--authorization-kubeconfig=" + kubeconfig,
		// The apiserver has no front-proxy authority that they could look up.
		"--authentication-skip-lookup=true",
		"--client-ca-file=" + c.CAFile(),
		"--leader-elect=false",
		"--bind-address=127.0.0.1",
		"--tls-cert-file=" + c.file("apiserver.crt"),
		"--tls-private-key-file=" + c.file("apiserver.key"),
	}, nil
}

// startComponent starts a component of Kubernetes on a free port, and waits until it is
// healthy.
func (x *Controllers) startComponent(ctx context.Context, name, path string, args []string) error {
	client, closeIdle, err := x.cluster.probeClient()
	if err != nil {
		return err
	}
	defer closeIdle()
	for range portAttempts {
		port := firstPort + rand.IntN(lastPort-firstPort)
		if !portFree(port) {
			continue
		}
		err := x.startProcess(ctx, name, path, append([]string{"--secure-port=" + strconv.Itoa(port)}, args...), nil, func(ctx context.Context) error {
			return probe(ctx, client, fmt.Sprintf("https://127.0.0.1:%d/healthz", port))
		})
		if !errors.Is(err, errPortTaken) {
			return err
		}
	}
	return fmt.Errorf("start %s: none of %d ports was free", name, portAttempts)
}

// startProcess starts a program and waits for a condition.
func (x *Controllers) startProcess(ctx context.Context, name, path string, args, env []string, ready func(context.Context) error) error {
	begin := time.Now()
	p, err := startProcess(name, path, x.cluster.file(name+".log"), args, env...)
	if err != nil {
		return err
	}
	err = waitFor(ctx, name+" to be ready", func(ctx context.Context) error {
		if p.exited() {
			return fatal(fmt.Errorf("%w: %w", errEnded(p), p.Err()))
		}
		return ready(ctx)
	})
	if err != nil {
		return errors.Join(p.failure(err), p.kill())
	}
	x.mu.Lock()
	x.processes = append(x.processes, p)
	x.mu.Unlock()
	x.cluster.logf("%s (pid %d) is ready in %s", name, p.pid(), since(begin))
	return nil
}

func (x *Controllers) startKwok(ctx context.Context, path string) error {
	c := x.cluster
	config, err := stages(x.options.Stages)
	if err != nil {
		return err
	}
	if err := os.WriteFile(c.file("kwok.yaml"), config, 0o600); err != nil {
		return err
	}
	kubeconfig, err := c.Kubeconfig(User{Name: "kwok", Groups: Admin().Groups}, KubeconfigOptions{})
	if err != nil {
		return err
	}
	for range x.options.Nodes {
		if _, err := x.AddNode(ctx); err != nil {
			return err
		}
	}
	args := append([]string{
		"--kubeconfig=" + kubeconfig,
		"--config=" + c.file("kwok.yaml"),
		// By label: an annotation that goes away does not end the heartbeats.
		"--manage-nodes-with-label-selector=" + kubeletLabel + "=kwok",
		// A lease is renewed four times in its duration.
		"--node-lease-duration-seconds=" + strconv.Itoa(max(2, int(x.options.NodeGrace.Seconds()/2))),
	}, x.options.KwokFlags...)
	// The tester's own configuration of kwok must play no part.
	env := []string{"KWOK_WORKDIR=" + c.file("kwok"), "HOME=" + c.dir}
	return x.startProcess(ctx, "kwok", path, args, env, x.nodesReady)
}

// nodesReady fails until all nodes are ready and pods can be scheduled to them.
func (x *Controllers) nodesReady(ctx context.Context) error {
	nodes, err := x.client.CoreV1().Nodes().List(ctx, metav1.ListOptions{LabelSelector: kubeletLabel})
	if err != nil {
		return err
	}
	for _, n := range nodes.Items {
		if n.Spec.PodCIDR == "" || len(n.Spec.Taints) > 0 || NodeCondition(&n, corev1.NodeReady).Status != corev1.ConditionTrue {
			return fmt.Errorf("node %s is not ready: pod CIDR %q, taints %v, conditions %v", n.Name, n.Spec.PodCIDR, n.Spec.Taints, n.Status.Conditions)
		}
	}
	return nil
}

// NodeCondition returns a condition of a node, the zero value if there is none.
func NodeCondition(node *corev1.Node, kind corev1.NodeConditionType) corev1.NodeCondition {
	for _, c := range node.Status.Conditions {
		if c.Type == kind {
			return c
		}
	}
	return corev1.NodeCondition{}
}

// AddNode makes one more node, and returns its name. It becomes ready by itself.
func (x *Controllers) AddNode(ctx context.Context, change ...func(*corev1.Node)) (name string, err error) {
	x.mu.Lock()
	x.nodes++
	n := x.nodes
	x.mu.Unlock()
	name = fmt.Sprintf("node-%d", n)
	node := x.node(name, n)
	for _, f := range change {
		f(node)
	}
	nodes := x.client.CoreV1().Nodes()
	_, err = nodes.Create(ctx, node, metav1.CreateOptions{})
	if apierrors.IsAlreadyExists(err) { // of earlier controllers: it goes on, with the new log server
		_, err = nodes.Patch(ctx, name, types.MergePatchType, fmt.Appendf(nil, `{"status":{"daemonEndpoints":{"kubeletEndpoint":{"Port":%d}}}}`, x.logPort), metav1.PatchOptions{}, "status")
		err = errors.Join(err, x.StartHeartbeat(ctx, name))
	}
	if err != nil {
		return "", fmt.Errorf("make node %s: %w", name, err)
	}
	return name, nil
}

// node is what a kubelet registers.
func (x *Controllers) node(name string, n int) *corev1.Node {
	return &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{
			kubeletLabel: "kwok", corev1.LabelHostname: name, corev1.LabelOSStable: "linux", corev1.LabelArchStable: "amd64",
			corev1.LabelInstanceTypeStable: "e2e.large", corev1.LabelTopologyRegion: "e2e", corev1.LabelTopologyZone: "e2e-" + string(rune('a'+(n-1)%3)),
		}},
		Status: corev1.NodeStatus{
			Capacity: x.options.Capacity, Allocatable: x.options.Capacity,
			Addresses: []corev1.NodeAddress{
				// Addresses of a range that nobody routes.
				{Type: corev1.NodeInternalIP, Address: fmt.Sprintf("198.18.%d.%d", n/250, 1+n%250)},
				{Type: corev1.NodeHostName, Address: name},
				{Type: corev1.NodeInternalDNS, Address: "localhost"}, // the log server
			},
			DaemonEndpoints: corev1.NodeDaemonEndpoints{KubeletEndpoint: corev1.DaemonEndpoint{Port: int32(x.logPort)}},
			NodeInfo: corev1.NodeSystemInfo{
				MachineID: fmt.Sprintf("%032x", n), SystemUUID: fmt.Sprintf("00000000-0000-4000-8000-%012x", n), BootID: fmt.Sprintf("00000000-0000-4000-9000-%012x", n),
				KubeletVersion: Version, ContainerRuntimeVersion: "containerd://2.2.1", KernelVersion: "6.12.57",
				OSImage: "Debian GNU/Linux 13 (trixie)", OperatingSystem: "linux", Architecture: "amd64",
			},
		},
	}
}

// StopHeartbeat stops the kubelet of a node, as when its machine is gone: after
// NodeGrace the node's status is unknown, and it is tainted. Its pods cannot be deleted.
func (x *Controllers) StopHeartbeat(ctx context.Context, node string) error {
	return x.label(ctx, node, kubeletLabel, "")
}

// StartHeartbeat starts the kubelet of a node again.
func (x *Controllers) StartHeartbeat(ctx context.Context, node string) error {
	return x.label(ctx, node, kubeletLabel, "kwok")
}

func (x *Controllers) label(ctx context.Context, node, key, value string) error {
	_, err := x.client.CoreV1().Nodes().Patch(ctx, node, types.MergePatchType, labelPatch(key, value), metav1.PatchOptions{})
	if err != nil {
		return fmt.Errorf("label node %s: %w", node, err)
	}
	return nil
}

// labelPatch sets a label, or with no value removes it.
func labelPatch(key, value string) []byte {
	text := "null"
	if value != "" {
		text = strconv.Quote(value)
	}
	return fmt.Appendf(nil, `{"metadata":{"labels":{%q:%s}}}`, key, text)
}

// FaultPatch is a merge patch that gives a pod or a node a fault, or with "" takes it
// away.
func FaultPatch(fault string) []byte { return labelPatch(FaultLabel, fault) }
