package oracle

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"

	"watchglass/internal/object"
)

// truth asks the apiserver what there is, with a client of its own whose
// connections nobody cuts. It is for one goroutine.
type truth struct {
	pods    *kubernetes.Clientset
	gauges  dynamic.ResourceInterface
	decoder *object.Decoder
	encoder runtime.Encoder
	printed map[string]string // what the pods of the last list print, by their stamp
	history int64             // in which that was so
}

var gaugesResource = schema.GroupVersionResource{Group: gauges.Group, Version: gauges.Version, Resource: gauges.Resource}

func newTruth(config *rest.Config) (*truth, error) {
	config = rest.CopyConfig(config)
	config.Wrap(func(next http.RoundTripper) http.RoundTripper { return atOnce{next} })
	dynamic, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	config.ContentType = runtime.ContentTypeProtobuf
	pods, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	kind, _ := object.Builtin("pods")
	return &truth{
		pods: pods, gauges: dynamic.Resource(gaugesResource), decoder: object.NewDecoder(kind, false),
		encoder: protobuf.NewSerializer(scheme.Scheme, scheme.Scheme),
	}, nil
}

// atOnce takes away what makes client-go ask ten times, four seconds each, for a version that a
// server which went back does not have.
type atOnce struct{ next http.RoundTripper }

func (a atOnce) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := a.next.RoundTrip(r)
	if err == nil && answer.StatusCode == http.StatusGatewayTimeout {
		answer.Header.Del("Retry-After")
	}
	return answer, err
}

// at is what there is of a kind at a version, or now if there is none: of each key,
// which object it is at which version, and what a pod prints.
func (q *truth) at(ctx context.Context, kind object.Kind, version string, history int64) (all map[string]string, now string, err error) {
	options := metav1.ListOptions{ResourceVersion: version}
	if version != "" {
		options.ResourceVersionMatch = metav1.ResourceVersionMatchExact
	}
	if kind.Resource == gauges.Resource {
		list, err := q.gauges.List(ctx, options)
		if err != nil {
			return nil, "", err
		}
		all = make(map[string]string, len(list.Items))
		for _, o := range list.Items {
			all[o.GetNamespace()+"/"+o.GetName()] = stamp(&o)
		}
		return all, list.GetResourceVersion(), nil
	}
	list, err := q.pods.CoreV1().Pods("").List(ctx, options)
	if err != nil {
		return nil, "", err
	}
	all, err = q.print(list.Items, history)
	return all, list.ResourceVersion, err
}

func stamp(o metav1.Object) string { return string(o.GetUID()) + " " + o.GetResourceVersion() }

// print prints pods as they would be shown, had they come in a watch.
func (q *truth) print(pods []corev1.Pod, history int64) (map[string]string, error) {
	all, printed := make(map[string]string, len(pods)), make(map[string]string, len(pods))
	for i := range pods {
		pod := &pods[i]
		stamp := stamp(pod)
		text, known := q.printed[stamp]
		if !known || q.history != history {
			pod.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Pod"))
			payload, err := runtime.Encode(q.encoder, pod)
			if err != nil {
				return nil, err
			}
			made, err := q.decoder.Decode(payload)
			if err != nil {
				return nil, err
			}
			text = made.Text(true)
		}
		printed[stamp] = text
		all[pod.Namespace+"/"+pod.Name] = stamp + " " + text
	}
	q.printed, q.history = printed, history
	return all, nil
}

// stored is what a store holds, in the same form.
func stored(kind object.Kind, objects []*object.Object) map[string]string {
	all := make(map[string]string, len(objects))
	for _, o := range objects {
		all[o.Key()] = o.Stamp()
		if kind.Printed() {
			all[o.Key()] += " " + o.Text(true)
		}
	}
	return all
}

// difference is the first by key of what one has otherwise than the other.
func difference(have, want map[string]string) string {
	if maps.Equal(have, want) {
		return ""
	}
	var wrong []string
	for key, w := range want {
		if h, ok := have[key]; !ok {
			wrong = append(wrong, key+" is missing")
		} else if h != w {
			wrong = append(wrong, fmt.Sprintf("%s is %q instead of %q", key, h, w))
		}
	}
	for key := range have {
		if _, ok := want[key]; !ok {
			wrong = append(wrong, key+" is too many")
		}
	}
	slices.Sort(wrong)
	return fmt.Sprintf("%d of %d differ: %s", len(wrong), len(want), wrong[0])
}
