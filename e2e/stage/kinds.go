package stage

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/x509"
	"crypto/x509/pkix"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"html/template"
	"math/big"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"
)

// Kind is a kind that the tab prints: its list, and what addresses call it, unless it
// is gone to from the rail.
type Kind struct {
	Name, Group, Resource, Address string
	Namespaced                     bool
}

// List is the path of all of them.
func (k Kind) List() string { return k.Group + "/" + k.Resource }

// In is the path of those in a namespace, or of all if the kind has no namespaces.
func (k Kind) In(ns string) string {
	if !k.Namespaced {
		return k.List()
	}
	return k.Group + "/namespaces/" + ns + "/" + k.Resource
}

// ID is what the rail calls it.
func (k Kind) ID() string {
	if parts := strings.Split(k.Group, "/"); parts[1] == "apis" {
		return k.Resource + "." + parts[2]
	}
	return k.Resource
}

// PrintedKinds are the kinds that the tab prints, but pods.
var PrintedKinds = []Kind{
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
	{"ReplicationController", "/api/v1", "replicationcontrollers", "", true},
	{"PodTemplate", "/api/v1", "podtemplates", "", true},
	{"ControllerRevision", "/apis/apps/v1", "controllerrevisions", "", true},
	{"HorizontalPodAutoscaler", "/apis/autoscaling/v2", "horizontalpodautoscalers", "hpa", true},
	{"Endpoints", "/api/v1", "endpoints", "", true},
	{"IngressClass", "/apis/networking.k8s.io/v1", "ingressclasses", "", false},
	{"ServiceCIDR", "/apis/networking.k8s.io/v1", "servicecidrs", "", false},
	{"IPAddress", "/apis/networking.k8s.io/v1", "ipaddresses", "", false},
	{"ResourceQuota", "/api/v1", "resourcequotas", "", true},
	{"LimitRange", "/api/v1", "limitranges", "", true},
	{"PriorityClass", "/apis/scheduling.k8s.io/v1", "priorityclasses", "", false},
	{"RuntimeClass", "/apis/node.k8s.io/v1", "runtimeclasses", "", false},
	{"CSINode", "/apis/storage.k8s.io/v1", "csinodes", "", false},
	{"CSIDriver", "/apis/storage.k8s.io/v1", "csidrivers", "", false},
	{"CSIStorageCapacity", "/apis/storage.k8s.io/v1", "csistoragecapacities", "", true},
	{"VolumeAttachment", "/apis/storage.k8s.io/v1", "volumeattachments", "", false},
	{"VolumeAttributesClass", "/apis/storage.k8s.io/v1", "volumeattributesclasses", "vac", false},
	{"Role", "/apis/rbac.authorization.k8s.io/v1", "roles", "", true},
	{"ClusterRole", "/apis/rbac.authorization.k8s.io/v1", "clusterroles", "", false},
	{"CertificateSigningRequest", "/apis/certificates.k8s.io/v1", "certificatesigningrequests", "", false},
	{"MutatingWebhookConfiguration", "/apis/admissionregistration.k8s.io/v1", "mutatingwebhookconfigurations", "", false},
	{"ValidatingWebhookConfiguration", "/apis/admissionregistration.k8s.io/v1", "validatingwebhookconfigurations", "", false},
	{"MutatingAdmissionPolicy", "/apis/admissionregistration.k8s.io/v1", "mutatingadmissionpolicies", "", false},
	{"MutatingAdmissionPolicyBinding", "/apis/admissionregistration.k8s.io/v1", "mutatingadmissionpolicybindings", "", false},
	{"ValidatingAdmissionPolicy", "/apis/admissionregistration.k8s.io/v1", "validatingadmissionpolicies", "", false},
	{"ValidatingAdmissionPolicyBinding", "/apis/admissionregistration.k8s.io/v1", "validatingadmissionpolicybindings", "", false},
	{"Event", "/apis/events.k8s.io/v1", "events", "events.events.k8s.io", true},
	{"APIService", "/apis/apiregistration.k8s.io/v1", "apiservices", "", false},
	{"FlowSchema", "/apis/flowcontrol.apiserver.k8s.io/v1", "flowschemas", "", false},
	{"PriorityLevelConfiguration", "/apis/flowcontrol.apiserver.k8s.io/v1", "prioritylevelconfigurations", "", false},
	{"DeviceClass", "/apis/resource.k8s.io/v1", "deviceclasses", "", false},
	{"ResourceClaim", "/apis/resource.k8s.io/v1", "resourceclaims", "", true},
	{"ResourceClaimTemplate", "/apis/resource.k8s.io/v1", "resourceclaimtemplates", "", true},
	{"ResourceSlice", "/apis/resource.k8s.io/v1", "resourceslices", "", false},
}

//go:embed testdata/kinds.yaml
var kindStates string

// ApplyKinds makes the objects of a document in a namespace, each with its status.
func ApplyKinds(t *testing.T, ns string) {
	t.Helper()
	begin := time.Now()
	ago := func(layout string) func(string) (string, error) {
		return func(text string) (string, error) {
			d, err := time.ParseDuration(text)
			return begin.Add(-d).UTC().Truncate(time.Second).Format(layout), err
		}
	}
	request, certificate := certificates(t)
	text := new(bytes.Buffer)
	page, err := template.New("kinds").Funcs(template.FuncMap{
		"ago": ago(time.RFC3339), "micro": ago("2006-01-02T15:04:05.000000Z07:00"),
		"request": func() string { return request }, "certificate": func() string { return certificate },
	}).Parse(kindStates)
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

// certificates are a request for one, and one, as an object holds them.
func certificates(t *testing.T) (request, certificate string) {
	t.Helper()
	_, key, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	encode := func(kind string) func([]byte, error) string {
		return func(der []byte, err error) string {
			if err != nil {
				t.Fatal(err)
			}
			return base64.StdEncoding.EncodeToString(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}))
		}
	}
	request = encode("CERTIFICATE REQUEST")(x509.CreateCertificateRequest(nil, &x509.CertificateRequest{Subject: pkix.Name{CommonName: "ana"}}, key))
	one := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour)}
	return request, encode("CERTIFICATE")(x509.CreateCertificate(nil, one, one, key.Public(), key))
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
	list, group := "", "/api/"+object.APIVersion
	if strings.Contains(object.APIVersion, "/") {
		group = "/apis/" + object.APIVersion
	}
	for _, k := range PrintedKinds {
		if k.Name == object.Kind && k.Group == group {
			list = k.In(ns)
		}
	}
	rest, path := Admin.CoreV1().RESTClient(), list+"/"+object.Metadata.Name
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
		if object.Kind == "CertificateSigningRequest" { // which is approved before all else
			patch(path+"/approval", `{"status":`+string(object.Status)+`}`)
		}
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

const (
	// GaugesPath is where the custom resources of the tests are.
	GaugesPath = "/apis/e2e.example.com/v1"
	// DefinitionsPath is where kinds are defined.
	DefinitionsPath = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
)
