package detail

import (
	"net"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"watchglass/internal/wire"
)

// More is what is known beside the object itself. A list that is not there is not
// known; one that is empty is none.
type More struct {
	Objects map[string][]Value
	Counts  map[string]map[string]int // how many objects have each text
	Cells   []Cell                    // what its list prints of the object
	Denied  []Denial
}

// Denial is a list that may not be read, and what was said.
type Denial struct {
	Resource string
	Status   *wire.Status
}

// Deny adds a row to the first section that says which lists may not be read, and who
// said so: what would be there of them is not nothing, but not known.
func (s *Summary) Deny(all []Denial) {
	if len(all) == 0 {
		return
	}
	if len(s.Sections) == 0 {
		s.Sections = []Section{{}}
	}
	row := Row{Name: "Unknown"}
	for _, d := range all {
		row.Lines = append(row.Lines, Line{}.look(Warning, d.Resource+" can't be listed").look(Quiet, " "+string(d.Status.Origin)+": "+d.Status.Message))
	}
	r := &room{pieces: mostPieces, bytes: mostText}
	r.row(&row)
	s.Sections[0].Rows = append(s.Sections[0].Rows, row)
}

// Cell is what a column of a list has of an object: a text, or an instant.
type Cell struct {
	Name, Text string
	At         int64
}

// Want is a list of other objects that a summary would show something of.
type Want struct {
	Key       string // in More
	Resource  string // as addresses name it
	Namespace string
	Name      string // of the one that is wanted, if it is one
	Owner     string // the UID of their owner, if they have to have one
	Labels    string // a selector for them, if they have to match one
	Fields    string // what the apiserver may select them by, and Path and Is here:
	Path, Is  string // a JSONPath, and one of the texts there, if they have to have it
	Count     string // a JSONPath: only how many have each text there is wanted
}

// Wants is what a summary of an object would like to know of others.
func Wants(v Value) []Want {
	namespace, name, uid := v.say("metadata.namespace"), v.say("metadata.name"), v.say("metadata.uid")
	selector := v.of("spec.selector")
	labels := SelectorText(selector)
	const slices = "endpointslices.discovery.k8s.io"
	switch v.say("kind") + " " + v.say("apiVersion") {
	case "Deployment apps/v1":
		return []Want{{Key: "sets", Resource: "replicasets.apps", Namespace: namespace, Owner: uid, Labels: labels}}
	case "ReplicationController v1":
		labels = LabelsText(selector)
		fallthrough
	case "ReplicaSet apps/v1", "StatefulSet apps/v1", "DaemonSet apps/v1":
		return []Want{{Key: "pods", Resource: "pods", Namespace: namespace, Owner: uid, Labels: labels, Count: "{.status.phase}"}}
	case "Service v1":
		return []Want{{Key: "slices", Resource: slices, Namespace: namespace, Labels: serviceName + "=" + name}}
	case "Ingress networking.k8s.io/v1":
		return []Want{{Key: "slices", Resource: slices, Namespace: namespace}, {Key: "services", Resource: "services", Namespace: namespace}}
	case "PersistentVolumeClaim v1":
		return []Want{{Key: "users", Resource: "pods", Namespace: namespace, Path: "{.spec.volumes[*].persistentVolumeClaim.claimName}", Is: name, Count: "{.metadata.name}"}}
	case "Node v1":
		return []Want{{Key: "pods", Resource: "pods", Path: "{.spec.nodeName}", Is: name, Fields: "spec.nodeName=" + name}, {Key: "lease", Resource: "leases.coordination.k8s.io", Namespace: "kube-node-lease", Name: name}}
	case "Namespace v1":
		return []Want{{Key: "quotas", Resource: "resourcequotas", Namespace: name}, {Key: "limits", Resource: "limitranges", Namespace: name}}
	}
	return nil
}

// serviceName is the label of an EndpointSlice that says whose it is.
const serviceName = "kubernetes.io/service-name"

// podCounts is how many pods of a workload are in each phase.
func podCounts(w *writer, _ Value) {
	counts, known := w.more.Counts["pods"]
	if !known {
		return
	}
	var line Line
	for i, phase := range []struct{ phase, word, look string }{{"Running", "Running", OK}, {"Pending", "Waiting", Pending}, {"Succeeded", "Succeeded", OK}, {"Failed", "Failed", Failed}} {
		if i > 0 {
			line = line.text(" / ")
		}
		look := phase.look
		if counts[phase.phase] == 0 {
			look = Quiet
		}
		line = line.look(look, strconv.Itoa(counts[phase.phase])+" "+phase.word)
	}
	w.row("Pods status", line)
}

