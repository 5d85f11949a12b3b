package detail

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	rbacv1 "k8s.io/api/rbac/v1"

	"watchglass/e2e/stage"
)

// definition is a kind as its project defines it: where its objects are, and a column
// that tells how they are.
type definition struct {
	group, version, plural, kind string
	wide                         bool
	column                       string // its name, a space, its path
}

func (d definition) list(ns string) string {
	if d.wide {
		return "/apis/" + d.group + "/" + d.version + "/" + d.plural
	}
	return "/apis/" + d.group + "/" + d.version + "/namespaces/" + ns + "/" + d.plural
}

// define makes the apiserver serve kinds, and leaves them there: it rebuilds its OpenAPI for
// each kind that is removed, which takes most of a core for minutes.
func define(t *testing.T, all ...definition) {
	t.Helper()
	waits := []string{"wait", "--for=condition=Established", "--timeout=60s"}
	for _, d := range all {
		scope := map[bool]string{true: "Cluster", false: "Namespaced"}[d.wide]
		name, path, _ := strings.Cut(d.column, " ")
		columns := ""
		if name != "" {
			columns = fmt.Sprintf(`,"additionalPrinterColumns":[{"name":%q,"type":"string","jsonPath":%q}]`, name, path)
		}
		stage.Post(t, stage.DefinitionsPath, fmt.Sprintf(`{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"%[1]s.%[2]s"},
			"spec":{"group":%[2]q,"scope":%[3]q,"names":{"plural":%[1]q,"singular":%[4]q,"kind":%[5]q,"listKind":"%[5]sList"},
			"versions":[{"name":%[6]q,"served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}%[7]s}]}}`,
			d.plural, d.group, scope, strings.ToLower(d.kind), d.kind, d.version, columns))
		waits = append(waits, "crd/"+d.plural+"."+d.group)
	}
	stage.Kubectl(t, waits...)
}

// defineProjects defines the projects' kinds once for all tests.
var defineProjects sync.Once

// projects are kinds in the shapes of those of four projects.
var projects = []definition{
	{"tekton.dev", "v1", "pipelineruns", "PipelineRun", false, "Succeeded .status.succeeded"}, {"tekton.dev", "v1", "taskruns", "TaskRun", false, "Succeeded .status.succeeded"},
	{"cert-manager.io", "v1", "certificates", "Certificate", false, "Ready .status.ready"}, {"cert-manager.io", "v1", "certificaterequests", "CertificateRequest", false, "Ready .status.ready"},
	{"acme.cert-manager.io", "v1", "orders", "Order", false, "State .status.state"}, {"acme.cert-manager.io", "v1", "challenges", "Challenge", false, "State .status.state"},
	{"pkg.crossplane.io", "v1", "providers", "Provider", true, "Healthy .status.healthy"}, {"pkg.crossplane.io", "v1", "providerrevisions", "ProviderRevision", true, "Healthy .status.healthy"},
	{"serving.knative.dev", "v1", "services", "Service", false, "Ready .status.ready"}, {"serving.knative.dev", "v1", "routes", "Route", false, "Ready .status.ready"},
	{"serving.knative.dev", "v1", "configurations", "Configuration", false, "Ready .status.ready"}, {"serving.knative.dev", "v1", "revisions", "Revision", false, "Ready .status.ready"},
	{"autoscaling.internal.knative.dev", "v1alpha1", "podautoscalers", "PodAutoscaler", false, ""},
	{"keda.sh", "v1alpha1", "scaledobjects", "ScaledObject", false, "Ready .status.ready"},
}

// made is an object that was made: who it is to what it owns, and to the page.
type made struct{ apiVersion, kind, resource, path, namespace, name, uid string }

// called is how the page names it.
func (m made) called() string {
	if m.namespace == "" {
		return m.resource + " " + m.name
	}
	return m.resource + " " + m.namespace + "/" + m.name
}

// household makes objects that own each other.
type household struct {
	t  *testing.T
	ns string
}

