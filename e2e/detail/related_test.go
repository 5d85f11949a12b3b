package detail

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"watchglass/e2e/stage"
)

// doc is an object as the apiserver has it.
type doc map[string]any

// at goes down a path of names and numbers; what is not there is nil.
func (d doc) at(path ...string) any {
	var v any = map[string]any(d)
	for _, name := range path {
		m, _ := v.(map[string]any)
		v = m[name]
	}
	return v
}

func (d doc) text(path ...string) string {
	text, _ := d.at(path...).(string)
	return text
}

// each calls f for each object in a list.
func (d doc) each(f func(doc), path ...string) {
	list, _ := d.at(path...).([]any)
	for _, v := range list {
		if m, ok := v.(map[string]any); ok {
			f(m)
		}
	}
}

func (d doc) has(path ...string) bool { return d.at(path...) != nil }

// labels are those of the object.
func (d doc) labels() labels.Set {
	out := labels.Set{}
	m, _ := d.at("metadata", "labels").(map[string]any)
	for k, v := range m {
		out[k] = fmt.Sprint(v)
	}
	return out
}

// plurals are the resources of the kinds that take part, as addresses name them.
var plurals = map[string]string{
	"Deployment": "deployments.apps", "ReplicaSet": "replicasets.apps", "Pod": "pods", "Service": "services",
	"EndpointSlice": "endpointslices.discovery.k8s.io", "Ingress": "ingresses.networking.k8s.io", "IngressClass": "ingressclasses.networking.k8s.io",
	"HorizontalPodAutoscaler": "horizontalpodautoscalers.autoscaling", "PodDisruptionBudget": "poddisruptionbudgets.policy",
	"NetworkPolicy": "networkpolicies.networking.k8s.io", "PersistentVolumeClaim": "persistentvolumeclaims", "PersistentVolume": "persistentvolumes",
	"StorageClass": "storageclasses.storage.k8s.io", "ConfigMap": "configmaps", "Secret": "secrets", "ServiceAccount": "serviceaccounts", "Node": "nodes",
}

// member is a kind of which a family has objects.
type member struct{ version, kind string }

var members = []member{
	{"apps/v1", "Deployment"}, {"apps/v1", "ReplicaSet"}, {"v1", "Pod"}, {"v1", "Service"}, {"discovery.k8s.io/v1", "EndpointSlice"},
	{"networking.k8s.io/v1", "Ingress"}, {"autoscaling/v2", "HorizontalPodAutoscaler"}, {"policy/v1", "PodDisruptionBudget"},
	{"networking.k8s.io/v1", "NetworkPolicy"}, {"v1", "PersistentVolumeClaim"}, {"v1", "ConfigMap"}, {"v1", "Secret"}, {"v1", "ServiceAccount"},
	{"v1", "Node"}, {"v1", "PersistentVolume"}, {"storage.k8s.io/v1", "StorageClass"},
}

var unspaced = []string{"PersistentVolume", "StorageClass", "Node", "IngressClass"}

// called is how the page names an object: its resource, a space, its key.
func called(kind, namespace, name string) string {
	if slices.Contains(unspaced, kind) || namespace == "" {
		return plurals[kind] + " " + name
	}
	return plurals[kind] + " " + namespace + "/" + name
}

func (d doc) called() string {
	return called(d.text("kind"), d.text("metadata", "namespace"), d.text("metadata", "name"))
}

// told is a relation: from, verb, to.
type told [3]string

func (r told) String() string { return strings.Join(r[:], "|") }