// replicaSets are a deployment's: the one that has its template, and the others.
func replicaSets(w *writer, v Value) {
	sets, known := w.more.Objects["sets"]
	if !known {
		return
	}
	sets = sorted(sets, func(s Value) string {
		return s.say("metadata.creationTimestamp") + s.say("metadata.name")
	})
	template := templateOf(v)
	current := slices.IndexFunc(sets, func(s Value) bool { return reflect.DeepEqual(templateOf(s), template) })
	var old []Line
	for i, s := range sets {
		name := s.say("metadata.name")
		line := Line{{Text: name, Ref: w.ref("ReplicaSet.apps", w.namespace, name)}}
		line = line.text(" (" + zero(s.say("status.replicas")) + "/" + zero(s.say("spec.replicas")) + " replicas created)")
		if i == current {
			w.row("New ReplicaSet", line)
		} else {
			old = append(old, line)
		}
	}
	w.row("Old ReplicaSets", old...)
}

// sorted are values in the order of a text.
func sorted(all []Value, by func(Value) string) []Value {
	places := make(map[string]Value, len(all))
	keys := make([]string, len(all))
	for i, v := range all {
		keys[i] = by(v) + "\x00" + strconv.Itoa(i)
		places[keys[i]] = v
	}
	slices.Sort(keys)
	out := make([]Value, len(all))
	for i, key := range keys {
		out[i] = places[key]
	}
	return out
}

// templateOf is the template of pods, without what a deployment adds to it.
func templateOf(v Value) any {
	template := v.of("spec.template")
	meta := withoutKey(template.of("metadata"), "creationTimestamp")
	meta.is.(map[string]any)["labels"] = withoutKey(template.of("metadata.labels"), "pod-template-hash").Any()
	out := withoutKey(template, "metadata")
	out.is.(map[string]any)["metadata"] = meta.Any()
	return out.Any()
}

// mostEndpoints is how many addresses of a port are shown.
const mostEndpoints = 12

// endpoints are the addresses behind a port, by its name.
func endpoints(slices []Value, port string) []Line {
	var ready []string
	for _, slice := range slices {
		ports := slice.all("ports")
		for _, e := range slice.all("endpoints") {
			is := e.of("conditions.ready")
			if is.Exists() && !is.Bool() || e.of("addresses").Len() == 0 {
				continue
			}
			address := e.all("addresses")[0].Text()
			if len(ports) == 0 { // headless
				ready = append(ready, address)
			}
			for _, p := range ports {
				if p.say("name") == port {
					ready = append(ready, net.JoinHostPort(address, p.say("port")))
				}
			}
		}
	}
	if len(ready) == 0 {
		return []Line{{{Text: "<none>", Look: Warning}}}
	}
	shown, more := first(ready, mostEndpoints)
	line := Line{}.look(Code, strings.Join(shown, ", "))
	if more > 0 {
		line = line.look(Quiet, " + "+strconv.Itoa(more)+" more")
	}
	return []Line{line}
}

// endpoints are the addresses behind a port of a service.
func (w *writer) endpoints(port Value, _ string) []Line {
	if slices, known := w.more.Objects["slices"]; known {
		return endpoints(slices, port.say("name"))
	}
	return nil
}

// port is that of a service of an ingress, by its number or its name.
func (w *writer) port(v Value, _ string) []Line {
	if port := v.say("port.number") + v.say("port.name"); port != "" {
		return []Line{Line{}.text(":" + port)}
	}
	return nil
}

// behindService is the addresses that a service of an ingress leads to.
func (w *writer) behindService(v Value, _ string) []Line {
	services, known := w.more.Objects["services"]
	name := v.say("name")
	if !known || name == "" {
		return nil
	}
	for _, s := range services {
		if s.say("metadata.name") != name {
			continue
		}
		port := v.say("port.name")
		for _, p := range s.all("spec.ports") {
			if p.say("port") == v.say("port.number") {
				port = p.say("name")
			}
		}
		var own []Value
		for _, s := range w.more.Objects["slices"] {
			if s.of("metadata.labels").At(serviceName).Text() == name {
				own = append(own, s)
			}
		}
		return endpoints(own, port)
	}
	return []Line{Line{}.look(Failed, "service not found")}
}

// usedBy is the pods that mount a claim.
func usedBy(w *writer, _ Value) {
	var lines []Line
	counts := w.more.Counts["users"]
	for _, name := range sortedKeys(counts) {
		lines = append(lines, Line{{Text: name, Ref: w.ref("Pod", w.namespace, name)}})
	}
	w.row("Used by", lines...)
}

func sortedKeys(counts map[string]int) []string {
	var out []string
	for name := range counts {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}
