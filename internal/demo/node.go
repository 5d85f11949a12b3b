//go:build !js

package demo

import (
	"fmt"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"watchglass/internal/demo/store"
)

// node is a machine of the cluster.
type node struct {
	name, zone, ip string
	uid            types.UID
	created        metav1.Time
	lost           bool
	tainted        bool // takes only pods with a matching toleration
}

func (n *node) key() store.Key { return store.Key{Name: n.name} }

// perNode is about how many pods a node runs.
const perNode = 250

// leaseEvery is how often a node renews its Lease: half as often from 400 nodes on. statusEvery
// is how often it writes its status.
const (
	leaseEvery  = 10 * time.Second
	statusEvery = 5 * time.Minute
)

func (w *world) addNodes() {
	for i := range max(8, w.Pods/perNode) {
		n := &node{
			name: fmt.Sprintf("ip-10-0-%d-%d.eu-west-1.compute.internal", 16+i/250, 4+i%250), zone: zones[i%len(zones)],
			ip: fmt.Sprintf("10.0.%d.%d", 16+i/250, 4+i%250), uid: newUID(w.rng), tainted: i%40 == 7,
			created: w.ago(time.Duration(float64(40*24*time.Hour) * (0.02 + w.rng.Float64()))),
		}
		w.nodes = append(w.nodes, n)
		w.put(w.nodeObject(n, i))
		w.put(&coordinationv1.Lease{
			ObjectMeta: metav1.ObjectMeta{Name: n.name, Namespace: "kube-node-lease", CreationTimestamp: n.created, OwnerReferences: []metav1.OwnerReference{{APIVersion: "v1", Kind: "Node", Name: n.name, UID: n.uid}}},
			Spec:       coordinationv1.LeaseSpec{HolderIdentity: &n.name, LeaseDurationSeconds: ptr(int32(40)), RenewTime: &metav1.MicroTime{Time: w.now}},
		})
		w.every(leaseEvery*time.Duration(max(1, w.Pods/perNode/200)), func() { w.renew(n) })
		w.every(statusEvery, func() { w.heartbeat(n) })
	}
}

func ptr[T any](v T) *T { return &v }

func (w *world) nodeObject(n *node, i int) *corev1.Node {
	shape, cores, memory := "m6i.8xlarge", "32", "128Gi"
	if i%3 == 1 {
		shape, cores, memory = "r6i.8xlarge", "32", "256Gi"
	}
	labels := map[string]string{
		"kubernetes.io/hostname": n.name, "kubernetes.io/arch": "amd64", "kubernetes.io/os": "linux",
		"node.kubernetes.io/instance-type": shape, "topology.kubernetes.io/region": "eu-west-1", "topology.kubernetes.io/zone": n.zone,
		"node-role.kubernetes.io/worker": "",
	}
	spec := corev1.NodeSpec{ProviderID: fmt.Sprintf("aws:///%s/i-%s", n.zone, hexes(w.rng, 17)), PodCIDR: fmt.Sprintf("10.%d.%d.0/24", 128+i/256, i%256)}
	if n.tainted {
		labels["node-role.kubernetes.io/gpu"] = ""
		spec.Taints = []corev1.Taint{{Key: "nvidia.com/gpu", Value: "present", Effect: corev1.TaintEffectNoSchedule}}
	}
	kubelet := "v1.36.3"
	if i%5 == 4 {
		kubelet = "v1.35.8" // an upgrade is under way
	}
	capacity := corev1.ResourceList{"cpu": resource.MustParse(cores), "memory": resource.MustParse(memory), "pods": resource.MustParse("320"), "ephemeral-storage": resource.MustParse("200Gi")}
	return &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: n.name, UID: n.uid, CreationTimestamp: n.created, Labels: labels, ManagedFields: []metav1.ManagedFieldsEntry{managed("kubelet", "status", `{"f:status":{"f:conditions":{}}}`, n.created)}},
		Spec:       spec,
		Status: corev1.NodeStatus{
			Capacity: capacity, Allocatable: capacity, Conditions: w.conditions(n, n.created),
			Addresses: []corev1.NodeAddress{{Type: corev1.NodeInternalIP, Address: n.ip}, {Type: corev1.NodeHostName, Address: n.name}},
			NodeInfo: corev1.NodeSystemInfo{
				MachineID: hexes(w.rng, 32), SystemUUID: string(newUID(w.rng)), BootID: string(newUID(w.rng)), KernelVersion: "6.12.41-63.114.amzn2023.x86_64",
				OSImage: "Amazon Linux 2023.9.20260908", ContainerRuntimeVersion: "containerd://2.1.4", KubeletVersion: kubelet, OperatingSystem: "linux", Architecture: "amd64",
			},
		},
	}
}

// conditions returns the conditions of a healthy node.
func (w *world) conditions(n *node, since metav1.Time) (all []corev1.NodeCondition) {
	for _, c := range []struct {
		kind            corev1.NodeConditionType
		status          corev1.ConditionStatus
		reason, message string
	}{
		{corev1.NodeMemoryPressure, corev1.ConditionFalse, "KubeletHasSufficientMemory", "kubelet has sufficient memory available"},
		{corev1.NodeDiskPressure, corev1.ConditionFalse, "KubeletHasNoDiskPressure", "kubelet has no disk pressure"},
		{corev1.NodePIDPressure, corev1.ConditionFalse, "KubeletHasSufficientPID", "kubelet has sufficient PID available"},
		{corev1.NodeReady, corev1.ConditionTrue, "KubeletReady", "kubelet is posting ready status"},
	} {
		all = append(all, corev1.NodeCondition{Type: c.kind, Status: c.status, Reason: c.reason, Message: c.message, LastTransitionTime: since, LastHeartbeatTime: w.stamp()})
	}
	return all
}

func (w *world) renew(n *node) {
	if n.lost {
		return
	}
	update(w, store.Key{Namespace: "kube-node-lease", Name: n.name}, func(l *coordinationv1.Lease) {
		l.Spec.RenewTime = &metav1.MicroTime{Time: w.now.Truncate(time.Microsecond)}
	})
}

func (w *world) heartbeat(n *node) {
	if n.lost {
		return
	}
	update(w, n.key(), func(o *corev1.Node) {
		for i := range o.Status.Conditions {
			o.Status.Conditions[i].LastHeartbeatTime = w.stamp()
		}
	})
}

// free returns a random node that any pod can run on.
func (w *world) free() *node {
	for {
		if n := pick(w.rng, w.nodes); !n.lost && !n.tainted {
			return n
		}
	}
}
