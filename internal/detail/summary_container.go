package detail

import (
	"net"
	"slices"
	"strconv"
	"strings"
)

// container is a card of one: c is what it should be, s how it is, p the pod.
const container = `Image: {c.image:code}
State: {s.state:state}
Last state: {s.lastState:state}
Ready: {s.ready:yes}
Restart count: {s.restartCount}
Started: {s.started:yes}
Ports: {c.ports:ports}
Host ports: {c.ports:ports hostPort}
Command: {c.command:lines}
Args: {c.args:lines}
Working directory: {c.workingDir:code}
Limits: {c.resources.limits:resources}
Requests: {c.resources.requests:resources}
Claims@c.resources.claims: {name} {request}
Liveness: {c.livenessProbe:probe}
Readiness: {c.readinessProbe:probe}
Startup: {c.startupProbe:probe}
Post start: {c.lifecycle.postStart:flat}
Pre stop: {c.lifecycle.preStop:flat}
!environment
Mounts@c.volumeMounts: {:mount}
Devices@c.volumeDevices: {devicePath:code} from {name}
Restart policy: {c.restartPolicy}
Pull policy: {c.imagePullPolicy}
Security: {c.securityContext:flat}
Image ID: {s.imageID:code}
Container ID: {s.containerID:code}
Target container: {c.targetContainerName}
`

// pods are the parts of a pod: the value is a pod, or a template of some.
func (w *writer) containers(v Value) {
	spec, status := v.of("spec"), v.of("status")
	for _, kind := range []struct{ title, containers, statuses string }{
		{"Init containers", "initContainers", "initContainerStatuses"},
		{"Containers", "containers", "containerStatuses"},
		{"Ephemeral containers", "ephemeralContainers", "ephemeralContainerStatuses"},
	} {
		all := spec.At(kind.containers).List()
		if len(all) == 0 {
			continue
		}
		statuses := make(map[string]Value)
		for _, s := range status.At(kind.statuses).List() {
			statuses[s.say("name")] = s
		}
		w.section(kind.title)
		for i, c := range all {
			if i > mostSections {
				w.last().More = len(all) - i
				break
			}
			w.container(c, statuses[c.say("name")], v)
		}
	}
}

func (w *writer) container(c, s, pod Value) {
	card := w.inner(c.say("name"), func(w *writer) {
		w.run(container, Value{map[string]any{"c": c.Any(), "s": s.Any(), "p": pod.Any()}})
	})
	card.Card = true
	if state := w.state(s.of("state"), "word"); len(state) > 0 {
		card.Badge = state[0]
	}
}

// state is a container's: what, why and since when.
func (w *writer) state(v Value, arg string) []Line {
	for _, is := range []struct{ name, word, look string }{{"running", "Running", OK}, {"waiting", "Waiting", Pending}, {"terminated", "Terminated", OK}} {
		v := v.At(is.name)
		if !v.Exists() {
			continue
		}
		reason, code := v.say("reason"), v.of("exitCode")
		if is.name == "terminated" && code.Int() != 0 {
			is.look = Failed
		}
		if is.name == "waiting" && reason != "ContainerCreating" && reason != "PodInitializing" && reason != "" {
			is.look = Warning
		}
		word := is.word
		if arg != "" && reason != "" {
			return []Line{{{Text: reason, Look: is.look}}}
		}
		line := Line{{Text: word, Look: is.look}}
		if arg != "" {
			return []Line{line}
		}
		line = line.pair(" · ", reason).pair(" · exit code ", code.Text()).pair(" · signal ", v.say("signal"))
		line = line.moment(" · started ", v.of("startedAt")).moment(" · finished ", v.of("finishedAt"))
		return append([]Line{line}, one(Piece{Text: v.say("message")})...)
	}
	return nil
}

// pair adds text with its name before it, if there is some.
//
//go:noinline
func (l Line) pair(name, text string) Line {
	if text == "" {
		return l
	}
	return l.look(Quiet, name).text(text)
}

// moment adds an instant with its name before it.
//
//go:noinline
func (l Line) moment(name string, v Value) Line {
	if at := instant(v); at != 0 {
		return append(l.look(Quiet, name), Piece{At: at})
	}
	return l
}