// relationsOf derives all relations from what kubectl prints.
func relationsOf(all []doc) map[told]bool {
	out := make(map[told]bool)
	for _, d := range all {
		ns, me := d.text("metadata", "namespace"), d.called()
		tell := func(verb, kind, name string) {
			if name != "" {
				out[told{me, verb, called(kind, ns, name)}] = true
			}
		}
		d.each(func(owner doc) {
			other := called(owner.text("kind"), ns, owner.text("name"))
			if i := slices.IndexFunc(all, func(o doc) bool { return o.called() == other }); i < 0 || all[i].text("metadata", "uid") == owner.text("uid") {
				out[told{other, "owns", me}] = true
			}
		}, "metadata", "ownerReferences")
		switch d.text("kind") {
		case "Pod":
			tell("runs on", "Node", d.text("spec", "nodeName"))
			derivePod(doc(d.at("spec").(map[string]any)), tell)
		case "Deployment", "ReplicaSet":
			derivePod(doc(d.at("spec", "template", "spec").(map[string]any)), tell)
		case "Ingress":
			d.each(func(rule doc) {
				rule.each(func(path doc) { tell("routes to", "Service", path.text("backend", "service", "name")) }, "http", "paths")
			}, "spec", "rules")
			d.each(func(tls doc) { tell("uses", "Secret", tls.text("secretName")) }, "spec", "tls")
			tell("uses", "IngressClass", d.text("spec", "ingressClassName"))
		case "HorizontalPodAutoscaler":
			tell("scales", d.text("spec", "scaleTargetRef", "kind"), d.text("spec", "scaleTargetRef", "name"))
		case "PersistentVolumeClaim":
			tell("binds", "PersistentVolume", d.text("spec", "volumeName"))
			tell("uses", "StorageClass", d.text("spec", "storageClassName"))
		case "PersistentVolume":
			tell("uses", "StorageClass", d.text("spec", "storageClassName"))
			out[told{called("PersistentVolumeClaim", d.text("spec", "claimRef", "namespace"), d.text("spec", "claimRef", "name")), "binds", me}] = true
		case "EndpointSlice":
			d.each(func(e doc) { tell("routes to", e.text("targetRef", "kind"), e.text("targetRef", "name")) }, "endpoints")
			out[told{called("Service", ns, d.labels()["kubernetes.io/service-name"]), "routes to", me}] = true
		}
		for _, pod := range all {
			if s := deriveSelector(d); s != nil && pod.text("kind") == "Pod" && pod.text("metadata", "namespace") == ns && s.Matches(pod.labels()) {
				tell("selects", "Pod", pod.text("metadata", "name"))
			}
		}
	}
	return out
}

func derivePod(spec doc, tell func(verb, kind, name string)) {
	tell("uses", "ServiceAccount", spec.text("serviceAccountName"))
	spec.each(func(v doc) {
		tell("mounts", "PersistentVolumeClaim", v.text("persistentVolumeClaim", "claimName"))
		tell("mounts", "ConfigMap", v.text("configMap", "name"))
		v.each(func(s doc) { tell("mounts", "ConfigMap", s.text("configMap", "name")) }, "projected", "sources")
	}, "volumes")
	spec.each(func(c doc) {
		c.each(func(from doc) { tell("uses", "ConfigMap", from.text("configMapRef", "name")) }, "envFrom")
		c.each(func(env doc) { tell("uses", "Secret", env.text("valueFrom", "secretKeyRef", "name")) }, "env")
	}, "containers")
}

// deriveSelector is what an object selects pods by, or nil.
func deriveSelector(d doc) labels.Selector {
	field := map[string]string{"Service": "selector", "PodDisruptionBudget": "selector", "NetworkPolicy": "podSelector"}[d.text("kind")]
	if field == "" || !d.has("spec", field) {
		return nil
	}
	raw, _ := json.Marshal(d.at("spec", field))
	var s metav1.LabelSelector
	if d.text("kind") == "Service" {
		_ = json.Unmarshal(raw, &s.MatchLabels) // what kubectl printed
	} else {
		_ = json.Unmarshal(raw, &s)
	}
	selector, err := metav1.LabelSelectorAsSelector(&s)
	if err != nil {
		return nil
	}
	return selector
}

