package detail

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"watchglass/internal/object"
)

// format is how a sheet shows a value. What it makes of nothing is nothing.
type format struct {
	name string
	show func(w *writer, v Value, arg string) []Line
}

// formats are all there are. They are noted when the program begins, since they refer
// to what refers to them.
var formats []format

func init() {
	formats = []format{
		{"", (*writer).plain}, {"quiet", (*writer).quiet}, {"code", (*writer).code}, {"status", (*writer).status}, {"phase", (*writer).phase},
		{"lines", (*writer).lines}, {"time", (*writer).time}, {"ref", (*writer).reference}, {"object", (*writer).object},
		{"is", (*writer).condition}, {"selector", (*writer).selector}, {"match", (*writer).match}, {"pairs", (*writer).pairs},
		{"list", (*writer).listing}, {"state", (*writer).state}, {"probe", (*writer).probe}, {"but", (*writer).but}, {"command", (*writer).command}, {"url", (*writer).url},
		{"resources", (*writer).resources}, {"count", (*writer).count}, {"terms", (*writer).terms}, {"flat", (*writer).flat},
		{"yes", (*writer).yes}, {"flags", (*writer).flags}, {"key", (*writer).key}, {"variable", (*writer).variable}, {"pods", (*writer).peerPods}, {"field", (*writer).field}, {"amount", (*writer).amount}, {"endpoints", (*writer).endpoints}, {"behind", (*writer).behindService}, {"port", (*writer).port}, {"granted", (*writer).granted}, {"share", (*writer).share},
		{"span", (*writer).span}, {"addresses", (*writer).addresses}, {"gate", (*writer).gate}, {"rollout", (*writer).rollout},
		{"claim", (*writer).claim}, {"modes", (*writer).modes}, {"request", (*writer).request}, {"subject", (*writer).subject},
		{"duration", (*writer).duration}, {"scopes", (*writer).scopes}, {"definition", (*writer).definition},
	}
}

// formatOf finds one: the first, if there is none of the name.
func formatOf(name string) *format {
	for i := range formats {
		if formats[i].name == name {
			return &formats[i]
		}
	}
	return &formats[0]
}

// one is a line of one piece.
//
//go:noinline
func one(p Piece) []Line {
	if p.Text == "" && p.At == 0 {
		return nil
	}
	return []Line{{p}}
}

// plain shows a scalar as it is, a list with commas, a map as pairs.
func (w *writer) plain(v Value, _ string) []Line {
	switch v.Any().(type) {
	case []any:
		var texts []string
		for _, e := range v.List() {
			texts = append(texts, flatText(e))
		}
		return one(Piece{Text: strings.Join(texts, ", ")})
	case map[string]any:
		return w.pairs(v, "")
	}
	return one(Piece{Text: v.Text()})
}

// flatText is a value in a word: a scalar as it is, anything else with its members
// behind each other.
func flatText(v Value) string {
	if v.Len() == 0 {
		return v.Text()
	}
	var parts []string
	flatten(v, "", 0, func(name string, v Value, _ int) { parts = append(parts, name+"="+v.Text()) })
	return strings.Join(parts, " ")
}

func (w *writer) quiet(v Value, arg string) []Line { return looking(Quiet, w.plain(v, arg)) }

func (w *writer) code(v Value, arg string) []Line { return looking(Code, w.plain(v, arg)) }

func (w *writer) status(v Value, arg string) []Line { return looking(Status, w.plain(v, arg)) }

// phase shows a pod's as its list does, which knows more: that it crashes, or has to go.
func (w *writer) phase(v Value, arg string) []Line {
	for _, c := range w.more.Cells {
		if c.Name == "Status" && c.Text != v.Text() {
			return []Line{Line{}.look(Status, c.Text).look(Quiet, " phase "+v.Text())}
		}
	}
	return w.status(v, arg)
}

// looking has lines look like something.
func looking(look string, lines []Line) []Line {
	for _, l := range lines {
		for i := range l {
			l[i].Look = look
		}
	}
	return lines
}

