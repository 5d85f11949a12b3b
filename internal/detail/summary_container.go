package detail

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"watchglass/internal/document"
	"watchglass/internal/object/tone"
)

// container is the sheet of a container's card: c is its spec, s its status.
const container = `Image: {c.image:code}
State: {s.state:state}
Last state: {s.lastState:state}
Ready: {s.ready:yes}
Restart count: {s.restartCount}
Started: {s.started:yes}
Ports@c.ports: {!containerPort}/{protocol} ({name})
Host ports@c.ports: {!hostPort}/{protocol} ({name}) on {hostIP}
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
Environment from@c.envFrom: ConfigMap {configMapRef.name:ref ConfigMap} Secret {secretRef.name:ref Secret} with prefix {prefix} optional {configMapRef.optional} optional {secretRef.optional}
Environment@c.env: {name:code} {:variable}
Mounts@c.volumeMounts: {mountPath:code} from {name} ({:flags}) propagation {mountPropagation} path {subPathExpr}
Devices@c.volumeDevices: {devicePath:code} from {name}
Restart policy: {c.restartPolicy}
Pull policy: {c.imagePullPolicy}
Security: {c.securityContext:flat}
Image ID: {s.imageID:code}
Container ID: {s.containerID:code}
Target container: {c.targetContainerName}
`

// variable shows the value of an environment variable, or its source.
const variable = "{value:code}{valueFrom.secretKeyRef:key Secret}{valueFrom.configMapKeyRef:key ConfigMap}{valueFrom.fieldRef:field}{valueFrom.resourceFieldRef:amount}{valueFrom.fileKeyRef:flat}"

func (w *writer) variable(v document.Value, _ string) []Line { return w.fill(variable, v) }

// containers writes the containers of a pod or a pod template.
func (w *writer) containers(v document.Value) {
	w.siblings = make(map[string]document.Value)
	for _, c := range append(v.ListAt("spec.containers"), v.ListAt("spec.initContainers")...) {
		w.siblings[c.TextAt("name")] = c
	}
	for _, kind := range []string{"containers", "initContainers", "ephemeralContainers"} {
		all := v.ListAt("spec." + kind)
		if len(all) == 0 {
			continue
		}
		statuses := make(map[string]document.Value)
		for _, s := range v.ListAt("status." + strings.TrimSuffix(kind, "s") + "Statuses") {
			statuses[s.TextAt("name")] = s
		}
		title, _, _ := strings.Cut(kind, "C")
		w.section(map[string]string{"containers": "Containers", "init": "Init containers", "ephemeral": "Ephemeral containers"}[title])
		w.last().More = max(0, len(all)-mostSections)
		for _, c := range all[:min(len(all), mostSections)] {
			s := statuses[c.TextAt("name")]
			card := w.inner(c.TextAt("name"), func(w *writer) {
				w.container = c
				w.run(container, document.Of(map[string]any{"c": c.Any(), "s": s.Any()}))
			})
			card.Card = true
			card.Badge = join(w.state(s.Get("state"), "word"), "")
		}
	}
}

// state shows a container's state with its reason and times. With an argument it shows only the
// reason, or else the state, in one word.
func (w *writer) state(v document.Value, arg string) []Line {
	names := v.Keys()
	if len(names) == 0 {
		return nil
	}
	name := names[0] // there is only one
	v = v.Get(name)
	reason, look := v.TextAt("reason"), OK
	switch {
	case v.Get("exitCode").Int() != 0:
		look = Failed
	case name == "waiting" && (reason == "" || reason == "ContainerCreating" || reason == "PodInitializing"):
		look = Pending
	case name == "waiting":
		look = cmp.Or(string(tone.Of(reason)), Warning) // as the pod's status has it
	}
	if arg != "" {
		if reason == "" {
			reason = capital(name)
		}
		return []Line{Line{}.styled(look, reason)}
	}
	line := Line{}.styled(look, capital(name)).text(" ")
	line = append(line, join(w.fill("· {reason} · exit code {exitCode} · signal {signal} · started {startedAt:time} · finished {finishedAt:time}", v), "")...)
	return append([]Line{line}, w.plain(v.Get("message"), "")...)
}