// further is where the way goes on, by the verb that was come by, and at what.
var further = map[string][]string{
	"<selects services":              {"<routes to"},
	"<routes to services":            {"<routes to"},
	"<routes to endpointslices":      {"<routes to"},
	">routes to services":            {">selects", ">routes to"},
	">selects pods":                  {">runs on"},
	">routes to pods":                {">runs on"},
	">mounts persistentvolumeclaims": {">binds", ">uses"},
	">binds persistentvolumes":       {">uses"},
	"<binds persistentvolumeclaims":  {"<mounts"},
}

// belongs derives what is shown of an object: the objects, and the relations.
func belongs(truth map[told]bool, focus string) (objects map[string]bool, relations map[told]bool) {
	ends := func(at, verb string) (all []string) { // verb with the direction before it
		for r := range truth {
			if verb == ">"+r[1] && r[0] == at {
				all = append(all, r[2])
			} else if verb == "<"+r[1] && r[2] == at {
				all = append(all, r[0])
			}
		}
		return all
	}
	line := func(verb string) map[string]bool {
		out := map[string]bool{}
		for todo := []string{focus}; len(todo) > 0; todo = todo[1:] {
			for _, other := range ends(todo[0], verb) {
				if !out[other] {
					out[other] = true
					todo = append(todo, other)
				}
			}
		}
		return out
	}
	above, own := line("<owns"), line(">owns")
	own[focus] = true
	objects = map[string]bool{}
	for _, set := range []map[string]bool{above, own} {
		for o := range set {
			objects[o] = true
		}
	}
	var reach func(from, verb string, seen map[string]bool)
	reach = func(from, verb string, seen map[string]bool) {
		for _, to := range ends(from, verb) {
			resource, _, _ := strings.Cut(strings.Fields(to)[0], ".")
			if mark := verb + " " + to; !own[to] && !above[to] && !seen[mark] {
				seen[mark] = true
				objects[to] = true
				for _, next := range further[verb+" "+resource] {
					reach(to, next, seen)
				}
			}
		}
	}
	seen := map[string]bool{}
	for _, verb := range []string{"owns", "scales", "routes to", "selects", "runs on", "mounts", "uses", "binds"} {
		for o := range own {
			reach(o, ">"+verb, seen)
			reach(o, "<"+verb, seen)
		}
	}
	for o := range above {
		reach(o, "<scales", seen)
	}
	return objects, without(truth, objects, above, focus)
}

// without leaves out what goes without saying, since an owner says it.
func without(truth map[told]bool, objects, above map[string]bool, focus string) map[told]bool {
	var ownerSays func(who string, r told, depth int) bool
	ownerSays = func(who string, r told, depth int) bool {
		for o := range truth {
			if o[1] == "owns" && o[2] == who && objects[o[0]] && depth < 9 && (truth[told{o[0], r[1], r[2]}] || ownerSays(o[0], r, depth+1)) {
				return true
			}
		}
		return false
	}
	out := map[told]bool{}
	for r := range truth {
		switch {
		case !objects[r[0]] || !objects[r[2]]:
		case r[1] == "owns" || r[0] == focus || r[2] == focus:
			out[r] = true
		case ownerSays(r[0], r, 0), above[r[0]] && truth[told{focus, r[1], r[2]}]:
		default:
			out[r] = true
		}
	}
	return out
}

// family is a namespace of objects that belong together.
type family struct {
	t  *testing.T
	ns string
}