// lines shows each line of a text, or of each element of a list, as such. Of too many it
// ends with how many bytes follow.
func (w *writer) lines(v Value, _ string) []Line {
	var out []Line
	elements := v.List()
	if text := v.Text(); text != "" {
		elements = []Value{v}
	}
	left := 0
	for _, e := range elements {
		for text := range strings.SplitSeq(flatText(e), "\n") {
			if len(out) < mostLines {
				out = append(out, Line{{Text: text, Look: Code}})
			} else {
				left += len(text) + len("\n")
			}
		}
	}
	if left > 0 {
		last := &out[len(out)-1]
		*last = Line{{Cut: left + len((*last)[0].Text)}}
	}
	return out
}

// instant reads a time: 0 is none.
//
//go:noinline
func instant(v Value) int64 {
	t, err := time.Parse(time.RFC3339, v.Text())
	if err != nil || t.Year() < 1970 {
		return 0
	}
	return t.Unix()
}

// time shows an instant. What cannot be read is shown as it is.
func (w *writer) time(v Value, _ string) []Line {
	if at := instant(v); at != 0 {
		return one(Piece{At: at})
	}
	return one(Piece{Text: v.Text()})
}

// span is how long it took from the first of two paths to the second.
func (w *writer) span(v Value, paths string) []Line {
	from, to, _ := strings.Cut(paths, " ")
	a, b := instant(v.of(from)), instant(v.of(to))
	if a == 0 || b == 0 {
		return nil
	}
	return one(Piece{Text: string(object.Cell{Kind: object.SpanCell, At: a, End: b}.Append(nil, time.Time{}))})
}

// ref names an object by a kind, "StorageClass.storage.k8s.io", in a namespace if
// such have one.
//
//go:noinline
func (w *writer) ref(kind, namespace, name string) *Ref {
	if name == "" || kind == "" {
		return nil
	}
	r := &Ref{Namespace: namespace, Name: name}
	r.Kind, r.Group, _ = strings.Cut(kind, ".")
	if k, ok := object.BuiltinNamed(r.Group, r.Kind); ok && !k.Namespaced {
		r.Namespace = ""
	}
	return r
}

func (w *writer) reference(v Value, kind string) []Line {
	var out []Line
	for _, e := range append(v.List(), v) {
		if name := e.Text(); name != "" {
			out = append(out, Line{{Text: name, Ref: w.ref(kind, w.namespace, name)}})
		}
	}
	return out
}

// object is what names one: a reference to an owner, a target, a role.
func (w *writer) object(v Value, arg string) []Line {
	kind, name := v.say("kind"), v.say("name")
	group := v.say("apiGroup")
	if before, _, grouped := strings.Cut(v.say("apiVersion"), "/"); grouped {
		group = before
	}
	if kind == "" {
		kind, group, _ = strings.Cut(arg, ".")
	}
	if name == "" {
		return nil
	}
	full := kind
	if group != "" {
		full += "." + group
	}
	namespace := v.say("namespace")
	text := kind + "/" + name
	if namespace != "" && namespace != w.namespace {
		text = kind + "/" + namespace + "/" + name
	} else if namespace == "" {
		namespace = w.namespace
	}
	line := Line{{Text: text, Ref: w.ref(full, namespace, name)}}
	if path := v.say("fieldPath"); path != "" {
		line = line.text(" ").look(Quiet, path)
	}
	return []Line{line}
}

// listing links to the objects of a namespace that is told by a text: a resource
// and what it is filtered by.
func (w *writer) listing(v Value, resource string) []Line {
	resource, filter, _ := strings.Cut(resource, " ")
	text := v.Text()
	if text == "" {
		return nil
	}
	return one(Piece{Text: text, List: &Listing{Resource: resource, Namespace: w.namespace, Filter: filter + text}})
}

// bad are the conditions that are a failure when they are true.
var bad = []string{"Failure", "Failed", "Pressure", "Unavailable", "Dangling", "NonStructuralSchema", "Terminating", "DisruptionTarget", "Invalid", "Limited", "Denied"}

