package detail

import (
	"slices"
	"strconv"
	"strings"

	"watchglass/internal/detail/revision"
	"watchglass/internal/document"
	"watchglass/internal/object"
	"watchglass/internal/object/tone"
	"watchglass/internal/wire"
)

// More is what is known beyond the object itself. A missing list is unknown; an empty list has
// no objects.
type More struct {
	Objects map[string][]document.Value
	States  map[string]Span           // of the objects, by the key of what was wanted, a space, and their own key
	Counts  map[string]map[string]int // how many objects have each text
	Cells   []Cell                    // the object's cells in its list
	Health  tone.Tone                 // what the cells do not show of its state
	Partly  bool                      // only the metadata and the cells are known
	Denied  []Denial
}

// Denial is a list that may not be read, with the server's answer.
type Denial struct {
	Resource string
	Status   *wire.Status
}

// Deny adds a row to the first section that names the lists that may not be read, with the
// reason. Their objects are unknown, which is not the same as none.
func (s *Summary) Deny(all []Denial) {
	if len(all) == 0 {
		return
	}
	if len(s.Sections) == 0 {
		s.Sections = []Section{{}}
	}
	row := Row{Name: "Unknown"}
	for _, d := range all {
		row.Lines = append(row.Lines, Line{}.styled(Warning, d.Resource+" can't be listed").styled(Quiet, " "+string(d.Status.Origin)+": "+d.Status.Message))
	}
	r := &room{pieces: mostPieces, bytes: mostText}
	r.row(&row)
	s.Sections[0].Rows = append(s.Sections[0].Rows, row)
}

// Cell is the cell of an object in a list's column: a text or an instant.
type Cell struct {
	Name, Text string
	At         int64
}

// Want is a list of other objects that a summary needs.
type Want struct {
	Key       string // the key in More
	Resource  string // as addresses name it
	Namespace string
	Name      string // of a single object; optional
	Owner     string // the UID of the owner; optional
	Labels    string // a label selector; optional
	Fields    string // a field selector for the apiserver, equivalent to Path and Is
	Path, Is  string // a JSONPath, and a text that it must yield; optional
	Count     string // a JSONPath: if set, only the number of objects for each of its texts is needed
	Metadata  bool   // only the number of objects is needed, under the text ""
}

