package main

import (
	"compress/gzip"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"watchglass/internal/history"
	"watchglass/internal/history/recording"
	"watchglass/internal/object"
)

// recorded is a cluster whose pods a Store is told of: they become unready and ready, restart, and are
// replaced.
type recorded struct {
	kind    object.Kind
	decoder *object.Decoder
	objects map[string]*object.Object
	feed    *history.Input
	random  *rand.Rand
	now     time.Time
	pods    []*corev1.Pod
	made    int
	version int
}

func (c *recorded) List() []*object.Object { return slices.Collect(maps.Values(c.objects)) }

func (c *recorded) Get(key string) (*object.Object, bool) {
	o, ok := c.objects[key]
	return o, ok
}

// recordBusy writes a recording of a busy cluster, and returns its size, and how long it took to write
// what was remembered.
func recordBusy(file string, pods int, churn float64, lasts time.Duration) (size int64, took time.Duration, err error) {
	kind, _ := object.Builtin("pods")
	to := time.Now().Truncate(time.Second)
	c := &recorded{kind: kind, decoder: object.NewDecoder(kind, true), objects: make(map[string]*object.Object), random: rand.New(rand.NewPCG(7, 7)), now: to.Add(-lasts), version: 88_000_000}
	for range pods {
		p := c.pod()
		c.pods = append(c.pods, p)
		if _, _, err := c.put(p); err != nil {
			return 0, 0, err
		}
	}
	store := history.NewStore(history.NewMemory(history.Limit, nil))
	c.feed = store.NewInput(history.Source{Kind: kind, Decoder: c.decoder, Held: func(f func(history.Objects)) { f(c) }})
	c.feed.Join(c.now, c)
	for n := range int(churn * lasts.Seconds()) {
		c.now = to.Add(-lasts + time.Duration(float64(n)/churn*float64(time.Second)))
		if err := c.step(); err != nil {
			return 0, 0, err
		}
	}
	if dropped := store.Dropped(); dropped > 0 {
		return 0, 0, fmt.Errorf("%d changes did not fit into the history", dropped)
	}
	return save(file, store)
}

// save writes what a Store has to a file.
func save(file string, store *history.Store) (size int64, took time.Duration, err error) {
	f, err := os.Create(file)
	if err != nil {
		return 0, 0, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	from, to := store.Span()
	zipped, began := gzip.NewWriter(f), time.Now()
	_, err = recording.Write(store, recording.Header{Cluster: "prod-eu", User: "ana", Version: "v1.2.3", From: from, To: to}, recording.Choices{}, func(piece []byte) error {
		_, err := zipped.Write(piece)
		return err
	})
	if err = errors.Join(err, zipped.Close()); err != nil {
		return 0, 0, err
	}
	took = time.Since(began)
	about, err := f.Stat()
	if err != nil {
		return 0, 0, err
	}
	return about.Size(), took, nil
}

// step makes one change.
func (c *recorded) step() error {
	i := c.random.IntN(len(c.pods))
	p := c.pods[i]
	switch n := c.random.IntN(40); {
	case p == nil:
		p = c.pod()
		c.pods[i] = p
	case n == 0:
		key := p.Namespace + "/" + p.Name
		before := c.objects[key]
		delete(c.objects, key)
		c.pods[i] = nil
		c.feed.Note(c.now, before, nil)
		return nil
	case n < 8:
		s := &p.Status.ContainerStatuses[0]
		s.RestartCount++
		s.ContainerID = c.hex("containerd://", 4)
		s.State = corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: metav1.NewTime(c.now)}}
	default:
		c.ready(p, !p.Status.ContainerStatuses[0].Ready)
	}
	before, after, err := c.put(p)
	c.feed.Note(c.now, before, after)
	return err
}

// put stores a pod.
func (c *recorded) put(p *corev1.Pod) (before, after *object.Object, err error) {
	c.version += 1 + c.random.IntN(3)
	p.ResourceVersion = fmt.Sprint(c.version)
	raw, err := p.Marshal()
	if err == nil {
		after, err = c.decoder.Decode(c.kind.Wrap(nil, raw))
	}
	if err != nil {
		return nil, nil, err
	}
	before = c.objects[after.Key()]
	c.objects[after.Key()] = after
	return before, after, nil
}

