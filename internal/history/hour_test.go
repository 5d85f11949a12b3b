//go:build !js

package history_test

import (
	"encoding/hex"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"

	"watchglass/internal/history"
	"watchglass/internal/object"
)

// hour is a busy cluster, compressed: pods that become ready and unready, restart, are deleted and come
// again, at 100 changes a second.
type hour struct {
	*source
	r       *rand.Rand
	now     time.Time
	store   *history.Store
	feed    *history.Input
	pods    []*corev1.Pod
	todo    [][]func(pod *corev1.Pod) bool // what becomes of each pod next; false: it is deleted
	version int
	names   int // each pod has another
	log     []entry
	told    func(before, after *object.Object) // instead of the feed
}

// entry is a line of the log of the writer.
type entry struct {
	at            int64
	kind          byte
	key           uint64
	before, after uint64
}

func sum(b []byte) uint64 {
	if b == nil {
		return 0
	}
	h := fnv.New64a()
	_, _ = h.Write(b)
	return h.Sum64()
}

const family = 40 // pods of one ReplicaSet

func newHour(t testing.TB, pods, limit int) (*hour, *history.Memory) {
	memory := history.NewMemory(limit, nil)
	h := &hour{source: newSource(t, "pods"), r: rand.New(rand.NewPCG(7, 7)), now: time.UnixMilli(1_795_000_000_000), store: history.NewStore(memory)}
	h.version = 88_000_000
	h.todo = make([][]func(*corev1.Pod) bool, pods)
	for i := range pods {
		p := h.pod(i)
		for _, f := range h.starting() {
			f(p)
		}
		h.pods = append(h.pods, p)
		h.write(p)
	}
	h.feed = h.source.feed(h.store)
	h.feed.Join(h.now, h)
	h.log = h.log[:0]
	return h, memory
}

func (h *hour) hex(n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(h.r.Uint32())
	}
	return hex.EncodeToString(b)
}

func (h *hour) uid() types.UID {
	x := h.hex(16)
	return types.UID(x[:8] + "-" + x[8:12] + "-" + x[12:16] + "-" + x[16:20] + "-" + x[20:])
}

func (h *hour) time() metav1.Time { return metav1.NewTime(h.now.Truncate(time.Second)) }

// pod returns a new pod, as the ReplicaSet's controller makes it.
func (h *hour) pod(i int) *corev1.Pod {
	set, yes := i/family, true
	h.names++
	name, hash := fmt.Sprintf("service-%d", set), fmt.Sprintf("%010d", set*7919)
	probe := &corev1.Probe{ProbeHandler: corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{Path: "/healthz", Port: intstr.FromInt32(8080), Scheme: "HTTP"}}, TimeoutSeconds: 1, PeriodSeconds: 10, SuccessThreshold: 1, FailureThreshold: 3}
	token := "kube-api-access-" + h.hex(3)
	container := func(n string) corev1.Container {
		return corev1.Container{
			Name: n, Image: "registry.example.com/shop/" + n + ":1.42.0", ImagePullPolicy: "IfNotPresent",
			Ports:         []corev1.ContainerPort{{Name: "http", ContainerPort: 8080, Protocol: "TCP"}},
			Env:           []corev1.EnvVar{{Name: "LOG_LEVEL", Value: "info"}, {Name: "DATABASE", Value: "postgres://db.shop.svc:5432/" + name}, {Name: "POD_IP", ValueFrom: &corev1.EnvVarSource{FieldRef: &corev1.ObjectFieldSelector{APIVersion: "v1", FieldPath: "status.podIP"}}}},
			Resources:     corev1.ResourceRequirements{Requests: corev1.ResourceList{"cpu": resource.MustParse("100m"), "memory": resource.MustParse("128Mi")}, Limits: corev1.ResourceList{"memory": resource.MustParse("256Mi")}},
			VolumeMounts:  []corev1.VolumeMount{{Name: "config", MountPath: "/etc/" + n, ReadOnly: true}, {Name: token, MountPath: "/var/run/secrets/kubernetes.io/serviceaccount", ReadOnly: true}},
			LivenessProbe: probe, ReadinessProbe: probe, TerminationMessagePath: "/dev/termination-log", TerminationMessagePolicy: "File",
		}
	}
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Name: fmt.Sprintf("%s-%s-%05x", name, hash, uint32(h.names)*2654435761>>12), GenerateName: name + "-" + hash + "-", Namespace: fmt.Sprintf("team-%02d", set%25), UID: h.uid(),
			Generation: 1, CreationTimestamp: h.time(),
			Labels:          map[string]string{"app": name, "pod-template-hash": hash, "app.kubernetes.io/part-of": "shop"},
			Annotations:     map[string]string{"kubectl.kubernetes.io/restartedAt": "2026-11-20T07:59:58Z", "prometheus.io/scrape": "true"},
			OwnerReferences: []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "ReplicaSet", Name: name + "-" + hash, UID: types.UID(fmt.Sprintf("0a6c1f0e-8a58-4a0e-9d3b-%012d", set)), Controller: &yes, BlockOwnerDeletion: &yes}},
		},
		Spec: corev1.PodSpec{
			ServiceAccountName: name, RestartPolicy: "Always", DNSPolicy: "ClusterFirst", SchedulerName: "default-scheduler",
			Containers: []corev1.Container{container("web"), container("proxy")},
			Volumes: []corev1.Volume{
				{Name: "config", VolumeSource: corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{LocalObjectReference: corev1.LocalObjectReference{Name: name}}}},
				{Name: token, VolumeSource: corev1.VolumeSource{Projected: &corev1.ProjectedVolumeSource{Sources: []corev1.VolumeProjection{{ServiceAccountToken: &corev1.ServiceAccountTokenProjection{Path: "token"}}}}}},
			},
			Tolerations: []corev1.Toleration{{Key: "node.kubernetes.io/not-ready", Operator: "Exists", Effect: "NoExecute"}, {Key: "node.kubernetes.io/unreachable", Operator: "Exists", Effect: "NoExecute"}},
		},
		Status: corev1.PodStatus{Phase: "Pending", QOSClass: "Burstable"},
	}
}

