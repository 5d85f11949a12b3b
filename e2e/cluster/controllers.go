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

// ControllerOptions configure kube-controller-manager, kube-scheduler and kwok, which
// simulates the kubelets. Deployments, jobs, endpoints, quotas, garbage collection,
// scheduling and evictions are real. Nodes and containers exist only as objects: kwok
// writes the status of each pod (see FaultLabel), and removes a deleted pod at once.
type ControllerOptions struct {
	// Nodes is the number of nodes: node-1, node-2 and so on. Default: 3.
	Nodes int

	// Capacity of each node, all of it allocatable. Default: 8 CPUs, 32 GiB, 110 pods.
	Capacity corev1.ResourceList

	// NodeGrace is the time without heartbeats after which a node is not ready
	// (--node-monitor-grace-period). Default: 8s; Kubernetes' own is 50s.
	NodeGrace time.Duration

	// Logs returns the logs of the containers. Default: every log is empty.
	Logs Logs

	// Stages are further Stages of kwok, in YAML. Where one with a weight matches a pod,
	// the package's own stages, whose weight is 0, are not considered.
	Stages []string

	// Flags are appended to the harness's own.
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

// Controllers are a running controller manager, scheduler and kwok.
type Controllers struct {
	options ControllerOptions
	cluster *Cluster
	client  *kubernetes.Clientset
	logs    *Kubelet // serves the logs of all nodes
	logPort int

	mu        sync.Mutex
	processes []*process
	nodes     int // number of nodes created
}

// kubeletLabel marks the nodes that kwok manages.
const kubeletLabel = "watchglass.example.com/kubelet"

// StartControllers starts the controllers against a running cluster and returns when the
// nodes are ready. Pods get a service account and its token only in a cluster that was
// started with Options.Controllers, which enables the admission plugin.
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

// Stop kills the programs. Their objects, such as the nodes, remain.
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

// PIDs returns the process IDs of the running programs, by name.
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
		// The default, 0.1, may delay an eviction by ten seconds.
		"--node-eviction-rate=10",
		// The manager creates this folder. The default is under /usr.
		"--flex-volume-plugin-dir="+c.file("volume-plugins"),
		"--kube-api-qps=200", "--kube-api-burst=400",
	), x.options.ControllerManagerFlags...))
	if err != nil {
		return err
	}
	return waitFor(ctx, "the service account of the default namespace", func(ctx context.Context) error {
		return x.namespaceReady(ctx, metav1.NamespaceDefault)
	})
}

// NamespaceReady waits until pods can be created in a namespace: until it has its default
// service account and the ConfigMap that every pod mounts.
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

// componentArgs returns the flags that the controller manager and the scheduler share.
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
		// The apiserver has no front-proxy CA to look up.
		"--authentication-skip-lookup=true",
		"--client-ca-file=" + c.CAFile(),
		"--leader-elect=false",
		"--bind-address=127.0.0.1",
		"--tls-cert-file=" + c.file("apiserver.crt"),
		"--tls-private-key-file=" + c.file("apiserver.key"),
	}, nil
}

// startComponent starts the controller manager or the scheduler on a free port, and waits
// until it is healthy.
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

// startProcess starts a program and waits until ready returns nil.
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
		// Not by annotation: kwok ignores that one was removed, and goes on with the heartbeats.
		"--manage-nodes-with-label-selector=" + kubeletLabel + "=kwok",
		// kwok renews a lease four times in its duration.
		"--node-lease-duration-seconds=" + strconv.Itoa(max(2, int(x.options.NodeGrace.Seconds()/2))),
	}, x.options.KwokFlags...)
	// The tester's own configuration of kwok must not apply.
	env := []string{"KWOK_WORKDIR=" + c.file("kwok"), "HOME=" + c.dir}
	return x.startProcess(ctx, "kwok", path, args, env, x.nodesReady)
}

// nodesReady returns an error until pods can be scheduled to all nodes.
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

// AddNode creates another node and returns its name. It does not wait until the node is
// ready.
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
	if apierrors.IsAlreadyExists(err) { // from controllers that were stopped: it needs the new log server
		_, err = nodes.Patch(ctx, name, types.MergePatchType, fmt.Appendf(nil, `{"status":{"daemonEndpoints":{"kubeletEndpoint":{"Port":%d}}}}`, x.logPort), metav1.PatchOptions{}, "status")
		err = errors.Join(err, x.StartHeartbeat(ctx, name))
	}
	if err != nil {
		return "", fmt.Errorf("create node %s: %w", name, err)
	}
	return name, nil
}

// node returns a node as its kubelet would register it.
func (x *Controllers) node(name string, n int) *corev1.Node {
	return &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{
			kubeletLabel: "kwok", corev1.LabelHostname: name, corev1.LabelOSStable: "linux", corev1.LabelArchStable: "amd64",
			corev1.LabelInstanceTypeStable: "e2e.large", corev1.LabelTopologyRegion: "e2e", corev1.LabelTopologyZone: "e2e-" + string(rune('a'+(n-1)%3)),
		}},
		Status: corev1.NodeStatus{
			Capacity: x.options.Capacity, Allocatable: x.options.Capacity,
			Addresses: []corev1.NodeAddress{
				// The range for benchmarks, which is not routed.
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

// StopHeartbeat stops the kubelet of a node, as if its machine had failed: after NodeGrace
// the node's Ready condition is Unknown and the node is tainted. Pods on it that are
// deleted stay Terminating.
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

// FaultPatch returns a merge patch that sets the fault of a pod or a node, or with ""
// removes it.
func FaultPatch(fault string) []byte { return labelPatch(FaultLabel, fault) }
