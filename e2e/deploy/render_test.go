package deploy

import (
	"bufio"
	"errors"
	"io"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/kubernetes/scheme"
)

// rendering is what one values file or overlay becomes.
type rendering struct {
	name    string
	text    string
	objects []runtime.Object // without custom resources
}

var rendered struct {
	once sync.Once
	all  []rendering
}

// renderings returns what all values files and overlays become.
func renderings(t *testing.T) []rendering {
	t.Helper()
	rendered.once.Do(func() {
		for _, file := range valuesFiles(t) {
			text, err := template(t, "-f", file)
			if err != nil {
				t.Fatal(err)
			}
			rendered.all = append(rendered.all, rendering{name: "chart-" + strings.TrimSuffix(filepath.Base(file), ".yaml"), text: text})
		}
		dirs, err := filepath.Glob(filepath.Join(overlays, "*"))
		if err != nil || len(dirs) == 0 {
			t.Fatal(dirs, err)
		}
		for _, dir := range dirs {
			text, err := run(t, kustomize, "build", dir)
			if err != nil {
				t.Fatal(err)
			}
			rendered.all = append(rendered.all, rendering{name: "overlay-" + filepath.Base(dir), text: text})
		}
		for i := range rendered.all {
			rendered.all[i].objects = decode(t, rendered.all[i].text)
		}
	})
	if len(rendered.all) == 0 {
		t.Fatal("nothing was rendered")
	}
	return rendered.all
}

// renderingOf returns one of them.
func renderingOf(t *testing.T, name string) rendering {
	t.Helper()
	for _, r := range renderings(t) {
		if r.name == name {
			return r
		}
	}
	t.Fatalf("there is no rendering %s", name)
	return rendering{}
}

// decode decodes objects strictly: an unknown or duplicate field is an error. Custom resources are
// left out; the API server validates them.
func decode(t *testing.T, text string) (objects []runtime.Object) {
	t.Helper()
	strict := json.NewSerializerWithOptions(json.DefaultMetaFactory, scheme.Scheme, scheme.Scheme, json.SerializerOptions{Yaml: true, Strict: true})
	reader := yaml.NewYAMLReader(bufio.NewReader(strings.NewReader(text)))
	for {
		doc, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return objects
		}
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(doc), "kind:") { // comments only
			continue
		}
		o, kind, err := strict.Decode(doc, nil, nil)
		if runtime.IsNotRegisteredError(err) && kind != nil && (kind.Kind == "HTTPRoute" || kind.Kind == "ServiceMonitor") {
			continue
		}
		if err != nil {
			t.Errorf("%v\n%s", err, doc)
			continue
		}
		objects = append(objects, o)
	}
}

// find returns the objects of a type.
func find[T runtime.Object](r rendering) (found []T) {
	for _, o := range r.objects {
		if x, ok := o.(T); ok {
			found = append(found, x)
		}
	}
	return found
}

// pods returns the pod templates of a rendering by the names of what has them.
func pods(t *testing.T, r rendering) map[string]*corev1.Pod {
	t.Helper()
	all := map[string]*corev1.Pod{}
	for _, d := range find[*appsv1.Deployment](r) {
		all["deployment"] = &corev1.Pod{ObjectMeta: d.Spec.Template.ObjectMeta, Spec: d.Spec.Template.Spec}
		all["deployment"].Name = d.Name
	}
	for _, p := range find[*corev1.Pod](r) {
		all["pod"] = p
	}
	if all["deployment"] == nil {
		t.Fatalf("%s has no Deployment", r.name)
	}
	for _, p := range all {
		p.APIVersion, p.Kind, p.Namespace = "v1", "Pod", namespace
	}
	return all
}

// program returns the container of Watchglass.
func program(t *testing.T, pod *corev1.Pod) *corev1.Container {
	t.Helper()
	for i := range pod.Spec.Containers {
		if pod.Spec.Containers[i].Name == "watchglass" {
			return &pod.Spec.Containers[i]
		}
	}
	t.Fatal("there is no container watchglass")
	return nil
}