// failing shows the containers of a pod that cannot run or ended with an error, and how their last
// run ended. Their cards are further down.
func (w *writer) failing(v document.Value, _ string) (lines []Line) {
	for _, kind := range []string{"initContainerStatuses", "containerStatuses"} {
		for _, s := range v.ListAt(kind) {
			state := w.state(s.Get("state"), "short")
			if len(state) == 0 || len(state[0]) == 0 || state[0][0].Style != Failed && state[0][0].Style != Warning {
				continue
			}
			if len(lines) >= mostLines { // it is only counted
				lines = append(lines, state[0])
				continue
			}
			line := append(Line{}.text(s.TextAt("name")+" "), state[0]...).text(" ")
			line = append(line, join(w.fill("· last exit {lastState.terminated.exitCode} {lastState.terminated.reason} · {lastState.terminated.finishedAt:time} · {restartCount} restarts", s), "")...)
			lines = append(lines, line)
		}
	}
	return lines
}

// capital returns a name with an upper-case first letter, as type names have it.
func capital(name string) string {
	if name == "" {
		return ""
	}
	return strings.ToUpper(name[:1]) + name[1:]
}

// probes are kubectl describe's words for each kind of probe.
var probes = []struct{ kind, word, text string }{
	{"exec", "exec ", "{:command}"}, {"httpGet", "http-get ", "{:url}"}, {"tcpSocket", "tcp-socket ", "{host}:{port}"}, {"grpc", "grpc <pod>", ":{port} {service}"},
}

// probe shows a probe as kubectl describe does.
func (w *writer) probe(v document.Value, _ string) []Line {
	var line Line
	for _, p := range probes {
		if is := v.Get(p.kind); is.Exists() {
			line = append(Line{}.text(p.word), join(w.fill(p.text, is), "")...)
		}
	}
	if v.Exists() {
		line = append(line.text(" "), join(w.fill("delay={initialDelaySeconds?0}s timeout={timeoutSeconds?0}s period={periodSeconds?0}s #success={successThreshold?0} #failure={failureThreshold?0} grace={terminationGracePeriodSeconds}s", v), "")...)
	}
	return looking(Code, []Line{line})
}

func (w *writer) command(v document.Value, _ string) []Line {
	return []Line{Line{}.text("[" + strings.Join(texts(v.Get("command")), " ") + "]")}
}

func (w *writer) url(v document.Value, _ string) []Line {
	return []Line{Line{}.text(strings.ToLower(v.TextAt("scheme")) + "://" + hostPort(v.TextAt("host"), v.TextAt("port")) + v.TextAt("path"))}
}

// hostPort does what net.JoinHostPort does, without the resolver that package net brings.
func hostPort(host, port string) string {
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	return host + ":" + port
}

// zero returns a number, or "0" where JSON omits it.
//
//go:noinline
func zero(number string) string {
	if number == "" {
		return "0"
	}
	return number
}

// flags shows how a volume is mounted.
func (w *writer) flags(v document.Value, _ string) []Line {
	flags := "rw"
	if v.Get("readOnly").Bool() {
		flags = "ro"
	}
	if path := v.TextAt("subPath"); path != "" {
		flags += ",path=" + strconv.Quote(path)
	}
	return []Line{Line{}.styled(Quiet, flags)}
}

// key shows the key of a Secret or ConfigMap that a variable is set to.
func (w *writer) key(v document.Value, kind string) []Line {
	return w.fill("key {key:code} of "+kind+" {name:ref "+kind+"} optional {optional}", v)
}