// containerPorts are those of a container, or of its host.
func (w *writer) containerPorts(v Value, arg string) []Line {
	var out []Line
	for _, p := range v.List() {
		number := p.say("containerPort")
		if arg != "" {
			number = p.At(arg).Text()
		}
		if number == "" || number == "0" {
			continue
		}
		text := number + "/" + p.say("protocol")
		if name := p.say("name"); name != "" {
			text += " (" + name + ")"
		}
		if ip := p.say("hostIP"); ip != "" && arg != "" {
			text = ip + ":" + text
		}
		out = append(out, Line{{Text: text, Look: Code}})
	}
	return out
}

// probe is one in describe's words.
func (w *writer) probe(v Value, _ string) []Line {
	if !v.Exists() {
		return nil
	}
	what := "unknown"
	switch get, exec, tcp, rpc := v.of("httpGet"), v.of("exec"), v.of("tcpSocket"), v.of("grpc"); {
	case exec.Exists():
		what = "exec [" + strings.Join(texts(exec.of("command")), " ") + "]"
	case get.Exists():
		what = "http-get " + strings.ToLower(get.say("scheme")) + "://" + net.JoinHostPort(get.say("host"), get.say("port")) + get.say("path")
	case tcp.Exists():
		what = "tcp-socket " + tcp.say("host") + ":" + tcp.say("port")
	case rpc.Exists():
		what = "grpc <pod>:" + rpc.say("port") + " " + rpc.say("service")
	}
	line := Line{{Text: what, Look: Code}}
	for _, n := range []struct{ name, path, unit string }{
		{" delay=", "initialDelaySeconds", "s"}, {" timeout=", "timeoutSeconds", "s"}, {" period=", "periodSeconds", "s"},
		{" #success=", "successThreshold", ""}, {" #failure=", "failureThreshold", ""}, {" grace=", "terminationGracePeriodSeconds", "s"},
	} {
		number := v.At(n.path).Text()
		if number == "" && n.path == "terminationGracePeriodSeconds" {
			continue
		}
		line = line.look(Code, n.name+zero(number)+n.unit)
	}
	return []Line{line}
}

// zero is a number that JSON leaves out where it is 0.
//
//go:noinline
func zero(number string) string {
	if number == "" {
		return "0"
	}
	return number
}

// mount is where a volume is, and how.
func (w *writer) mount(v Value, _ string) []Line {
	flags := "rw"
	if v.of("readOnly").Bool() {
		flags = "ro"
	}
	if path := v.say("subPath"); path != "" {
		flags += ",path=" + strconv.Quote(path)
	}
	line := Line{}.look(Code, v.say("mountPath")).look(Quiet, " from ").text(v.say("name")).look(Quiet, " ("+flags+")")
	return []Line{line.pair(" propagation ", v.say("mountPropagation")).pair(" path ", v.say("subPathExpr"))}
}

// environment is the variables of a container, and where they come from.
func environment(w *writer, v Value) {
	c := v.of("c")
	var from, lines []Line
	for _, e := range c.all("envFrom") {
		for _, kind := range []string{"configMapRef", "secretRef"} {
			ref, kindName := e.At(kind), map[string]string{"configMapRef": "ConfigMap", "secretRef": "Secret"}[kind]
			if name := ref.say("name"); name != "" {
				l := Line{}.look(Quiet, kindName+" ")
				l = append(l, Piece{Text: name, Ref: w.ref(kindName, w.namespace, name)})
				from = append(from, l.pair(" with prefix ", e.say("prefix")).optional(ref))
			}
		}
	}
	for _, e := range c.all("env") {
		lines = append(lines, append(Line{}.look(Code, e.say("name")).text(" "), w.variable(e, c, v.of("p"))...))
	}
	w.row("Environment from", from...)
	w.row("Environment", lines...)
}

func (l Line) optional(v Value) Line {
	if v.of("optional").Bool() {
		return l.look(Quiet, " optional")
	}
	return l
}

