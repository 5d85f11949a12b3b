package e2e

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"strings"
	"testing"
	"text/template"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"

	"watchglass/e2e/proxy"
)

// kind is a kind that the tab prints: its list, and what addresses call it.
type kind struct {
	name, group, resource, address string
	namespaced                     bool
}

func (k kind) list() string { return k.group + "/" + k.resource }

var printedKinds = []kind{
	{"Deployment", "/apis/apps/v1", "deployments", "deployments.apps", true},
	{"ReplicaSet", "/apis/apps/v1", "replicasets", "rs", true},
	{"StatefulSet", "/apis/apps/v1", "statefulsets", "sts", true},
	{"DaemonSet", "/apis/apps/v1", "daemonsets", "ds", true},
	{"Job", "/apis/batch/v1", "jobs", "jobs.batch", true},
	{"CronJob", "/apis/batch/v1", "cronjobs", "cj", true},
	{"Service", "/api/v1", "services", "svc", true},
	{"ConfigMap", "/api/v1", "configmaps", "cm", true},
	{"Secret", "/api/v1", "secrets", "secrets", true},
	{"Node", "/api/v1", "nodes", "nodes", false},
	{"Namespace", "/api/v1", "namespaces", "ns", false},
	{"Event", "/api/v1", "events", "events", true},
	{"Ingress", "/apis/networking.k8s.io/v1", "ingresses", "ing", true},
	{"NetworkPolicy", "/apis/networking.k8s.io/v1", "networkpolicies", "netpol", true},
	{"EndpointSlice", "/apis/discovery.k8s.io/v1", "endpointslices", "endpointslices", true},
	{"PersistentVolume", "/api/v1", "persistentvolumes", "pv", false},
	{"PersistentVolumeClaim", "/api/v1", "persistentvolumeclaims", "pvc", true},
	{"StorageClass", "/apis/storage.k8s.io/v1", "storageclasses", "sc", false},
	{"ServiceAccount", "/api/v1", "serviceaccounts", "sa", true},
	{"RoleBinding", "/apis/rbac.authorization.k8s.io/v1", "rolebindings", "rolebindings", true},
	{"ClusterRoleBinding", "/apis/rbac.authorization.k8s.io/v1", "clusterrolebindings", "clusterrolebindings", false},
	{"PodDisruptionBudget", "/apis/policy/v1", "poddisruptionbudgets", "pdb", true},
	{"Lease", "/apis/coordination.k8s.io/v1", "leases", "leases", true},
}

//go:embed testdata/kinds.yaml
var kindStates string

// applyKinds makes the objects of a document in a namespace, each with its status.
func applyKinds(t *testing.T, ns string) {
	t.Helper()
	begin := time.Now()
	ago := func(layout string) func(string) (string, error) {
		return func(text string) (string, error) {
			d, err := time.ParseDuration(text)
			return begin.Add(-d).UTC().Truncate(time.Second).Format(layout), err
		}
	}
	text := new(bytes.Buffer)
	page, err := template.New("kinds").Funcs(template.FuncMap{"ago": ago(time.RFC3339), "micro": ago("2006-01-02T15:04:05.000000Z07:00")}).Parse(kindStates)
	if err == nil {
		err = page.Execute(text, ns)
	}
	if err != nil {
		t.Fatal(err)
	}
	for doc := range strings.SplitSeq(text.String(), "\n---\n") {
		applyKind(t, ns, []byte(doc))
	}
}

