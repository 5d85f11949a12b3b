//go:build !js

package object

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// computedTexts returns the cells of an object's computed columns, with and without its packed
// bytes.
func computedTexts(t *testing.T, resource string, doc runtime.Object) []string {
	t.Helper()
	kind, _ := Builtin(resource)
	d := NewDecoder(kind, true).Share(new(CodeTable))
	read := func(drop bool) (texts []string) {
		o, err := d.Decode(payload(t, doc))
		if err != nil {
			t.Fatal(err)
		}
		if drop {
			NewBudget(0).Keep(o)
		}
		o = o.Derive(nil)
		columns := slices.Concat(d.Columns(), kind.ComputedColumns())
		for i := range columns {
			if columns[i].Computed() {
				texts = append(texts, string(o.Cell(columns, i).Append(nil, time.Unix(10_000, 0))))
			}
		}
		return texts
	}
	kept, dropped := read(false), read(true)
	if !slices.Equal(kept, dropped) {
		t.Errorf("%q, but without the bytes %q", kept, dropped)
	}
	return kept
}

func ended(reason string, code, signal int32, at int64) *corev1.ContainerStateTerminated {
	return &corev1.ContainerStateTerminated{Reason: reason, ExitCode: code, Signal: signal, FinishedAt: metav1.Unix(at, 0)}
}

// TestComputedPods checks the computed cells of pods.
func TestComputedPods(t *testing.T) {
	running := func(name string) corev1.ContainerStatus {
		return corev1.ContainerStatus{Name: name, Ready: true, State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: metav1.Unix(9000, 0)}}}
	}
	waits := func(name, why string) corev1.ContainerStatus {
		return corev1.ContainerStatus{Name: name, State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: why, Message: "not part of it"}}}
	}
	is := func(name string, end *corev1.ContainerStateTerminated) corev1.ContainerStatus {
		return corev1.ContainerStatus{Name: name, State: corev1.ContainerState{Terminated: end}}
	}
	was := func(s corev1.ContainerStatus, restarts int32, end *corev1.ContainerStateTerminated) corev1.ContainerStatus {
		s.RestartCount, s.LastTerminationState.Terminated = restarts, end
		return s
	}
	done := is("init", ended("Completed", 0, 0, 8000))
	always := corev1.ContainerRestartPolicyAlways
	for name, c := range map[string]struct {
		containers, inits []corev1.ContainerStatus
		want              []string // last restart, exit, exit code, waiting
	}{
		"nothing known yet": {nil, nil, []string{"", "", "", ""}},
		"healthy":           {[]corev1.ContainerStatus{running("a"), running("b")}, nil, []string{"", "", "", ""}},
		"after its init":    {[]corev1.ContainerStatus{running("a")}, []corev1.ContainerStatus{done}, []string{"", "", "", ""}},
		"running again":     {[]corev1.ContainerStatus{was(running("a"), 2, ended("OOMKilled", 137, 0, 7000))}, nil, []string{"50m", "OOMKilled", "137", ""}},
		"in a loop":         {[]corev1.ContainerStatus{was(waits("a", "CrashLoopBackOff"), 9, ended("Error", 1, 0, 9700))}, nil, []string{"5m", "Error", "1", "CrashLoopBackOff"}},
		"between two runs":  {[]corev1.ContainerStatus{was(is("a", ended("Error", 2, 0, 9900)), 1, ended("OOMKilled", 137, 0, 9700))}, nil, []string{"5m", "Error", "2", ""}},
		"completed":         {[]corev1.ContainerStatus{is("a", ended("Completed", 0, 0, 9000))}, nil, []string{"", "Completed", "0", ""}},
		"without reasons":   {[]corev1.ContainerStatus{is("a", ended("", 3, 0, 9000)), is("b", ended("", 0, 9, 9000))}, nil, []string{"", "ExitCode:3, Signal:9", "3, 0", ""}},
		"several": {
			[]corev1.ContainerStatus{was(running("a"), 1, ended("Error", 1, 0, 1000)), was(running("b"), 1, ended("OOMKilled", 137, 0, 2800)), was(waits("c", "ImagePullBackOff"), 1, ended("Error", 1, 0, 900))},
			nil, []string{"120m", "Error, OOMKilled", "137, 1", "ImagePullBackOff"},
		},
		"a failing init container": {
			[]corev1.ContainerStatus{waits("a", "PodInitializing")},
			[]corev1.ContainerStatus{done, was(waits("init2", "CrashLoopBackOff"), 4, ended("Error", 127, 0, 9940))},
			[]string{"60s", "Error", "127", "PodInitializing, CrashLoopBackOff"},
		},
		"an init container that failed and then succeeded": {[]corev1.ContainerStatus{running("a")}, []corev1.ContainerStatus{was(done, 2, ended("Error", 1, 0, 7000))}, []string{"", "", "", ""}},
		"a sidecar that was killed":                        {[]corev1.ContainerStatus{running("a")}, []corev1.ContainerStatus{done, was(running("side"), 1, ended("OOMKilled", 137, 0, 6400))}, []string{"60m", "OOMKilled", "137", ""}},
		"a sidecar that exited and runs again":             {[]corev1.ContainerStatus{running("a")}, []corev1.ContainerStatus{was(running("side"), 1, ended("Completed", 0, 0, 6400))}, []string{"60m", "Completed", "0", ""}},
	} {
		p := &corev1.Pod{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"}, ObjectMeta: metav1.ObjectMeta{Name: "x", Namespace: "a"}}
		for _, s := range c.containers {
			p.Spec.Containers = append(p.Spec.Containers, corev1.Container{Name: s.Name})
		}
		for i, s := range c.inits {
			one := corev1.Container{Name: s.Name}
			if s.Name == "side" {
				one.RestartPolicy = &always
				c.inits[i].Started = &s.Ready
			}
			p.Spec.InitContainers = append(p.Spec.InitContainers, one)
		}
		p.Status = corev1.PodStatus{Phase: corev1.PodRunning, ContainerStatuses: c.containers, InitContainerStatuses: c.inits}
		if got := computedTexts(t, "pods", p); !slices.Equal(got[:4], c.want) {
			t.Errorf("%s: %q, want %q", name, got[:4], c.want)
		}
	}
}

