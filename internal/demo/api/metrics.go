//go:build !js

package api

import (
	"fmt"
	"hash/fnv"
	"math"
	"net/http"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"watchglass/internal/demo/store"
)

// metricsEvery is how often metrics are measured, as by metrics-server.
const metricsEvery = 15 * time.Second

// Metrics are the kinds of metrics. Nothing of them is stored: they follow from the pods and the
// clock.
var Metrics = []*Kind{
	{Group: "metrics.k8s.io", Version: "v1beta1", Resource: "nodes", Name: "NodeMetrics", Measured: true},
	{Group: "metrics.k8s.io", Version: "v1beta1", Resource: "pods", Name: "PodMetrics", Namespaced: true, Measured: true},
}

// amounts is what is used: "cpu" and "memory".
type amounts map[string]string

// measurement is an object of either kind.
type measurement struct {
	metav1.TypeMeta `json:",inline"`
	Metadata        struct {
		Name      string            `json:"name"`
		Namespace string            `json:"namespace,omitempty"`
		Created   metav1.Time       `json:"creationTimestamp"`
		Labels    map[string]string `json:"labels,omitempty"`
	} `json:"metadata"`
	Timestamp  metav1.Time `json:"timestamp"`
	Window     string      `json:"window"`
	Usage      amounts     `json:"usage,omitempty"`
	Containers []container `json:"containers,omitempty"`
}

type container struct {
	Name  string  `json:"name"`
	Usage amounts `json:"usage"`
}

// metrics answers with all metrics of a kind, those of a name, or with one object.
func (s *Server) metrics(w http.ResponseWriter, r *http.Request, p route) *metav1.Status {
	q, name := request{route: p}, p.name
	if status := q.parse(r.URL.Query()); status != nil {
		return status
	}
	if f := q.options.FieldSelector; name == "" && f != nil {
		name, _ = f.RequiresExactMatch("metadata.name")
	}
	at := s.Now().Truncate(metricsEvery)
	nodes := make(map[string][2]float64)
	var items []measurement
	for o := range s.Store.Resource("pods").State().From(store.Key{Namespace: p.namespace}) {
		if p.namespace != "" && o.Namespace != p.namespace {
			break
		}
		pod := new(corev1.Pod)
		if err := pod.Unmarshal(o.Raw); err != nil {
			return statusOf(apierrors.NewInternalError(err))
		}
		m := s.measurement(p.kind, o.Key, pod.Labels, at)
		for _, c := range pod.Status.ContainerStatuses {
			if c.State.Running == nil {
				continue
			}
			cpu, memory := used(pod, c.Name, at)
			m.Containers = append(m.Containers, container{c.Name, usageOf(cpu, memory)})
			sum := nodes[pod.Spec.NodeName]
			nodes[pod.Spec.NodeName] = [2]float64{sum[0] + cpu, sum[1] + memory}
		}
		if p.kind.Namespaced && len(m.Containers) > 0 && (name == "" || name == o.Name) {
			items = append(items, m)
		}
	}
	if !p.kind.Namespaced {
		for o := range s.Store.Resource("nodes").State().All() {
			if name == "" || name == o.Name {
				m := s.measurement(p.kind, o.Key, nil, at)
				m.Usage = usageOf(nodes[o.Name][0]+0.2, nodes[o.Name][1]+2e9) // and what runs outside of pods
				items = append(items, m)
			}
		}
	}
	switch {
	case p.name == "":
		writeJSON(w, jsonType, http.StatusOK, map[string]any{"kind": p.kind.listName(), "apiVersion": p.kind.apiVersion(), "metadata": map[string]any{}, "items": append([]measurement{}, items...)})
	case len(items) == 0:
		return statusOf(apierrors.NewNotFound(p.kind.GroupResource(), p.name))
	default:
		writeJSON(w, jsonType, http.StatusOK, items[0])
	}
	return nil
}

func (s *Server) measurement(k *Kind, key store.Key, labels map[string]string, at time.Time) measurement {
	m := measurement{TypeMeta: metav1.TypeMeta{Kind: k.Name, APIVersion: k.apiVersion()}, Timestamp: metav1.NewTime(at.UTC()), Window: metricsEvery.String()}
	m.Metadata.Name, m.Metadata.Namespace, m.Metadata.Labels, m.Metadata.Created = key.Name, key.Namespace, labels, m.Timestamp
	return m
}

func usageOf(cpu, memory float64) amounts {
	return amounts{"cpu": fmt.Sprintf("%dn", int64(cpu*1e9)), "memory": fmt.Sprintf("%dKi", int64(memory)>>10)}
}

// used returns what a container uses: cores and bytes. Load comes in waves of minutes, of another
// length and height for each pod, around a part of what is requested. Memory grows slowly until
// it is collected.
func used(pod *corev1.Pod, name string, at time.Time) (cpu, memory float64) {
	h := fnv.New64a()
	_, _ = h.Write([]byte(pod.UID))
	seed := h.Sum64()
	part := func(bits uint) float64 { return float64(seed>>bits&0xff) / 255 }
	wave := func(period, phase float64) float64 {
		return (1 + math.Sin(2*math.Pi*(float64(at.Unix())/period+phase))) / 2
	}
	requests := corev1.ResourceList{}
	for _, c := range pod.Spec.Containers {
		if c.Name == name {
			requests = c.Resources.Requests
		}
	}
	cpu, memory = max(requests.Cpu().AsApproximateFloat64(), 0.05), max(requests.Memory().AsApproximateFloat64(), 32<<20)
	cpu *= 0.1 + 0.6*part(0) + 0.4*part(8)*wave(240+600*part(16), part(24))
	_, saw := math.Modf(float64(at.Unix())/(1800+3600*part(32)) + part(40))
	memory *= 0.4 + 0.3*part(48) + 0.2*saw
	return cpu, memory
}