func (c *recorded) hex(text string, words int) string {
	for range words {
		text += fmt.Sprintf("%016x", c.random.Uint64())
	}
	return text
}

func (c *recorded) ready(p *corev1.Pod, ready bool) {
	p.Status.ContainerStatuses[0].Ready = ready
	status := map[bool]corev1.ConditionStatus{true: corev1.ConditionTrue, false: corev1.ConditionFalse}[ready]
	p.Status.Conditions = p.Status.Conditions[:2]
	for _, of := range []corev1.PodConditionType{corev1.ContainersReady, corev1.PodReady} {
		p.Status.Conditions = append(p.Status.Conditions, corev1.PodCondition{Type: of, Status: status, LastTransitionTime: metav1.NewTime(c.now)})
	}
}

// pod returns a new pod that runs.
func (c *recorded) pod() *corev1.Pod {
	set, yes := c.random.IntN(250), true
	c.made++
	name, hash, made := fmt.Sprintf("service-%d", set), fmt.Sprintf("%010d", set*7919), metav1.NewTime(c.now.Truncate(time.Second))
	uid := c.hex("", 2)
	p := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Name: fmt.Sprintf("%s-%s-%05x", name, hash, c.made), GenerateName: name + "-" + hash + "-", Namespace: fmt.Sprintf("team-%02d", set%25),
			UID: types.UID(uid[:8] + "-" + uid[8:12] + "-" + uid[12:16] + "-" + uid[16:20] + "-" + uid[20:]), CreationTimestamp: made,
			Labels:          map[string]string{"app": name, "pod-template-hash": hash, "app.kubernetes.io/part-of": "shop"},
			OwnerReferences: []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "ReplicaSet", Name: name + "-" + hash, UID: types.UID(fmt.Sprintf("0a6c1f0e-8a58-4a0e-9d3b-%012d", set)), Controller: &yes, BlockOwnerDeletion: &yes}},
		},
		Spec: corev1.PodSpec{
			NodeName: fmt.Sprintf("node-%04d", c.random.IntN(500)), ServiceAccountName: name, RestartPolicy: "Always", DNSPolicy: "ClusterFirst", SchedulerName: "default-scheduler",
			Containers: []corev1.Container{{
				Name: "web", Image: "registry.example.com/shop/web:1.42.0", ImagePullPolicy: "IfNotPresent",
				Ports:        []corev1.ContainerPort{{Name: "http", ContainerPort: 8080, Protocol: "TCP"}},
				Env:          []corev1.EnvVar{{Name: "LOG_LEVEL", Value: "info"}, {Name: "DATABASE", Value: "postgres://db.shop.svc:5432/" + name}},
				VolumeMounts: []corev1.VolumeMount{{Name: "config", MountPath: "/etc/web", ReadOnly: true}, {Name: c.hex("kube-api-access-", 1), MountPath: "/var/run/secrets/kubernetes.io/serviceaccount", ReadOnly: true}},
			}},
			Volumes: []corev1.Volume{{Name: "config", VolumeSource: corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{LocalObjectReference: corev1.LocalObjectReference{Name: name}}}}},
		},
		Status: corev1.PodStatus{
			Phase: "Running", QOSClass: "Burstable", PodIP: fmt.Sprintf("10.244.%d.%d", c.random.IntN(250), c.random.IntN(250)), StartTime: &made,
			Conditions:        []corev1.PodCondition{{Type: corev1.PodScheduled, Status: "True", LastTransitionTime: made}, {Type: corev1.PodInitialized, Status: "True", LastTransitionTime: made}},
			ContainerStatuses: []corev1.ContainerStatus{{Name: "web", Image: "registry.example.com/shop/web:1.42.0", ContainerID: c.hex("containerd://", 4), Started: &yes, State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: made}}}},
		},
	}
	c.ready(p, true)
	return p
}