// put makes an object of a list, which others may own.
func (h household) put(list, apiVersion, kind, resource, name, body string, owners ...made) made {
	h.t.Helper()
	var refs []metav1.OwnerReference
	for _, o := range owners {
		refs = append(refs, metav1.OwnerReference{APIVersion: o.apiVersion, Kind: o.kind, Name: o.name, UID: types.UID(o.uid)})
	}
	owned, err := json.Marshal(refs)
	if err != nil {
		h.t.Fatal(err)
	}
	doc := fmt.Sprintf(`{"apiVersion":%q,"kind":%q,"metadata":{"name":%q,"ownerReferences":%s}%s}`, apiVersion, kind, name, owned, body)
	rest := stage.Admin.CoreV1().RESTClient()
	raw, err := rest.Post().AbsPath(list).SetHeader("Content-Type", "application/json").Body([]byte(doc)).DoRaw(h.t.Context())
	if err != nil {
		h.t.Fatalf("%s %s: %v %s", kind, name, err, raw)
	}
	var has struct{ Metadata metav1.ObjectMeta }
	if err := json.Unmarshal(raw, &has); err != nil {
		h.t.Fatal(err)
	}
	m := made{apiVersion, kind, resource, list + "/" + name, has.Metadata.Namespace, name, string(has.Metadata.UID)}
	h.t.Cleanup(func() { _ = rest.Delete().AbsPath(m.path).Do(context.Background()).Error() }) // it may be gone
	return m
}

func (h household) custom(plural, name, status string, owners ...made) made {
	h.t.Helper()
	i := slices.IndexFunc(projects, func(d definition) bool { return d.plural+"."+d.group == plural })
	d := projects[i]
	return h.put(d.list(h.ns), d.group+"/"+d.version, d.kind, plural, name, `,"status":`+status, owners...)
}

func (h household) remove(m made) {
	h.t.Helper()
	if err := stage.Admin.CoreV1().RESTClient().Delete().AbsPath(m.path).Param("gracePeriodSeconds", "0").Do(h.t.Context()).Error(); err != nil {
		h.t.Fatal(err)
	}
}

const (
	podTemplate = `{"metadata":{"labels":{"app":"hello"}},"spec":{"containers":[{"name":"main","image":"registry.example/app:1"}]}}`
	ofTemplate  = `,"spec":{"selector":{"matchLabels":{"app":"hello"}},"template":` + podTemplate + `}`
)

func (h household) pod(name string, owner made) made {
	h.t.Helper()
	return h.put("/api/v1/namespaces/"+h.ns+"/pods", "v1", "Pod", "pods", name, `,"spec":{"automountServiceAccountToken":false,"containers":[{"name":"main","image":"registry.example/app:1"}]}`, owner)
}

func (h household) deployment(name string, owner ...made) made {
	h.t.Helper()
	return h.put("/apis/apps/v1/namespaces/"+h.ns+"/deployments", "apps/v1", "Deployment", "deployments.apps", name, ofTemplate, owner...)
}

func (h household) replicaSet(name string, owner made) made {
	h.t.Helper()
	return h.put("/apis/apps/v1/namespaces/"+h.ns+"/replicasets", "apps/v1", "ReplicaSet", "replicasets.apps", name, ofTemplate, owner)
}

// showsTree has the page show the list, and waits until it does: a button that moves as the
// search ends, on a busy machine, is missed by a click at the place where it was.
const showsTree = `(button => button && (button.getAttribute("aria-pressed") === "true" || (button.click(), false)))(document.querySelector("[data-action=related-tree]"))`

// awaitOwned waits until the page shows exactly these relations of ownership.
func (e eyes) awaitOwned(chains ...[]made) {
	e.T.Helper()
	want := []string{}
	for _, chain := range chains {
		for i, m := range chain[1:] {
			want = append(want, chain[i].called()+"|owns|"+m.called())
		}
	}
	slices.Sort(want)
	doc, err := json.Marshal(slices.Compact(want))
	e.Must(err)
	e.Await(showsTree)
	const have = `JSON.stringify([...document.querySelectorAll("#graph[data-shape=tree] .item")].flatMap(i => i.dataset.edge.split("\n")).filter(i => i.includes("|owns|")).sort())`
	if err := e.Tab.Await(have+" === "+string(mustJSON(string(doc))), stage.Soon); err != nil {
		e.T.Fatalf("%v\nis  %s\nnot %s\n%s", err, stage.Eval[string](e, have), doc, e.Text("#pane"))
	}
}