func applyKind(t *testing.T, ns string, doc []byte) {
	t.Helper()
	doc, err := yaml.YAMLToJSON(doc)
	if err != nil {
		t.Fatal(err)
	}
	var object struct {
		APIVersion, Kind string
		Metadata         metav1.ObjectMeta
		Status           json.RawMessage
	}
	if err := json.Unmarshal(doc, &object); err != nil {
		t.Fatal(err)
	}
	list := ""
	for _, k := range printedKinds {
		if k.name != object.Kind {
			continue
		}
		group := k.group
		if object.APIVersion == "events.k8s.io/v1" {
			group = "/apis/" + object.APIVersion
		}
		if list = group + "/" + k.resource; k.namespaced {
			list = group + "/namespaces/" + ns + "/" + k.resource
		}
	}
	rest, path := admin.CoreV1().RESTClient(), list+"/"+object.Metadata.Name
	if err := rest.Post().AbsPath(list).SetHeader("Content-Type", "application/json").Body(doc).Do(t.Context()).Error(); err != nil {
		t.Fatalf("%s %s: %v", object.Kind, object.Metadata.Name, err)
	}
	t.Cleanup(func() {
		if err := rest.Delete().AbsPath(path).Param("propagationPolicy", "Background").Do(context.Background()).Error(); err != nil && len(object.Metadata.Finalizers) == 0 {
			t.Error(err)
		}
	})
	patch := func(path, doc string) {
		if err := rest.Patch(types.MergePatchType).AbsPath(path).Body([]byte(doc)).Do(t.Context()).Error(); err != nil {
			t.Fatalf("%s %s: %v", object.Kind, object.Metadata.Name, err)
		}
	}
	if object.Status != nil {
		patch(path+"/status", `{"status":`+string(object.Status)+`}`)
	}
	if len(object.Metadata.Finalizers) > 0 {
		if err := rest.Delete().AbsPath(path).Param("propagationPolicy", "Background").Do(t.Context()).Error(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			err := rest.Patch(types.MergePatchType).AbsPath(path).Body([]byte(`{"metadata":{"finalizers":null}}`)).Do(context.Background()).Error()
			if err != nil {
				t.Error(err)
			}
		})
	}
}

// askedKinds are those of the first that the tab and kubectl are asked the same of.
const askedKinds = 12

// TestKinds makes objects of each kind in every state that a client can, and
// compares each cell with what the apiserver prints for it.
func TestKinds(t *testing.T) {
	ns := namespace(t)
	applyKinds(t, ns)
	p := serve(t, proxy.Options{})
	for n, k := range printedKinds {
		t.Run(k.resource, func(t *testing.T) {
			e := synced(t, p.At("/"+k.address+"?cols=wide"))
			rows := e.printsLike(k.list(), k.namespaced)
			if len(rows.Rows) < 2 {
				t.Errorf("%d rows show little", len(rows.Rows))
			}
			if encoding := e.inspect().Sources[0].Encoding; encoding != "protobuf" {
				t.Errorf("they came as %s", encoding)
			}
			e.press("w")
			e.await(`parseInt(document.querySelector("#count").textContent) > 0 && !location.search.includes("wide")`)
			e.keep("page")
			if n < askedKinds {
				e.asked(k.resource, ofAny, false)
			}
			if right := eval[int](e, `innerWidth - document.querySelector("main").getBoundingClientRect().right`); right != 0 {
				t.Errorf("the list ends %d pixels before the page", right)
			}
		})
	}
}

// TestTableKinds opens kinds that the tab does not print: the server's columns show.
func TestTableKinds(t *testing.T) {
	p := serve(t, proxy.Options{})
	for address, path := range map[string]string{
		"clusterroles":                      "/apis/rbac.authorization.k8s.io/v1/clusterroles",
		"flowschemas":                       "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas",
		"apiservices":                       "/apis/apiregistration.k8s.io/v1/apiservices",
		"priorityclasses.scheduling.k8s.io": "/apis/scheduling.k8s.io/v1/priorityclasses",
	} {
		t.Run(address, func(t *testing.T) {
			e := synced(t, p.At("/"+address+"?cols=wide"))
			if rows := e.printsLike(path, false); len(rows.Rows) < 2 {
				t.Errorf("%d rows show little", len(rows.Rows))
			}
			if encoding := e.inspect().Sources[0].Encoding; encoding != "table" {
				t.Errorf("they came as %s", encoding)
			}
		})
	}
}