func (h *hour) condition(p *corev1.Pod, typ corev1.PodConditionType, status corev1.ConditionStatus) {
	for i := range p.Status.Conditions {
		if c := &p.Status.Conditions[i]; c.Type == typ {
			if c.Status != status {
				c.Status, c.LastTransitionTime = status, h.time()
			}
			return
		}
	}
	p.Status.Conditions = append(p.Status.Conditions, corev1.PodCondition{Type: typ, Status: status, LastTransitionTime: h.time(), ObservedGeneration: 1})
}

func (h *hour) ready(p *corev1.Pod, container int, ready bool) {
	p.Status.ContainerStatuses[container].Ready = ready
	status := corev1.ConditionTrue
	for _, c := range p.Status.ContainerStatuses {
		if !c.Ready {
			status = corev1.ConditionFalse
		}
	}
	h.condition(p, corev1.ContainersReady, status)
	h.condition(p, corev1.PodReady, status)
}

// starting is what becomes of a pod until it runs.
func (h *hour) starting() []func(*corev1.Pod) bool {
	return []func(*corev1.Pod) bool{
		func(p *corev1.Pod) bool {
			p.Spec.NodeName = fmt.Sprintf("node-%04d", h.r.IntN(500))
			h.condition(p, corev1.PodScheduled, corev1.ConditionTrue)
			return true
		},
		func(p *corev1.Pod) bool {
			began := h.time()
			p.Status.StartTime, p.Status.HostIP = &began, "10.0.0."+fmt.Sprint(h.r.IntN(250))
			h.condition(p, corev1.PodInitialized, corev1.ConditionTrue)
			for _, c := range p.Spec.Containers {
				p.Status.ContainerStatuses = append(p.Status.ContainerStatuses, corev1.ContainerStatus{Name: c.Name, Image: c.Image, State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "ContainerCreating"}}})
			}
			return true
		},
		func(p *corev1.Pod) bool {
			p.Status.Phase, p.Status.PodIP = "Running", fmt.Sprintf("10.244.%d.%d", h.r.IntN(250), h.r.IntN(250))
			p.Status.PodIPs = []corev1.PodIP{{IP: p.Status.PodIP}}
			for i := range p.Status.ContainerStatuses {
				h.run(p, i)
			}
			return true
		},
		func(p *corev1.Pod) bool { h.ready(p, 0, true); h.ready(p, 1, true); return true },
	}
}

func (h *hour) run(p *corev1.Pod, i int) {
	yes, c := true, &p.Status.ContainerStatuses[i]
	c.ImageID = c.Image + "@sha256:3b1c0f5f1e6f2d7a9c8b4e5d6f7a8b9c0d1e2f3a4b5c6d7e8f9a0b1c2d3e4f5a"
	c.Started, c.ContainerID = &yes, "containerd://"+h.hex(32)
	c.State = corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: h.time()}}
}