// put creates an object, and returns it as the apiserver has it.
func (f family) put(apiVersion, kind, name string, body doc) doc {
	f.t.Helper()
	meta := map[string]any{"name": name}
	if !slices.Contains(unspaced, kind) {
		meta["namespace"] = f.ns
	}
	if extra, ok := body["metadata"].(map[string]any); ok {
		for k, v := range extra {
			meta[k] = v
		}
	}
	out := doc{"apiVersion": apiVersion, "kind": kind}
	for k, v := range body {
		out[k] = v
	}
	out["metadata"] = meta
	raw, err := json.Marshal(out)
	if err != nil {
		f.t.Fatal(err)
	}
	made, err := stage.Admin.CoreV1().RESTClient().Post().AbsPath(f.list(apiVersion, kind)).SetHeader("Content-Type", "application/json").Body(raw).DoRaw(f.t.Context())
	var has doc
	if err == nil {
		err = json.Unmarshal(made, &has)
	}
	if err != nil {
		f.t.Fatalf("%s %s: %v %s", kind, name, err, made)
	}
	return has
}

// list is the path of the objects of a kind.
func (f family) list(apiVersion, kind string) string {
	resource, _, _ := strings.Cut(cmp.Or(plurals[kind], strings.ToLower(kind)+"s"), ".")
	path := map[bool]string{true: "/api/", false: "/apis/"}[apiVersion == "v1"] + apiVersion
	if !slices.Contains(unspaced, kind) {
		path += "/namespaces/" + f.ns
	}
	return path + "/" + resource
}

func (d doc) owner() map[string]any {
	return map[string]any{"apiVersion": d.text("apiVersion"), "kind": d.text("kind"), "name": d.text("metadata", "name"), "uid": d.text("metadata", "uid"), "controller": true}
}

type object = map[string]any
type list = []any

// podSpec is what the pods run.
func (f family) podSpec(node string) object {
	spec := object{
		"serviceAccountName": "runner", "automountServiceAccountToken": false,
		"containers": list{object{"name": "main", "image": "registry.example/web:1",
			"envFrom": list{object{"configMapRef": object{"name": "settings"}}},
			"env":     list{object{"name": "KEY", "valueFrom": object{"secretKeyRef": object{"name": "creds", "key": "key"}}}},
		}},
		"volumes": list{
			object{"name": "data", "persistentVolumeClaim": object{"claimName": "data"}},
			object{"name": "all", "projected": object{"sources": list{object{"configMap": object{"name": "not-there"}}}}},
		},
	}
	if node != "" {
		spec["nodeName"] = node
	}
	return spec
}

func (f family) pod(name, node string, owner doc, app string) doc {
	f.t.Helper()
	return f.put("v1", "Pod", name, doc{"metadata": object{"labels": object{"app": app}, "ownerReferences": list{owner.owner()}}, "spec": f.podSpec(f.ns + node)})
}

