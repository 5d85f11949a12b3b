package detail

import (
	"encoding/base64"
	"slices"
	"strconv"
	"strings"

	"watchglass/internal/document"
)

// function is a function that sheets can call.
type function struct {
	name string
	call func(*writer, document.Value)
}

// functions holds all functions. Like formats, it is filled by init.
var functions []function

func init() {
	functions = []function{
		{"labels", labelRows}, {"annotations", annotations}, {"containers", (*writer).containers}, {"volumes", volumes},
		{"template", podTemplate}, {"jobTemplate", jobTemplate}, {"podCounts", podCounts}, {"sets", replicaSets},
		{"usedBy", usedBy}, {"roles", roles}, {"lease", lease}, {"allocated", allocated},
		{"ofNamespace", ofNamespace}, {"ingressRules", ingressRules}, {"peers", peers}, {"subsets", subsets}, {"data", data}, {"binary", binary}, {"keys", keys},
		{"volumeSource", volumeSource}, {"defaultClass", defaultClass}, {"metrics", metrics}, {"behavior", behavior},
		{"release", release}, {"releaseObjects", releaseObjects}, {"revisions", revisions},
	}
}

// functionOf returns the function of a name, or nil.
func functionOf(name string) func(*writer, document.Value) {
	for i := range functions {
		if functions[i].name == name {
			return functions[i].call
		}
	}
	return nil
}

func (w *writer) chips(name string, lines []Line) {
	n := len(w.last().Rows)
	w.row(name, lines...)
	if rows := w.last().Rows; len(rows) > n {
		rows[n].Chips = true
	}
}

func labelRows(w *writer, v document.Value) { w.chips("Labels", w.pairs(v, "")) }

// applied is the annotation in which kubectl apply keeps a copy of the whole object.
const applied = "kubectl.kubernetes.io/last-applied-configuration"

func annotations(w *writer, v document.Value) {
	var lines []Line
	for _, key := range v.Keys() {
		text := v.At(key).Text()
		if key == applied && text != "" { // in a Secret it is withheld
			lines = append(lines, Line{}.styled(Code, key).styled(Quiet, ": "+strconv.Itoa(len(text))+" bytes, see YAML"))
			continue
		}
		lines = append(lines, Line{}.styled(Quiet, key+": ").styled(Code, text))
	}
	w.row("Annotations", lines...)
	if rows := w.last().Rows; len(lines) > 6 {
		rows[len(rows)-1].Folded = true
	}
}

func podTemplate(w *writer, v document.Value) {
	sub := *w
	sub.sections = nil
	sub.run(template, v)
	head := sub.sections[0]
	head.Sections = append(head.Sections, sub.sections[1:]...)
	for i := range head.Sections {
		head.Sections[i].Folded = false
	}
	w.sections = append(w.sections, head)
}

func jobTemplate(w *writer, v document.Value) {
	w.section("Job template")
	w.run(job, v)
	podTemplate(w, v.Get("spec.template"))
}

// gate shows the status of the pod's condition for a readiness gate.
func (w *writer) gate(v document.Value, _ string) []Line {
	for _, c := range w.root.ListAt("status.conditions") {
		if c.TextAt("type") == v.Text() {
			return w.condition(c, "")
		}
	}
	return []Line{Line{}.styled(Pending, "<none>")}
}