// restart is a crash of a container.
func (h *hour) restart() []func(*corev1.Pod) bool {
	end := func(c *corev1.ContainerStatus) *corev1.ContainerStateTerminated {
		return &corev1.ContainerStateTerminated{ExitCode: 1, Reason: "Error", StartedAt: h.time(), FinishedAt: h.time(), ContainerID: c.ContainerID}
	}
	return []func(*corev1.Pod) bool{
		func(p *corev1.Pod) bool {
			c := &p.Status.ContainerStatuses[0]
			c.State = corev1.ContainerState{Terminated: end(c)}
			h.ready(p, 0, false)
			return true
		},
		func(p *corev1.Pod) bool {
			c := &p.Status.ContainerStatuses[0]
			c.LastTerminationState, c.RestartCount = corev1.ContainerState{Terminated: end(c)}, c.RestartCount+1
			h.run(p, 0)
			return true
		},
		func(p *corev1.Pod) bool { h.ready(p, 0, true); return true },
	}
}

// replaced is a deletion, and the pod that comes instead.
func (h *hour) replaced() []func(*corev1.Pod) bool {
	return []func(*corev1.Pod) bool{
		func(p *corev1.Pod) bool {
			now, grace := h.time(), int64(30)
			p.DeletionTimestamp, p.DeletionGracePeriodSeconds = &now, &grace
			return true
		},
		func(p *corev1.Pod) bool { h.ready(p, 0, false); h.ready(p, 1, false); return true },
		func(*corev1.Pod) bool { return false },
		func(*corev1.Pod) bool { return true }, // it is new
	}
}

// write stores a pod, and tells the feed and the log.
func (h *hour) write(p *corev1.Pod) {
	h.version += 1 + h.r.IntN(3)
	p.ResourceVersion = fmt.Sprint(h.version)
	raw, err := p.Marshal()
	if err != nil {
		h.t.Fatal(err)
	}
	before, after := h.set(h.kind.Wrap(nil, raw))
	h.tell(before, after)
}

func (h *hour) tell(before, after *object.Object) {
	if h.feed == nil {
		if h.told != nil {
			h.told(before, after)
		}
		return
	}
	e := entry{at: h.now.UnixMilli(), kind: 'M'}
	if before != nil {
		e.key, e.before = sum([]byte(before.Key())), sum(h.kind.Payload(before))
	}
	if after != nil {
		e.key, e.after = sum([]byte(after.Key())), sum(h.kind.Payload(after))
	}
	switch {
	case before == nil:
		e.kind = 'A'
	case after == nil:
		e.kind = 'D'
	}
	h.log = append(h.log, e)
	h.feed.Note(h.now, before, after)
}

// step makes one change, and lets time pass.
func (h *hour) step() {
	h.now = h.now.Add(10 * time.Millisecond)
	i := h.r.IntN(len(h.pods))
	if len(h.todo[i]) == 0 {
		switch n := h.r.IntN(100); {
		case n < 70:
			container, ready := h.r.IntN(2), false
			h.todo[i] = []func(*corev1.Pod) bool{
				func(p *corev1.Pod) bool { h.ready(p, container, ready); return true },
				func(p *corev1.Pod) bool { h.ready(p, container, true); return true },
			}
		case n < 85:
			h.todo[i] = h.restart()
		default:
			h.todo[i] = append(h.replaced(), h.starting()...)
		}
	}
	next := h.todo[i][0]
	h.todo[i] = h.todo[i][1:]
	if h.pods[i] == nil {
		h.pods[i] = h.pod(i)
	}
	if !next(h.pods[i]) {
		o := h.objects[h.pods[i].Namespace+"/"+h.pods[i].Name]
		delete(h.objects, o.Key())
		h.pods[i] = nil
		h.tell(o, nil)
		return
	}
	h.write(h.pods[i])
}

// check compares all changes of the store with the log of the writer.
func (h *hour) check() (kept int) {
	h.t.Helper()
	from := h.now
	h.store.Between(0, time.Time{}, h.now, func(c history.Change) bool {
		if kept == 0 {
			from = c.At
		}
		kept++
		e := entry{at: c.At.UnixMilli(), kind: byte(c.Type), key: sum([]byte(c.Key)), before: sum(c.Before), after: sum(c.After)}
		if at := len(h.log) - h.changes() + kept - 1; at < 0 || at >= len(h.log) || h.log[at] != e {
			h.t.Fatalf("change %d: %+v, which was not written", kept, e)
		}
		return true
	})
	if claimed := h.changes(); kept != claimed {
		h.t.Errorf("%d of %d changes", kept, claimed)
	}
	for _, g := range h.store.Gaps(0) {
		if g.Why == history.Dropped && from.Before(g.To) {
			h.t.Errorf("the first change is of %v, all before %v is said to be dropped", from, g.To)
		}
	}
	return kept
}