// Wants returns the lists that the summary of an object needs.
func Wants(v document.Value) []Want {
	namespace, name, uid := v.TextAt("metadata.namespace"), v.TextAt("metadata.name"), v.TextAt("metadata.uid")
	selector := v.Get("spec.selector")
	labels := SelectorText(selector)
	const slices = "endpointslices.discovery.k8s.io"
	if isRelease(v) {
		return releaseWants(v)
	}
	switch v.TextAt("kind") + " " + v.TextAt("apiVersion") {
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

// serviceName is the label of an EndpointSlice that names its service.
const serviceName = "kubernetes.io/service-name"

// podCounts writes how many pods of a workload are in each phase.
func podCounts(w *writer, _ document.Value) {
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
		line = line.styled(look, strconv.Itoa(counts[phase.phase])+" "+phase.word)
	}
	w.row("Pod status", line)
}

// replicaSets writes a deployment's replica sets: the one with its current template, and the
// others.
func replicaSets(w *writer, v document.Value) {
	sets, known := w.more.Objects["sets"]
	if !known {
		return
	}
	sets = sorted(sets, func(s document.Value) string {
		return s.TextAt("metadata.creationTimestamp") + s.TextAt("metadata.name")
	})
	template := revision.Template(v)
	current := slices.IndexFunc(sets, func(s document.Value) bool { return revision.SameTemplate(revision.Template(s), template) })
	var old []Line
	for i, s := range sets {
		name := s.TextAt("metadata.name")
		line := Line{{Text: name, Ref: w.ref("ReplicaSet.apps", w.namespace, name)}}
		line = line.text(" (" + zero(s.TextAt("status.replicas")) + "/" + zero(s.TextAt("spec.replicas")) + " replicas created)")
		if at := instant(s.Get("metadata.creationTimestamp")); at != 0 {
			line = append(line.text(" · "), Span{At: at})
		}
		if i == current {
			w.row("New ReplicaSet", line)
		} else {
			old = append(old, line)
		}
	}
	w.row("Old ReplicaSets", old...)
}

// sorted returns values sorted by a text.
func sorted(all []document.Value, by func(document.Value) string) []document.Value {
	places := make(map[string]document.Value, len(all))
	keys := make([]string, len(all))
	for i, v := range all {
		keys[i] = by(v) + "\x00" + strconv.Itoa(i)
		places[keys[i]] = v
	}
	slices.Sort(keys)
	out := make([]document.Value, len(all))
	for i, key := range keys {
		out[i] = places[key]
	}
	return out
}

// mostEndpoints is the maximum number of addresses shown for a port.
const mostEndpoints = 12

// endpoints shows the ready addresses of a port, by its name. A slice without ports has none: no pod has the port that
// the service names.
func endpoints(slices []document.Value, port string) []Line {
	var ready []string
	for _, slice := range slices {
		ports := slice.ListAt("ports")
		for _, e := range slice.ListAt("endpoints") {
			is := e.Get("conditions.ready")
			addresses := e.ListAt("addresses")
			if is.Exists() && !is.Bool() || len(addresses) == 0 {
				continue
			}
			address := addresses[0].Text()
			for _, p := range ports {
				if p.TextAt("name") == port {
					ready = append(ready, hostPort(address, p.TextAt("port")))
				}
			}
		}
	}
	if len(ready) == 0 {
		return []Line{{{Text: "<none>", Style: Warning}}}
	}
	shown, more := first(ready, mostEndpoints)
	line := Line{}.styled(Code, strings.Join(shown, ", "))
	if more > 0 {
		line = line.styled(Quiet, " + "+strconv.Itoa(more)+" more")
	}
	return []Line{line}
}

// endpoints shows the ready addresses of a service's port.
func (w *writer) endpoints(port document.Value, _ string) []Line {
	if slices, known := w.more.Objects["slices"]; known {
		return endpoints(slices, port.TextAt("name"))
	}
	return nil
}

// port shows the service port of an ingress backend, by number or name.
func (w *writer) port(v document.Value, _ string) []Line {
	if port := v.TextAt("port.number") + v.TextAt("port.name"); port != "" {
		return []Line{Line{}.text(":" + port)}
	}
	return nil
}

// behindService shows the addresses behind the service of an ingress backend.
func (w *writer) behindService(v document.Value, _ string) []Line {
	services, known := w.more.Objects["services"]
	name := v.TextAt("name")
	if !known || name == "" || v.TextAt("port.name") == object.ActionPort {
		return nil
	}
	for _, s := range services {
		if s.TextAt("metadata.name") == name {
			return w.behindPort(s, v.Get("port"))
		}
	}
	return []Line{Line{}.styled(Failed, "service not found")}
}

// behindPort shows the addresses behind a port of a service, which a backend has by number or by name.
func (w *writer) behindPort(service, port document.Value) []Line {
	slices, known := w.more.Objects["slices"]
	if service.TextAt("spec.type") == "ExternalName" || !known {
		return nil
	}
	for _, p := range service.ListAt("spec.ports") {
		if name := p.TextAt("name"); p.TextAt("port") == port.TextAt("number") || name != "" && name == port.TextAt("name") {
			return endpoints(slicesOf(slices, service.TextAt("metadata.name")), name)
		}
	}
	return []Line{Line{}.styled(Failed, "the service has no such port")}
}

// slicesOf returns the slices of a service.
func slicesOf(all []document.Value, service string) (own []document.Value) {
	for _, s := range all {
		if s.Get("metadata.labels").At(serviceName).Text() == service {
			own = append(own, s)
		}
	}
	return own
}

// usedBy writes the pods that mount a claim.
func usedBy(w *writer, _ document.Value) {
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