// rollout shows whether a rollout is done: all replicas that its partition does not keep back have the
// newest template, and no others are left.
func (w *writer) rollout(v document.Value, _ string) []Line {
	spec, status := v.Get("spec"), v.Get("status")
	if status.Get("observedGeneration").Int() < v.Get("metadata.generation").Int() {
		return one(Span{Text: "not yet observed by the controller", Style: Pending})
	}
	for _, c := range status.ListAt("conditions") {
		if c.TextAt("type") == "Progressing" && c.TextAt("reason") == "ProgressDeadlineExceeded" {
			return one(Span{Text: "progress deadline exceeded", Style: Failed})
		}
	}
	want, updated, ready := spec.Get("replicas").Int(), status.Get("updatedReplicas").Int(), status.Get("availableReplicas").Int()
	if w.kind == "DaemonSet" {
		want, updated, ready = status.Get("desiredNumberScheduled").Int(), status.Get("updatedNumberScheduled").Int(), status.Get("numberAvailable").Int()
	}
	old := status.Get("replicas").Int() - updated
	target := want - spec.Get("updateStrategy.rollingUpdate.partition").Int()
	parts := func(n, of int64, text string) Span {
		return Span{Text: strconv.FormatInt(n, 10) + " of " + strconv.FormatInt(of, 10) + " " + text, Style: Pending}
	}
	switch {
	case spec.Get("paused").Bool():
		return one(Span{Text: "paused", Style: Pending})
	case updated < target:
		return one(parts(updated, target, "updated"))
	case w.kind == "Deployment" && old > 0:
		return one(Span{Text: strconv.FormatInt(old, 10) + " old replicas pending termination", Style: Pending})
	case ready < want:
		return one(parts(ready, want, "available"))
	}
	return one(Span{Text: "done", Style: OK})
}

// ingressRules writes the hosts, paths and backends of an ingress.
func ingressRules(w *writer, v document.Value) {
	var all []any
	for _, rule := range v.List() {
		for _, p := range rule.ListAt("http.paths") {
			all = append(all, map[string]any{"host": rule.Get("host").Any(), "p": p.Any()})
		}
	}
	w.run("|Rules@all|Host {host?*}|Path {p.path:code}|Type {p.pathType}|Backends {p.backend.service.name:ref Service}{p.backend.service:port}{p.backend.resource:object} {p.backend.resource.apiGroup:quiet} {p.backend.service:behind}", document.Of(map[string]any{"all": all}))
}

// addresses shows the addresses of a load balancer.
func (w *writer) addresses(v document.Value, _ string) []Line {
	var out []Line
	for _, a := range v.List() {
		out = append(out, w.fill("{ip:code}{hostname:code} ({ipMode})", a)...)
	}
	return out
}

// peers writes the rules of a network policy in both directions.
func peers(w *writer, v document.Value) {
	types := texts(v.Get("spec.policyTypes"))
	for _, way := range []struct{ title, path, peers string }{{"Ingress", "ingress", "from"}, {"Egress", "egress", "to"}} {
		s := w.section(way.title)
		all := v.At("spec", way.path).List()
		switch {
		case !slices.Contains(types, way.title):
			s.Badge = Line{}.styled(Quiet, "not affected")
		case len(all) == 0:
			s.Badge = Line{}.styled(Warning, "no traffic allowed: selected pods are isolated")
		}
		for i, rule := range all {
			if i == mostSections {
				w.last().More = len(all) - i
				break
			}
			card := w.inner("Rule "+strconv.Itoa(i+1), func(w *writer) {
				w.run(peer, rule)
				for _, name := range []string{"ports", way.peers} {
					if rule.Get(name).Len() == 0 {
						w.row(map[string]string{"ports": "To port", "from": "From", "to": "To"}[name], Line{}.styled(Quiet, "<any>"))
					}
				}
			})
			card.Card = true
		}
	}
}

func subsets(w *writer, v document.Value) {
	all := v.List()
	w.last().More = max(0, len(all)-mostSections)
	for i, subset := range all[:min(len(all), mostSections)] {
		card := w.inner("Subset "+strconv.Itoa(i+1), func(w *writer) {
			w.run(`Addresses@addresses: {ip:code} {targetRef:object}
NotReadyAddresses@notReadyAddresses: {ip:code} {targetRef:object}
|Ports@ports|Name {name?<unset>}|>Port {port}|Protocol {protocol}
`, subset)
		})
		card.Card = true
	}
}

// data writes the contents of a ConfigMap.
func data(w *writer, v document.Value) {
	for _, key := range v.Keys() {
		text := v.At(key).Text()
		s := w.last()
		row := Row{Name: key, Lines: []Line{{{Text: text, Style: Code}}}, Folded: len(text) > 600}
		if text == "" {
			row.Lines = []Line{{{Text: "(empty)", Style: Quiet}}}
		}
		s.Rows = append(s.Rows, row)
	}
}