// changes returns how many changes the store claims to have.
func (h *hour) changes() int { return int(h.store.Count()) - h.store.Dropped() }

// TestHour checks a twentieth of an hour at 100 changes a second of 10,000 pods: that every change is as it
// was written, within a twentieth of the limit.
func TestHour(t *testing.T) {
	h, memory := newHour(t, 500, history.Limit/20)
	for range 3600 * 100 / 20 {
		h.step()
	}
	kept := h.check()
	bytes, limit, dropped := memory.Used()
	t.Logf("%d changes in %d bytes, %d each; %d dropped", kept, bytes, bytes/kept, dropped)
	if bytes > limit || kept != len(h.log) {
		t.Errorf("%d bytes of %d; %d of %d changes", bytes, limit, kept, len(h.log))
	}
}

// TestRests checks that walks over a twentieth of an hour rest in time: over all objects of a moment, back
// and forward. The clock goes on by 1 ms whenever it is read, so that a walk rests after
// every few objects.
func TestRests(t *testing.T) {
	h, memory := newHour(t, 500, history.Limit)
	begun := h.now
	for range 3600 * 100 / 20 {
		h.step()
	}
	count, seen := memory.Restless(time.Millisecond), 0
	rested := func(what string, atLeast int) {
		t.Helper()
		if n := count() - seen; n < atLeast {
			t.Errorf("%d rests %s, want at least %d", n, what, atLeast)
		}
		seen = count()
	}
	any := func(history.Change) bool { return true }
	h.store.At(0, h.now.Add(-time.Second), func(history.Object) bool { return true })
	rested("over 500 objects", 500/5)
	h.store.Moved(0, h.now.Add(-time.Second), begun.Add(time.Second), nil, any)
	rested("on the way back, and over the objects that differ", 2*500/5)
	h.store.Moved(0, begun.Add(time.Second), begun.Add(time.Minute), nil, any)
	rested("on the way forward over 6,000 changes of 500 objects", 500/5)
}

func heap() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// BenchmarkHour is a whole hour.
func BenchmarkHour(b *testing.B) {
	for b.Loop() {
		h, memory := newHour(b, 10_000, history.Limit)
		h.log = make([]entry, 0, 400_000)
		pods := heap()
		for range 3600 * 100 {
			h.step()
		}
		with := heap()
		kept := h.check()
		bytes, _, dropped := memory.Used()
		low := h.now.Add(-59 * time.Minute)
		began := time.Now()
		n := 0
		h.store.At(0, low, func(history.Object) bool { n++; return true })
		at := time.Since(began)
		began = time.Now()
		h.store.Moved(0, low, h.now.Add(-30*time.Minute), nil, func(history.Change) bool { return true })
		moved := time.Since(began)
		began = time.Now()
		h.store.Between(0, low, h.now, func(history.Change) bool { return true })
		between := time.Since(began)
		began = time.Now()
		h.store.Moved(0, h.now.Add(-time.Minute), h.now.Add(-30*time.Second), nil, func(history.Change) bool { return true })
		near := time.Since(began)
		h.store.Close()
		without := heap()
		b.ReportMetric(float64(bytes)/float64(kept), "B/change")
		b.ReportMetric(float64(with-without)/float64(kept), "heapB/change")
		b.Logf("%.1f MB before, %.1f MB with, %.1f MB without; %d of %d changes in %.1f MB counted; %d dropped; At %v (%d), Moved 30m %v, Moved 30s %v, Between %v", float64(pods)/1e6, float64(with)/1e6, float64(without)/1e6, kept, len(h.log), float64(bytes)/1e6, dropped, at, n, moved, near, between)
		runtime.KeepAlive(h)
	}
}

// BenchmarkNote is what a change costs those who report it.
func BenchmarkNote(b *testing.B) {
	h, _ := newHour(b, 1000, history.Limit)
	type change struct {
		at            time.Time
		before, after *object.Object
	}
	feed, all := h.feed, make([]change, 0, 50_000)
	h.feed = nil
	h.told = func(before, after *object.Object) { all = append(all, change{h.now, before, after}) }
	for len(all) < cap(all) {
		h.step()
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		c := all[i%len(all)]
		feed.Note(c.at, c.before, c.after)
	}
}