// condition is whether one holds: a tone says whether that is as it should be.
func (w *writer) condition(v Value, _ string) []Line {
	kind, is := v.say("type"), v.say("status")
	wrong := slices.ContainsFunc(bad, func(s string) bool { return strings.Contains(kind, s) })
	look := Pending
	switch {
	case is == "True" && wrong:
		look = Failed
	case is == "True", is == "False" && wrong:
		look = OK
	case is == "False":
		look = Warning
	}
	return one(Piece{Text: is, Look: look})
}

func (w *writer) count(v Value, _ string) []Line {
	if !v.Exists() {
		return nil
	}
	return one(Piece{Text: strconv.Itoa(v.Len())})
}

func (w *writer) yes(v Value, _ string) []Line {
	switch v.Text() {
	case "true":
		return one(Piece{Text: "True"})
	case "false":
		return one(Piece{Text: "False"})
	}
	return nil
}

// pairs are a map's, one a line.
func (w *writer) pairs(v Value, between string) []Line {
	var out []Line
	if between == "" {
		between = "="
	}
	for _, key := range v.Keys() {
		out = append(out, Line{{Text: key + between + flatText(v.At(key)), Look: Code}})
	}
	return out
}

// resources are quantities by name.
func (w *writer) resources(v Value, _ string) []Line {
	var out []Line
	for _, key := range v.Keys() {
		out = append(out, Line{}.look(Quiet, key+" ").text(v.At(key).Text()))
	}
	return out
}

// flat shows the scalars of a value with their names, and each element of its lists
// in a line of its own.
func (w *writer) flat(v Value, _ string) []Line {
	var out []Line
	last := -1
	flatten(v, "", 0, func(name string, v Value, line int) {
		if line != last {
			out, last = append(out, nil), line
		}
		l := &out[len(out)-1]
		if len(*l) > 0 {
			*l = l.text("  ")
		}
		*l = l.look(Quiet, name+" ")
		*l = append(*l, Piece{Text: v.Text(), Ref: w.named(name, v.Text())})
	})
	return out
}

// names are the fields that name an object, and of which kind.
const names = " secretName=secret claimName=persistentvolumeclaim storageClassName=storageclass configMap.name=configmap secret.name=secret secretRef.name=secret persistentVolumeName=persistentvolume endpointsName=endpoints "

// named is the object that a field names, if such a field does.
func (w *writer) named(name, text string) *Ref {
	for range 2 { // the name itself, or what is at its end
		if _, kind, ok := strings.Cut(names, " "+name+"="); ok {
			kind, _, _ = strings.Cut(kind, " ")
			return w.builtin(kind, text)
		}
		if strings.HasSuffix(name, "SecretRef.name") {
			name = "secretRef.name"
		} else if parts := strings.Split(name, "."); len(parts) > 2 {
			name = strings.Join(parts[len(parts)-2:], ".")
		} else {
			name = parts[len(parts)-1]
		}
	}
	return nil
}

// builtin names an object of a kind that is known by a name alone.
func (w *writer) builtin(kind, name string) *Ref {
	k, ok := object.Builtin(kind)
	if !ok || name == "" {
		return nil
	}
	r := &Ref{Group: k.Group, Kind: k.Name, Name: name}
	if k.Namespaced {
		r.Namespace = w.namespace
	}
	return r
}

// deepest is how deep a value is looked into.
const deepest = 12

// flatten calls f for each scalar with its path and the number of its line: each
// element of a list that is no scalar begins one. What is too deep is an ellipsis.
func flatten(v Value, path string, line int, f func(path string, v Value, line int)) int {
	if strings.Count(path, ".") > deepest {
		f(path, Value{"…"}, line)
		return line
	}
	switch v.Any().(type) {
	case map[string]any:
		for _, key := range v.Keys() {
			inner := key
			if path != "" {
				inner = path + "." + key
			}
			line = flatten(v.At(key), inner, line, f)
		}
	case []any:
		for _, e := range v.List() {
			if e.Len() > 0 {
				line++
			}
			line = flatten(e, path, line, f)
		}
	case nil:
	default:
		f(path, v, line)
	}
	return line
}