// variable is the value of one, or where it comes from.
func (w *writer) variable(e, c, pod Value) Line {
	from := e.of("valueFrom")
	field, resource := from.of("fieldRef"), from.of("resourceFieldRef")
	switch {
	case field.Exists():
		path := field.say("fieldPath")
		return Line{}.text(fieldOf(pod, path)).look(Quiet, " ("+field.say("apiVersion")+":"+path+")")
	case resource.Exists():
		return Line{}.text(resourceOf(c, resource)).look(Quiet, " ("+resource.say("resource")+")")
	}
	for _, kind := range []struct{ field, name string }{{"secretKeyRef", "Secret"}, {"configMapKeyRef", "ConfigMap"}} {
		ref := from.At(kind.field)
		if name := ref.say("name"); name != "" {
			l := append(Line{}.look(Quiet, "key ").look(Code, ref.say("key")).look(Quiet, " of "+kind.name+" "), Piece{Text: name, Ref: w.ref(kind.name, w.namespace, name)})
			return l.optional(ref)
		}
	}
	if from.Exists() {
		return join(w.flat(from, ""), " ")
	}
	return Line{}.look(Code, e.say("value"))
}

// fieldOf is a field of the pod that a variable may be set to.
func fieldOf(pod Value, path string) string {
	if !pod.of("metadata.name").Exists() { // a template
		return ""
	}
	if name, key, found := strings.Cut(path, "['"); found {
		return pod.of(name).At(strings.TrimSuffix(key, "']")).Text()
	}
	switch path {
	case "metadata.labels", "metadata.annotations":
		var out []string
		v := pod.of(path)
		for _, key := range v.Keys() {
			out = append(out, key+"="+strconv.Quote(v.At(key).Text()))
		}
		return strings.Join(out, "\n")
	case "status.podIPs", "status.hostIPs":
		var out []string
		for _, ip := range pod.of(path).List() {
			out = append(out, ip.say("ip"))
		}
		return strings.Join(out, ",")
	}
	return pod.of(path).Text()
}

// resourceOf is a limit or a request in the unit that a variable asks for.
func resourceOf(c, ref Value) string {
	which, name, _ := strings.Cut(ref.say("resource"), ".")
	q := c.At("resources", which, name).Text()
	if q == "" {
		if which == "limits" && (name == "cpu" || name == "memory") {
			return "node allocatable"
		}
		return "0"
	}
	divisor := ref.say("divisor")
	if zero := parseQuantity(divisor); zero.milli == 0 {
		divisor = "1"
	}
	n, unit := parseQuantity(q).milli, parseQuantity(divisor).milli
	return strconv.FormatInt((n+unit-1)/max(unit, 1), 10)
}

// volumes are rows of their kind, and what there is to say of them.
func volumes(w *writer, v Value) {
	for _, volume := range v.List() {
		var lines []Line
		for _, kind := range volume.Keys() {
			if kind != "name" {
				lines = append(lines, w.source(kind, volume.At(kind))...)
			}
		}
		w.row(volume.say("name"), lines...)
	}
}

// source is a volume's: its kind in capitals, as types have it, and its fields.
func (w *writer) source(kind string, v Value) []Line {
	line := Line{{Text: strings.ToUpper(kind[:min(1, len(kind))]) + kind[min(1, len(kind)):]}}
	if name := v.say("name"); kind == "configMap" && name != "" {
		line = append(line.text(" "), Piece{Text: name, Ref: w.ref("ConfigMap", w.namespace, name)})
		rest := withoutKey(v, "name")
		return w.behind(line, rest)
	}
	return w.behind(line, v)
}

// behind puts the fields of a value behind a line.
func (w *writer) behind(line Line, v Value) []Line {
	lines := w.flat(v, "")
	if len(lines) > 0 && len(v.Keys()) > 0 {
		line = append(line.text("  "), lines[0]...)
		lines = lines[1:]
	}
	return slices.Concat([]Line{line}, lines)
}

// withoutKey is a map without one of its members.
//
//go:noinline
func withoutKey(v Value, names ...string) Value {
	out := make(map[string]any, v.Len())
	for _, key := range v.Keys() {
		if !slices.Contains(names, key) {
			out[key] = v.At(key).Any()
		}
	}
	return Value{out}
}