// related opens what belongs to an object.
func (e eyes) related(m made) {
	e.T.Helper()
	e.GoTo("/" + m.resource + "?sel=" + strings.TrimPrefix(m.called(), m.resource+" ") + "&tab=related")
}

// TestRelatedCustom holds that the objects of custom kinds are shown with what they own,
// from one kind to the next and in other groups, and with their owners, live; and that
// built-in kinds are shown with the custom ones that they own.
func TestRelatedCustom(t *testing.T) {
	defineProjects.Do(func() { define(t, projects...) })
	h := household{t, stage.Namespace(t)}
	run := h.custom("pipelineruns.tekton.dev", "build", `{"succeeded":"Unknown"}`)
	task := h.custom("taskruns.tekton.dev", "build-compile", `{"succeeded":"True"}`, run)
	taskPod := h.pod("build-compile-pod", task)

	certificate := h.custom("certificates.cert-manager.io", "web", `{"ready":"False"}`)
	request := h.custom("certificaterequests.cert-manager.io", "web-1", `{"ready":"False"}`, certificate)
	order := h.custom("orders.acme.cert-manager.io", "web-1-7", `{"state":"pending"}`, request)
	challenge := h.custom("challenges.acme.cert-manager.io", "web-1-7-9", `{"state":"pending"}`, order)
	secret := h.put("/api/v1/namespaces/"+h.ns+"/secrets", "v1", "Secret", "secrets", "web-tls", ``, certificate)

	service := h.custom("services.serving.knative.dev", "hello", `{"ready":"True"}`)
	route := h.custom("routes.serving.knative.dev", "hello", `{"ready":"True"}`, service)
	configuration := h.custom("configurations.serving.knative.dev", "hello", `{"ready":"True"}`, service)
	revision := h.custom("revisions.serving.knative.dev", "hello-1", `{"ready":"True"}`, configuration)
	scaler := h.custom("podautoscalers.autoscaling.internal.knative.dev", "hello-1", `{}`, revision)
	deployment := h.deployment("hello-1", revision)
	set := h.replicaSet("hello-1-a", deployment)
	pod := h.pod("hello-1-a-b", set)
	scaled := h.custom("scaledobjects.keda.sh", "hello-1", `{"ready":"True"}`, deployment)

	provider := h.custom("providers.pkg.crossplane.io", h.ns, `{"healthy":"True"}`)
	active := h.custom("providerrevisions.pkg.crossplane.io", h.ns+"-1", `{"healthy":"True"}`, provider)
	controller := h.deployment("provider", active)
	controllerSet := h.replicaSet("provider-a", controller)

	e := show(t, "/pods?n="+h.ns)
	for _, c := range []struct {
		focus  made
		chains [][]made
	}{
		{run, [][]made{{run, task, taskPod}}},
		{taskPod, [][]made{{run, task, taskPod}}},
		{certificate, [][]made{{certificate, request, order, challenge}, {certificate, secret}}},
		{secret, [][]made{{certificate, secret}}},
		{service, [][]made{{service, route}, {service, configuration, revision, deployment, set, pod}, {revision, scaler}, {deployment, scaled}}},
		{deployment, [][]made{{service, configuration, revision, deployment, set, pod}, {deployment, scaled}}},
		{provider, [][]made{{provider, active, controller, controllerSet}}},
	} {
		e.related(c.focus)
		e.awaitOwned(c.chains...)
	}

	e.related(service)
	e.awaitOwned([]made{service, route}, []made{service, configuration, revision, deployment, set, pod}, []made{revision, scaler}, []made{deployment, scaled})
	e.Await(`document.querySelector("#unsearched").parentElement.innerText.includes("not searched")`) // kinds that nothing speaks for
	e.KeepLooks("custom")
	e.Await(`[...document.querySelectorAll("#graph .item")].some(i => i.innerText.includes("Revision") && i.querySelector(".part").textContent === "Ready" && i.querySelector(".part").dataset.tone === "ok")`)

	e.related(certificate)
	e.awaitOwned([]made{certificate, request, order, challenge}, []made{certificate, secret})
	h.remove(challenge)
	e.awaitOwned([]made{certificate, request, order}, []made{certificate, secret})
	second := h.custom("orders.acme.cert-manager.io", "web-1-8", `{"state":"valid"}`, request)
	e.awaitOwned([]made{certificate, request, order}, []made{request, second}, []made{certificate, secret})
	e.Await(`[...document.querySelectorAll("#graph .item")].some(i => i.innerText.includes("web-1-8") && i.innerText.includes("valid"))`)
}

