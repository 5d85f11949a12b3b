package record

import (
	"context"
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"watchglass/e2e/cluster"
	"watchglass/e2e/stage"
)

// The addresses that most recordings are looked at with.
const (
	list     = "/pods?n=shop"
	timeline = "/timeline?n=shop"
	opened   = list + "&sel=shop/web-1"
	manifest = opened + "&tab=yaml"
	tab      = opened + "&tab=timeline"
)

// three makes the pods that are there before a fault.
func three(k *take) {
	for i := range 3 {
		k.run(fmt.Sprintf("web-%d", i+1), 0)
	}
}

// TestCut cuts the connection to the apiserver while pods change. The watch goes on from its version.
func TestCut(t *testing.T) {
	k := begin(t, "cut", `The connection to the apiserver is cut. Meanwhile web-1 restarts, web-2 is deleted and web-4 created.
Then the watch goes on from the version it had: it tells all three, at the moment it is back.`, list, cluster.Admin(), three)
	k.AwaitState("live")
	k.run("web-1", 1)
	k.restarted("web-1", "1")
	before := k.moment()
	k.wire.cut()
	k.AwaitState("stale")
	k.run("web-1", 2)
	k.remove("web-2")
	k.run("web-4", 0)
	meanwhile := k.moment()
	k.wire.mend()
	k.AwaitState("live")
	k.restarted("web-1", "2")
	k.restarted("web-4", "0")
	k.AwaitCount(3)
	k.run("web-3", 7)
	k.restarted("web-3", "7")
	k.check(before, list, manifest)
	k.check(meanwhile, list)
	k.check(k.moment(), list, manifest, tab, timeline)
	k.save()
}

// TestExpired compacts the version that a watch had, while its connection is cut: the pods are listed
// anew, and one that was deleted is gone.
func TestExpired(t *testing.T) {
	k := begin(t, "expired", `The connection to the apiserver is cut until the version of the watch has expired (410 Gone). Meanwhile web-2
is deleted, web-1 restarts and web-4 is created. The pods are listed anew, and web-2 is no longer there.`, list, cluster.Admin(), three)
	k.AwaitState("live")
	before := k.moment()
	k.wire.cut()
	k.AwaitState("stale")
	k.remove("web-2")
	k.run("web-1", 3)
	k.run("web-4", 0)
	k.Must(stage.Cluster.Expire(t.Context()))
	meanwhile := k.moment()
	k.wire.mend()
	k.AwaitState("live")
	k.restarted("web-1", "3")
	k.restarted("web-4", "0")
	k.AwaitCount(3)
	k.Await(`watchglass.inspect().then(i => i.sources.some(s => s.resource === "pods" && s.relists > 0))`)
	k.check(before, list, opened)
	k.check(meanwhile, list)
	k.check(k.moment(), list, list+"&q=web-2", opened, tab, timeline)
	k.save()
}

// TestKilled kills the apiserver between two changes, and starts it again.
func TestKilled(t *testing.T) {
	k := begin(t, "killed", `The apiserver is killed between two restarts of web-1, and started again. web-2 is deleted as soon as it
is back.`, list, cluster.Admin(), three)
	k.AwaitState("live")
	k.run("web-1", 1)
	k.restarted("web-1", "1")
	before := k.moment()
	k.Must(stage.Cluster.KillAPIServer())
	k.AwaitState("stale")
	meanwhile := k.moment()
	k.Must(stage.Cluster.StartAPIServer(t.Context()))
	k.remove("web-2")
	k.run("web-1", 2)
	k.AwaitState("live")
	k.restarted("web-1", "2")
	k.AwaitCount(2)
	k.check(before, list, opened)
	k.check(meanwhile, list, manifest)
	k.check(k.moment(), list, opened, tab, timeline)
	k.save()
}

// TestDenied takes away the right to read services, while that to read pods stays.
func TestDenied(t *testing.T) {
	user := stage.Someone(t)
	stage.Grant(t, user, "", stage.Reads, "pods", "namespaces")
	revoke := stage.Grant(t, user, "", stage.Reads, "services")
	k := begin(t, "denied", `The right to read services is taken away from a user, who goes on to read pods. Nothing of services is
remembered, not even from before, and nothing says that there were none.`, list, user, func(k *take) {
		three(k)
		stage.Post(t, "/api/v1/namespaces/"+shop+"/services", `{"apiVersion":"v1","kind":"Service","metadata":{"name":"web"},"spec":{"ports":[{"port":80}],"selector":{"app":"web"}}}`)
	})
	k.AwaitState("live")
	k.goTo("/services?n=shop")
	k.Await(`document.querySelector('.row[data-key="shop/web"]')`)
	before := k.moment()
	revoke()
	k.wire.cut()
	k.AwaitState("stale")
	k.wire.mend()
	k.AwaitState("denied")
	k.Says(".panel", "You can't list services")
	t.Cleanup(func() {
		k.Must(stage.Admin.CoreV1().Services(shop).Delete(context.Background(), "web", metav1.DeleteOptions{}))
	})
	k.goTo(list)
	k.AwaitState("live")
	k.run("web-1", 4)
	k.restarted("web-1", "4")
	k.check(before, list, "/services?n=shop")
	k.check(k.moment(), list, "/services?n=shop", opened+"&tab=related", timeline)
	k.save()
}