func binary(w *writer, v document.Value) {
	for _, key := range v.Keys() {
		text := v.At(key).Text()
		w.row(key, Line{}.text(strconv.Itoa(base64.StdEncoding.DecodedLen(len(text))-strings.Count(text, "="))+" bytes"))
	}
}

// keys writes the keys of a Secret. The proxy withholds the values.
func keys(w *writer, v document.Value) {
	var lines []Line
	for _, key := range v.Keys() {
		lines = append(lines, Line{}.styled(Code, key))
	}
	w.chips("Keys", lines)
	if v.Len() > 0 {
		w.row("Values", Line{}.styled(Quiet, "withheld by the proxy, including their lengths"))
	}
}

// volumeSource writes the source of a volume: the member of its spec that is an object and is
// not one of the three general ones.
func volumeSource(w *writer, v document.Value) {
	for _, key := range v.Keys() {
		if key == "capacity" || key == "claimRef" || key == "nodeAffinity" {
			continue
		}
		if source := v.At(key); len(source.Keys()) > 0 {
			w.row("Source", w.source(key, source)...)
		}
	}
}

func defaultClass(w *writer, v document.Value) {
	is := "No"
	for _, prefix := range []string{"storageclass.kubernetes.io", "storageclass.beta.kubernetes.io"} {
		if v.At(prefix+"/is-default-class").Text() == "true" {
			is = "Yes"
		}
	}
	w.row("Default class", Line{}.text(is))
}

func (w *writer) claim(v document.Value, _ string) []Line {
	namespace, name := v.TextAt("namespace"), v.TextAt("name")
	if name == "" {
		return nil
	}
	return one(Span{Text: namespace + "/" + name, Ref: w.ref("PersistentVolumeClaim", namespace, name)})
}

// modes shows access modes in their short form.
func (w *writer) modes(v document.Value, _ string) []Line {
	short := map[string]string{"ReadWriteOnce": "RWO", "ReadOnlyMany": "ROX", "ReadWriteMany": "RWX", "ReadWriteOncePod": "RWOP"}
	var out []string
	for _, mode := range texts(v) {
		if s, ok := short[mode]; ok {
			mode = s
		}
		out = append(out, mode)
	}
	return one(Span{Text: strings.Join(out, ",")})
}

func (w *writer) subject(v document.Value, _ string) []Line {
	name := v.TextAt("name")
	p := Span{Text: name}
	if kind := v.TextAt("kind"); kind == "ServiceAccount" {
		p.Ref = w.ref(kind, v.TextAt("namespace"), name)
	}
	return one(p)
}

// scopes shows the scopes of a quota.
func (w *writer) scopes(v document.Value, _ string) []Line {
	var out []Line
	for _, e := range v.List() {
		values := strings.Join(texts(e.Get("values")), ",")
		out = append(out, Line{}.text(strings.TrimSpace(e.TextAt("scopeName")+" "+e.TextAt("operator")+" "+values)))
	}
	return out
}

// definition links to the objects of a custom resource definition.
func (w *writer) definition(v document.Value, _ string) []Line {
	plural := v.Text()
	return one(Span{Text: plural, List: &Listing{Resource: plural + "." + w.root.TextAt("spec.group")}})
}

// mostRules is the maximum number of resource names shown for a rule.
const mostRules = 100

// granted shows the resources of an RBAC rule.
func (w *writer) granted(rule document.Value, _ string) []Line {
	var all []string
	groups, resources := texts(rule.Get("apiGroups")), texts(rule.Get("resources"))
	total := len(groups) * len(resources)
	for _, resource := range resources[:min(len(resources), mostRules)] {
		for _, group := range groups[:min(len(groups), mostRules)] {
			base, sub, isSub := strings.Cut(resource, "/")
			if group != "" {
				base += "." + group
			}
			if isSub {
				base += "/" + sub
			}
			all = append(all, base)
		}
	}
	shown, _ := first(all, mostRules)
	line := Line{}.styled(Code, strings.Join(shown, ", "))
	if more := total - len(shown); more > 0 {
		line = line.styled(Quiet, " + "+strconv.Itoa(more)+" more")
	}
	return []Line{line}
}