// found makes the whole family.
func found(t *testing.T) (f family, set doc) {
	t.Helper()
	f = family{t, strings.ToLower(t.Name())}
	if _, err := stage.Admin.CoreV1().Namespaces().Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: f.ns}}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.remove)
	app := object{"matchLabels": object{"app": "web"}}
	template := object{"metadata": object{"labels": object{"app": "web"}}, "spec": f.podSpec("")}
	for _, n := range []string{"-1", "-2"} {
		f.put("v1", "Node", f.ns+n, doc{})
	}
	f.put("storage.k8s.io/v1", "StorageClass", f.ns, doc{"provisioner": "disks.example.com"})
	claim := f.put("v1", "PersistentVolumeClaim", "data", doc{"spec": object{"accessModes": list{"ReadWriteOnce"}, "storageClassName": f.ns, "volumeName": f.ns, "resources": object{"requests": object{"storage": "1Gi"}}}})
	f.put("v1", "PersistentVolume", f.ns, doc{"spec": object{"accessModes": list{"ReadWriteOnce"}, "storageClassName": f.ns, "capacity": object{"storage": "1Gi"},
		"csi": object{"driver": "disks.example.com", "volumeHandle": "1"}, "claimRef": object{"kind": "PersistentVolumeClaim", "namespace": f.ns, "name": "data", "uid": claim.text("metadata", "uid")}}})
	f.put("v1", "ConfigMap", "settings", doc{"data": object{"a": "b"}})
	f.put("v1", "Secret", "creds", doc{"stringData": object{"key": "secret"}})
	f.put("v1", "ServiceAccount", "runner", doc{})
	web := f.put("apps/v1", "Deployment", "web", doc{"spec": object{"replicas": 2, "selector": app, "template": template}})
	rs := func(name string) doc {
		return f.put("apps/v1", "ReplicaSet", name, doc{"metadata": object{"ownerReferences": list{web.owner()}}, "spec": object{"replicas": 2, "selector": app, "template": template}})
	}
	rs("web-0")
	set = rs("web-1")
	f.pod("web-1-a", "-1", set, "web")
	f.pod("web-1-b", "-2", set, "web")
	stage.Create(t, f.ns, "stray")
	service := f.put("v1", "Service", "web", doc{"spec": object{"selector": object{"app": "web"}, "ports": list{object{"port": 80}}}})
	f.put("discovery.k8s.io/v1", "EndpointSlice", "web-x", doc{"metadata": object{"labels": object{"kubernetes.io/service-name": "web"}, "ownerReferences": list{service.owner()}}, "addressType": "IPv4",
		"endpoints": list{object{"addresses": list{"10.0.0.1"}, "targetRef": object{"kind": "Pod", "namespace": f.ns, "name": "web-1-a"}}}})
	f.put("networking.k8s.io/v1", "Ingress", "web", doc{"spec": object{"ingressClassName": "not-there", "tls": list{object{"secretName": "creds"}}, "rules": list{object{"http": object{"paths": list{
		object{"path": "/", "pathType": "Prefix", "backend": object{"service": object{"name": "web", "port": object{"number": 80}}}}}}}}}})
	f.put("autoscaling/v2", "HorizontalPodAutoscaler", "web", doc{"spec": object{"maxReplicas": 3, "scaleTargetRef": object{"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}}})
	f.put("policy/v1", "PodDisruptionBudget", "web", doc{"spec": object{"minAvailable": 1, "selector": object{"matchExpressions": list{object{"key": "app", "operator": "In", "values": list{"web", "api"}}}}}})
	f.put("networking.k8s.io/v1", "NetworkPolicy", "all", doc{"spec": object{"podSelector": object{}}})
	return f, set
}

// all is what the apiserver has of the family.
func (f family) all() (all []doc) {
	f.t.Helper()
	for _, m := range members {
		for _, d := range f.get(m.version, m.kind) {
			if name := d.text("metadata", "name"); d.has("metadata", "namespace") || name == f.ns || strings.HasPrefix(name, f.ns+"-") {
				all = append(all, d)
			}
		}
	}
	return all
}

// get returns the objects of a kind. Those of a kind with namespaces are of the family's.
func (f family) get(apiVersion, kind string) []doc {
	f.t.Helper()
	raw, err := stage.Admin.CoreV1().RESTClient().Get().AbsPath(f.list(apiVersion, kind)).DoRaw(f.t.Context())
	var l struct{ Items []doc }
	if err == nil {
		err = json.Unmarshal(raw, &l)
	}
	if err != nil {
		f.t.Fatal(err)
	}
	for _, d := range l.Items {
		d["apiVersion"], d["kind"] = apiVersion, kind
	}
	return l.Items
}

// remove deletes the family, so that no other test counts it.
func (f family) remove() {
	for _, m := range append(members, member{"v1", "Event"}) {
		path := f.list(m.version, m.kind)
		paths := []string{path}
		switch {
		case m.kind == "Node":
			paths = []string{path + "/" + f.ns + "-1", path + "/" + f.ns + "-2"}
		case slices.Contains(unspaced, m.kind):
			paths = []string{path + "/" + f.ns}
		}
		for _, path := range paths {
			err := stage.Admin.CoreV1().RESTClient().Delete().AbsPath(path).Body(&metav1.DeleteOptions{GracePeriodSeconds: new(int64)}).Do(context.Background()).Error()
			if err != nil && !apierrors.IsNotFound(err) {
				f.t.Error(err)
			}
		}
	}
}

// awaitSame waits until the page has what is derived, as a list and as a graph.
func (e eyes) awaitSame(f family, focus string) {
	e.T.Helper()
	objects, relations := belongs(relationsOf(f.all()), focus)
	var lines, nodes []string
	for r := range relations {
		lines = append(lines, r.String())
	}
	for o := range objects {
		nodes = append(nodes, o)
	}
	if len(lines) == 0 {
		e.T.Fatalf("%s: %d relations: that shows nothing", focus, len(lines))
	}
	for _, c := range []struct {
		shape, attribute string
		want             []string
	}{{"tree", "edge", lines}, {"graph", "key", nodes}} {
		slices.Sort(c.want)
		e.Must(e.Click("[data-action=related-" + c.shape + "]"))
		have := fmt.Sprintf(`JSON.stringify([...document.querySelectorAll("#graph[data-shape=%s] .item")].flatMap(i => i.dataset.%s.split("\n")).filter(i => i).sort())`, c.shape, c.attribute)
		want, err := json.Marshal(c.want)
		e.Must(err)
		if err := e.Tab.Await(have+" === "+string(mustJSON(string(want))), stage.Soon); err != nil {
			var shown []string
			e.Must(json.Unmarshal([]byte(stage.Eval[string](e, have)), &shown))
			for _, line := range c.want {
				if !slices.Contains(shown, line) {
					e.T.Errorf("%s, as a %s: %s is not shown", focus, c.shape, line)
				}
			}
			for _, line := range shown {
				if !slices.Contains(c.want, line) {
					e.T.Errorf("%s, as a %s: %s is shown and not so", focus, c.shape, line)
				}
			}
			e.T.Fatal(err)
		}
	}
}

func mustJSON(v string) []byte {
	out, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return out
}

// TestRelated holds what the page tells of each object of a family against what is
// derived from the apiserver, and it follows what happens to them. TestRelatedPane checks that it lets go of what it held.
func TestRelated(t *testing.T) {
	f, set := found(t)
	e := show(t, "/deployments.apps?sel="+f.ns+"/web&tab=related")
	for _, focus := range []string{
		called("Pod", f.ns, "web-1-a"), called("Service", f.ns, "web"), called("PersistentVolumeClaim", f.ns, "data"), called("Node", "", f.ns+"-1"),
		called("Ingress", f.ns, "web"), called("HorizontalPodAutoscaler", f.ns, "web"), called("ConfigMap", f.ns, "settings"),
		called("PersistentVolume", "", f.ns), called("ReplicaSet", f.ns, "web-0"), called("Deployment", f.ns, "web"),
	} {
		resource, key, _ := strings.Cut(focus, " ")
		e.GoTo("/" + resource + "?sel=" + key + "&tab=related")
		e.Await(`document.querySelector("[data-action=related-tree]")`)
		e.awaitSame(f, focus)
	}
	e.KeepLooks("related")
	e.Await(`[...document.querySelectorAll("#graph .item .state")].some(s => s.textContent === "not found")`)

	focus := called("Deployment", f.ns, "web")
	stage.Kubectl(t, "delete", "pod", "-n", f.ns, "web-1-b", "--grace-period=0", "--force")
	e.awaitSame(f, focus)
	f.pod("web-1-c", "-1", set, "web")
	e.awaitSame(f, focus)
	stage.Kubectl(t, "label", "pod", "-n", f.ns, "web-1-a", "app=other", "--overwrite")
	e.awaitSame(f, focus)

	e.Must(e.Click(fmt.Sprintf(`#graph a[data-key="%s"]`, called("Pod", f.ns, "web-1-a"))))
	e.Await(`location.pathname === "/pods" && location.search.includes("tab=related")`)
	e.awaitSame(f, called("Pod", f.ns, "web-1-a"))

	e.Must(e.Click("[data-action=close]"))
	e.Await(`document.querySelector(".drawer").hidden`)
}

// TestEvents holds the events of an object and of what it owns against the apiserver's.
func TestEvents(t *testing.T) {
	f, set := found(t)
	n := 0
	happen := func(of doc, kind, reason string) {
		n++
		at := time.Now().Add(time.Duration(n-100) * time.Minute).UTC().Format(time.RFC3339)
		f.put("v1", "Event", fmt.Sprintf("e%d", n), doc{"type": kind, "reason": reason, "message": "it did", "count": 3, "firstTimestamp": "2026-01-01T00:00:00Z", "lastTimestamp": at, "source": object{"component": "test"},
			"involvedObject": object{"apiVersion": of.text("apiVersion"), "kind": of.text("kind"), "namespace": f.ns, "name": of.text("metadata", "name"), "uid": of.text("metadata", "uid")}})
	}
	for _, d := range f.all() {
		if kind := d.text("kind"); d.has("metadata", "namespace") && (kind == "Pod" || kind == "ReplicaSet" || kind == "Deployment" || kind == "Service") {
			happen(d, "Normal", "Seen")
			happen(d, "Warning", "Failed")
		}
	}
	e := show(t, "/deployments.apps?sel="+f.ns+"/web&tab=events")
	check := func(filter string) {
		t.Helper()
		truth, uids := relationsOf(f.all()), map[string]bool{}
		objects, _ := belongs(truth, called("Deployment", f.ns, "web"))
		for _, d := range f.all() {
			owned := slices.Contains([]string{"Pod", "ReplicaSet", "Deployment"}, d.text("kind")) && d.text("metadata", "name") != "stray"
			if owned && objects[d.called()] {
				uids[d.text("metadata", "uid")] = true
			}
		}
		events := slices.DeleteFunc(f.get("v1", "Event"), func(d doc) bool {
			return !uids[d.text("involvedObject", "uid")] || filter != "" && d.text("type") != filter
		})
		slices.SortFunc(events, func(a, b doc) int { return strings.Compare(b.text("lastTimestamp"), a.text("lastTimestamp")) })
		want := []string{}
		for _, d := range events {
			want = append(want, d.text("metadata", "uid"))
		}
		if len(want) < 3 {
			t.Fatalf("%d events: that shows nothing", len(want))
		}
		doc, err := json.Marshal(want)
		e.Must(err)
		e.Await(`JSON.stringify([...document.querySelectorAll(".event")].map(e => e.dataset.uid)) === ` + string(mustJSON(string(doc))))
	}
	check("")
	e.Says(".event .when", "3× over")
	e.Must(e.Click(`[data-action=events-only][data-value=Warning]`))
	check("Warning")
	pod := f.pod("web-1-c", "-1", set, "web")
	happen(pod, "Warning", "Unhealthy")
	check("Warning")
	e.Says(".event .by a", "Pod web-1-c")
	e.Await(`(by => by.scrollHeight < 40)(document.querySelector(".event .by"))`) // one line
	e.KeepLooks("events")
}

// TestRelatedDenied is the view of somebody who may read pods and nothing else.
func TestRelatedDenied(t *testing.T) {
	f, _ := found(t)
	rita := stage.Someone(t)
	stage.Grant(t, rita, f.ns, stage.Reads, "pods")
	e := synced(t, stage.ServeTo(t, rita, f.ns).At("/pods?n="+f.ns+"&sel="+f.ns+"/web-1-a&tab=related"), "403")
	e.Must(e.Click("[data-action=related-tree]"))
	e.Says("#graph", "Service", "can't be listed", "unknown")
	e.Await(`[...document.querySelectorAll("#graph .item")].some(i => i.title.includes("cannot list resource \"services\""))`)
	e.Must(e.Click("#tab-events"))
	e.Says("#pane", "You can't list events here", "cannot list resource")
}