// joins is for how long a new node may not be ready without being called a problem.
const joins = 2*time.Minute + 5*time.Second

// TestCrash has a pod crash again and again on a node that is no longer ready.
func TestCrash(t *testing.T) {
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "node-7"}}
	k := begin(t, "crash", `web-1 crashes again and again, and its events warn of it. Then its node is no longer ready.`, "/problems", cluster.Admin(), func(k *take) {
		made, err := stage.Admin.CoreV1().Nodes().Create(t.Context(), node, metav1.CreateOptions{})
		k.Must(err)
		node = made
		setReady(k, node, corev1.ConditionTrue, "KubeletReady", "kubelet is posting ready status")
		k.pods["web-1"] = stage.Create(t, shop, "web-1", func(p *corev1.Pod) { p.Spec.NodeName = node.Name })
		k.run("web-1", 0)
		k.run("web-2", 0)
		stage.WaitWithin(t, 2*joins, "the node is no longer one that joins", func() bool { return time.Since(node.CreationTimestamp.Time) > joins })
	})
	k.AwaitState("live")
	k.goTo("/events?n=shop")
	k.AwaitState("live")
	k.goTo("/nodes")
	k.AwaitCell("node-7", "Status", "Ready")
	k.goTo(list)
	k.restarted("web-1", "0")
	well := k.moment()
	for i := range int32(3) {
		stage.SetStatus(t, k.pods["web-1"], crashed(i+1))
		k.Await(fmt.Sprintf(`document.querySelector('[data-key="shop/web-1"] [data-column=Restarts]')?.textContent.startsWith("%d")`, i+1)) // its age follows
		stage.Post(t, "/api/v1/namespaces/"+shop+"/events", warning(k.pods["web-1"], i+1))
	}
	k.AwaitCell(shop+"/web-1", "Status", "CrashLoopBackOff")
	k.goTo("/problems?n=shop")
	k.Says(".grid", "CrashLoopBackOff")
	crashing := k.moment()
	setReady(k, node, corev1.ConditionUnknown, "NodeStatusUnknown", "Kubelet stopped posting node status.")
	k.goTo("/nodes")
	k.AwaitCell("node-7", "Status", "NotReady")
	k.goTo("/problems")
	k.Says(".grid", "node-7")
	k.check(well, list, "/nodes", "/problems")
	k.check(crashing, list, "/problems?n=shop", "/events?n=shop", opened+"&tab=events")
	k.check(k.moment(), list, opened, opened+"&tab=logs", tab, "/nodes", "/nodes?sel=node-7", "/problems", "/timeline")
	k.save()
}

// setReady writes what a kubelet or the node controller says of a node.
func setReady(k *take, node *corev1.Node, ready corev1.ConditionStatus, reason, message string) {
	k.T.Helper()
	since := metav1.NewTime(time.Now().Add(-10 * time.Minute))
	node.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: ready, Reason: reason, Message: message, LastHeartbeatTime: since, LastTransitionTime: since}}
	updated, err := stage.Admin.CoreV1().Nodes().UpdateStatus(k.T.Context(), node, metav1.UpdateOptions{})
	k.Must(err)
	*node = *updated
}

// crashed is the status of a pod whose container has ended with an error so many times.
func crashed(times int32) corev1.PodStatus {
	now := metav1.Now()
	return corev1.PodStatus{Phase: corev1.PodRunning, ContainerStatuses: []corev1.ContainerStatus{{
		Name: "main", RestartCount: times, ContainerID: "containerd://1",
		State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{
			Reason: "CrashLoopBackOff", Message: "back-off 40s restarting failed container=main pod=web-1_shop",
		}},
		LastTerminationState: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{
			ExitCode: 1, Reason: "Error", StartedAt: metav1.NewTime(now.Add(-2 * time.Second)), FinishedAt: now, ContainerID: "containerd://0",
		}},
	}}}
}

// warning is a kubelet's event about a pod.
func warning(pod *corev1.Pod, count int32) string {
	now := time.Now().UTC().Format(time.RFC3339)
	return fmt.Sprintf(`{"apiVersion":"v1","kind":"Event","metadata":{"name":"web-1.%d"},"involvedObject":{"apiVersion":"v1","kind":"Pod","namespace":%q,"name":%q,"uid":%q},
		"type":"Warning","reason":"BackOff","message":"Back-off restarting failed container main in pod web-1_shop","source":{"component":"kubelet","host":"node-7"},"count":%d,"firstTimestamp":%q,"lastTimestamp":%q}`,
		count, pod.Namespace, pod.Name, pod.UID, count, now, now)
}