// TestComputedImages checks the images of a pod without their registry.
func TestComputedImages(t *testing.T) {
	p := &corev1.Pod{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"}, ObjectMeta: metav1.ObjectMeta{Name: "x"}}
	for _, image := range []string{"docker.io/library/nginx:1.27", "docker.io/envoyproxy/envoy:v1.31", "nginx:1.27", "localhost/x", "registry:5000/team/app@sha256:abc", "registry:5000/team/app:v2@sha256:abc"} {
		p.Spec.Containers = append(p.Spec.Containers, corev1.Container{Image: image})
	}
	p.Spec.InitContainers = []corev1.Container{{Image: "busybox"}}
	const want = "nginx:1.27, envoyproxy/envoy:v1.31, x, team/app@sha256:abc, team/app:v2, busybox"
	if got := computedTexts(t, "pods", p); got[4] != want {
		t.Errorf("%q, want %q", got[4], want)
	}
}

// TestComputedNodes checks which conditions of nodes are not as they should be.
func TestComputedNodes(t *testing.T) {
	for want, all := range map[string][]corev1.NodeCondition{
		"":                             {{Type: "MemoryPressure", Status: "False"}, {Type: "Ready", Status: "True"}, {Type: "EtcdIsVoter", Status: "True"}},
		"KernelDeadlock":               {{Type: "KernelDeadlock", Status: "True"}, {Type: "ReadonlyFilesystem", Status: "False"}, {Type: "Ready", Status: "True"}},
		"NotReady":                     {{Type: "MemoryPressure", Status: "Unknown"}, {Type: "Ready", Status: "Unknown"}},
		"MemoryPressure, DiskPressure": {{Type: "MemoryPressure", Status: "True"}, {Type: "DiskPressure", Status: "True"}, {Type: "Ready", Status: "True"}},
		"NetworkUnavailable, PIDPressure, NotReady": {{Type: "NetworkUnavailable", Status: "True"}, {Type: "PIDPressure", Status: "True"}, {Type: "Ready", Status: "False"}},
	} {
		n := &corev1.Node{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Node"}, ObjectMeta: metav1.ObjectMeta{Name: "n"}, Status: corev1.NodeStatus{Conditions: all}}
		if got := computedTexts(t, "nodes", n); !slices.Equal(got, []string{want}) {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestComputedUnknown checks that what cannot be computed is unknown, not empty.
func TestComputedUnknown(t *testing.T) {
	kind, _ := Builtin("pods")
	d := NewDecoder(kind, false).Share(new(CodeTable))
	pod := realPod()
	pod.Status.ContainerStatuses = []corev1.ContainerStatus{{State: corev1.ContainerState{Terminated: ended("Error", 1, 0, 9000)}}}
	o, err := d.Decode(payload(t, pod))
	if err != nil {
		t.Fatal(err)
	}
	columns := slices.Concat(d.Columns(), kind.ComputedColumns())
	at := slices.IndexFunc(columns, func(c Column) bool { return c.Name == "Exit Code" })
	if c := o.Cell(columns, at); c.Text != "…" || !c.Unknown {
		t.Errorf("%+v", c)
	}
	if _, ok := o.Cell(columns, at).Number(); ok {
		t.Error("it has a number")
	}
	if crd := (Kind{Group: "example.com", Version: "v1", Resource: "pods", Name: "Pod"}); crd.ComputedColumns() != nil {
		t.Error("a kind of the same name has computed columns")
	}
}

// TestQuiet compares what is known of a pod's facts at decode with the facts, for random containers,
// and checks that the cells of a quiet pod need no excerpt.
func TestQuiet(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	kind := podKind(t)
	d := NewDecoder(kind, true).Share(new(CodeTable))
	state := func() (s corev1.ContainerState) {
		switch r.IntN(6) {
		case 0:
			s.Waiting = &corev1.ContainerStateWaiting{Reason: []string{"", "PodInitializing"}[r.IntN(2)]}
		case 1:
			s.Terminated = ended([]string{"", "Completed"}[r.IntN(2)], int32(r.IntN(2)), 0, 8000)
		default:
			s.Running = new(corev1.ContainerStateRunning)
		}
		return s
	}
	list := func() (all []corev1.ContainerStatus) {
		for range r.IntN(3) {
			s := corev1.ContainerStatus{State: state()}
			if r.IntN(8) == 0 {
				s.LastTerminationState = state()
			}
			all = append(all, s)
		}
		return all
	}
	columns := kind.ComputedColumns()
	known := 0
	for range 2000 {
		pod := realPod()
		pod.Status.ContainerStatuses, pod.Status.InitContainerStatuses = list(), list()
		o, err := d.Decode(payload(t, pod))
		if err != nil {
			t.Fatal(err)
		}
		was := o.quiet
		for i, c := range columns {
			if c.computed < exits || c.computed > waitingReasons {
				continue
			}
			o.quiet = was
			got := o.Cell(columns, i)
			code := o.Code(factsCode)
			if was && (o.excerpt.Load() != 0 || code != quietExcerpt) || !was && code <= quietExcerpt {
				t.Fatalf("quiet: %v, excerpt %d, code %d", was, o.excerpt.Load(), code)
			}
			o.quiet = false
			if want := o.Cell(columns, i); got != want {
				t.Fatalf("%s: %+v, want %+v: %+v", c.Name, got, want, pod.Status)
			}
			o.excerpt.Store(0)
		}
		if was {
			known++
		}
	}
	if known < 300 {
		t.Errorf("%d of 2,000 are quiet", known)
	}
}