// TestRelatedCustomDenied is the view of somebody who may see a PipelineRun and its pods,
// and no TaskRun: it is named, with the apiserver's words.
func TestRelatedCustomDenied(t *testing.T) {
	defineProjects.Do(func() { define(t, projects...) })
	h := household{t, stage.Namespace(t)}
	run := h.custom("pipelineruns.tekton.dev", "build", `{}`)
	h.custom("taskruns.tekton.dev", "build-compile", `{}`, run)
	pod := h.pod("build-pod", run)
	pia := stage.Someone(t)
	role, err := stage.Admin.RbacV1().Roles(h.ns).Create(t.Context(), &rbacv1.Role{ObjectMeta: metav1.ObjectMeta{Name: "pia"}, Rules: []rbacv1.PolicyRule{
		{APIGroups: []string{"tekton.dev"}, Resources: []string{"pipelineruns"}, Verbs: stage.Reads}, {APIGroups: []string{""}, Resources: []string{"pods"}, Verbs: stage.Reads},
	}}, metav1.CreateOptions{})
	if err == nil {
		_, err = stage.Admin.RbacV1().RoleBindings(h.ns).Create(t.Context(), &rbacv1.RoleBinding{ObjectMeta: metav1.ObjectMeta{Name: "pia"},
			Subjects: []rbacv1.Subject{{Kind: "User", APIGroup: rbacv1.GroupName, Name: pia.Name}}, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: role.Name}}, metav1.CreateOptions{})
	}
	if err != nil {
		t.Fatal(err)
	}
	p := stage.ServeTo(t, pia, h.ns)
	e := synced(t, p.At("/pods?n="+h.ns), "403")
	e.related(run)
	e.awaitOwned([]made{run, pod})
	e.Await(`/\d+ kinds not searched/.test(document.querySelector("[data-action=related-kinds]").textContent)`)
	e.Must(e.Click("[data-action=related-kinds]"))
	e.Says("#unsearched", "taskruns.tekton.dev: ", `cannot list resource "taskruns" in API group "tekton.dev"`)
	if strings.Contains(e.Text("#graph"), "can't be listed") && strings.Contains(e.Text("#graph"), "TaskRun") {
		t.Error("a kind that was merely searched is shown as one that belongs to it")
	}
}

// TestRelatedSweep holds that kinds which nothing speaks for are searched when that is
// asked for, and that what is found is shown and followed.
func TestRelatedSweep(t *testing.T) {
	far := []definition{}
	for i := range 25 { // more than are searched without being asked to
		far = append(far, definition{"things.io", "v1", fmt.Sprintf("things%02d", i), fmt.Sprintf("Thing%02d", i), false, ""})
	}
	define(t, far...)
	h := household{t, stage.Namespace(t)}
	deployment := h.deployment("web")
	d := far[17]
	thing := h.put(d.list(h.ns), d.group+"/v1", d.kind, d.plural+"."+d.group, "far", "", deployment)
	e := show(t, "/deployments.apps?n="+h.ns)
	e.related(deployment)
	e.awaitOwned()
	e.Must(e.Click("[data-action=related-kinds]"))
	e.Says("#unsearched", "Not searched for owned objects", thing.resource)
	e.Must(e.Click("[data-action=related-sweep]"))
	e.awaitOwned([]made{deployment, thing})
	e.Await(`/^Searched once/.test(document.querySelector("[data-action=related-kinds]").textContent)`)
	e.KeepLooks("sweep")
	h.remove(thing)
	e.awaitOwned()
}