// field shows the pod field that a variable is set to. A pod template has only its path.
func (w *writer) field(v document.Value, _ string) []Line {
	path := v.TextAt("fieldPath")
	if path == "" {
		return nil
	}
	line := Line{}
	if w.kind == "Pod" {
		line = line.text(fieldOf(w.root, path))
	}
	return []Line{line.styled(Quiet, " ("+v.TextAt("apiVersion")+":"+path+")")}
}

func fieldOf(pod document.Value, path string) string {
	if name, key, found := strings.Cut(path, "['"); found {
		return pod.Get(name).At(strings.TrimSuffix(key, "']")).Text()
	}
	between := ","
	var out []string
	v := pod.Get(path)
	for _, key := range v.Keys() {
		out, between = append(out, key+"="+strconv.Quote(v.At(key).Text())), "\n"
	}
	for _, ip := range v.List() {
		out = append(out, ip.TextAt("ip"))
	}
	return v.Text() + strings.Join(out, between)
}

// nodeAllocates are the resources that a container without a limit may take as much of as its node allocates.
var nodeAllocates = []string{"cpu", "memory", "ephemeral-storage"}

// containerNamed returns a container of the pod, by default the one that is being written.
func (w *writer) containerNamed(name string) (c document.Value, found bool) {
	if name == "" {
		return w.container, true
	}
	c, found = w.siblings[name]
	return c, found
}

// amount shows a limit or a request in the unit that a variable asks for.
func (w *writer) amount(ref document.Value, _ string) []Line {
	resource := ref.TextAt("resource")
	if resource == "" {
		return nil
	}
	which, name, _ := strings.Cut(resource, ".")
	c, found := w.containerNamed(ref.TextAt("containerName"))
	if !found {
		return []Line{Line{}.styled(Failed, "container not found").styled(Quiet, " ("+resource+")")}
	}
	q := document.ParseQuantity(c.Get("resources." + which).At(name).Text())
	unit := max(document.ParseQuantity(ref.TextAt("divisor")).Milli, 0)
	if unit == 0 {
		unit = 1000
	}
	text := strconv.FormatInt((q.Milli+unit-1)/unit, 10)
	if q.Milli == 0 && which == "limits" && slices.Contains(nodeAllocates, name) {
		text = "node allocatable"
	}
	return []Line{Line{}.text(text).styled(Quiet, " ("+resource+")")}
}

// volumes writes a row for each volume, with its source.
func volumes(w *writer, v document.Value) {
	for i, volume := range v.List() {
		var lines []Line
		if i >= mostRows { // it is only counted
			w.row(volume.TextAt("name"), Line{}.text(volume.TextAt("name")))
			continue
		}
		for _, kind := range volume.Keys() {
			if kind != "name" {
				lines = append(lines, w.source(kind, volume.At(kind))...)
			}
		}
		w.row(volume.TextAt("name"), lines...)
	}
}

// source shows a volume's source: its kind, capitalized as in type names, and its fields.
func (w *writer) source(kind string, v document.Value) []Line {
	line := Line{}.text(capital(kind))
	if name := v.TextAt("name"); kind == "configMap" && name != "" {
		line = append(line.text(" "), Span{Text: name, Ref: w.ref("ConfigMap", w.namespace, name)})
		rest := withoutKey(v, "name")
		return w.behind(line, rest)
	}
	return w.behind(line, v)
}

// behind appends the fields of a value to a line.
func (w *writer) behind(line Line, v document.Value) []Line {
	lines := w.flat(v, "")
	if len(lines) > 0 && len(v.Keys()) > 0 {
		line = append(line.text("  "), lines[0]...)
		lines = lines[1:]
	}
	return slices.Concat([]Line{line}, lines)
}

// withoutKey returns a map without some of its members.
//
//go:noinline
func withoutKey(v document.Value, names ...string) document.Value {
	out := make(map[string]any, v.Len())
	for _, key := range v.Keys() {
		if !slices.Contains(names, key) {
			out[key] = v.At(key).Any()
		}
	}
	return document.Of(out)
}
