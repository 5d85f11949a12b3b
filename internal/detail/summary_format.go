package detail

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"watchglass/internal/document"
	"watchglass/internal/object"
	"watchglass/internal/object/tone"
)

// format is how a sheet shows a value. An absent value yields no lines.
type format struct {
	name string
	show func(w *writer, v document.Value, arg string) []Line
}

// formats holds all formats. It is filled by init, since the functions refer back to it.
var formats []format

func init() {
	formats = []format{
		{"", (*writer).plain}, {"quiet", (*writer).quiet}, {"code", (*writer).code}, {"others", (*writer).others}, {"status", (*writer).status}, {"phase", (*writer).phase}, {"failing", (*writer).failing},
		{"lines", (*writer).lines}, {"time", (*writer).time}, {"ref", (*writer).reference}, {"object", (*writer).object}, {"controller", (*writer).controller}, {"owner", (*writer).owner},
		{"is", (*writer).condition}, {"selector", (*writer).selector}, {"match", (*writer).match}, {"pairs", (*writer).pairs},
		{"list", (*writer).listing}, {"state", (*writer).state}, {"probe", (*writer).probe}, {"but", (*writer).but}, {"command", (*writer).command}, {"url", (*writer).url},
		{"resources", (*writer).resources}, {"count", (*writer).count}, {"terms", (*writer).terms}, {"flat", (*writer).flat},
		{"yes", (*writer).yes}, {"flags", (*writer).flags}, {"key", (*writer).key}, {"variable", (*writer).variable}, {"pods", (*writer).peerPods}, {"field", (*writer).field}, {"amount", (*writer).amount}, {"endpoints", (*writer).endpoints}, {"behind", (*writer).behindService}, {"port", (*writer).port}, {"granted", (*writer).granted}, {"share", (*writer).share},
		{"span", (*writer).span}, {"addresses", (*writer).addresses}, {"gate", (*writer).gate}, {"rollout", (*writer).rollout},
		{"claim", (*writer).claim}, {"modes", (*writer).modes}, {"request", (*writer).request}, {"encoded", (*writer).encoded}, {"subject", (*writer).subject},
		{"duration", (*writer).duration}, {"scopes", (*writer).scopes}, {"definition", (*writer).definition},
		{"released", (*writer).released}, {"pending", (*writer).pending}, {"unread", (*writer).unread},
	}
}

// formatOf returns the format of a name, or the first one if there is none.
func formatOf(name string) *format {
	for i := range formats {
		if formats[i].name == name {
			return &formats[i]
		}
	}
	return &formats[0]
}

// one returns a line of one piece, or nothing if the piece is empty.
//
//go:noinline
func one(p Span) []Line {
	if p.Text == "" && p.At == 0 {
		return nil
	}
	return []Line{{p}}
}

// plain shows a scalar as it is, a list with commas, and a map as pairs.
func (w *writer) plain(v document.Value, _ string) []Line {
	switch v.Any().(type) {
	case []any:
		var texts []string
		for _, e := range v.List() {
			texts = append(texts, flatText(e))
		}
		return one(Span{Text: strings.Join(texts, ", ")})
	case map[string]any:
		return w.pairs(v, "")
	}
	return one(Span{Text: v.Text()})
}

// flatText returns a value as one text: a scalar as it is, anything else as its scalars one
// after another.
func flatText(v document.Value) string {
	if v.Len() == 0 {
		return v.Text()
	}
	var parts []string
	flatten(v, "", 0, func(name string, v document.Value, _ int) { parts = append(parts, name+"="+v.Text()) })
	return strings.Join(parts, " ")
}

func (w *writer) quiet(v document.Value, arg string) []Line { return looking(Quiet, w.plain(v, arg)) }

func (w *writer) code(v document.Value, arg string) []Line { return looking(Code, w.plain(v, arg)) }

func (w *writer) status(v document.Value, arg string) []Line { return looking(Status, w.plain(v, arg)) }

// others shows a list of addresses in which the one that the row above shows is not the only one.
func (w *writer) others(v document.Value, arg string) []Line {
	if v.Len() < 2 {
		return nil
	}
	var texts []string
	for _, e := range v.List() {
		texts = append(texts, flatText(e))
	}
	return one(Span{Text: strings.Join(texts, ", "), Style: Code})
}

// phase shows a pod's status with its row's tone. Crashing and terminating pods have a status
// besides their phase.
func (w *writer) phase(v document.Value, arg string) []Line {
	names, cells := make([]string, len(w.more.Cells)), make([]string, len(w.more.Cells))
	status := v.Text()
	for i, c := range w.more.Cells {
		if names[i], cells[i] = c.Name, c.Text; c.Name == "Status" {
			status = c.Text
		}
	}
	if len(cells) == 0 {
		return w.status(v, arg)
	}
	look := cmp.Or(string(tone.NewCells(w.kind, names).Row(cells, w.more.Health)), Status)
	line := Line{}.styled(look, status)
	if status != v.Text() {
		line = line.styled(Quiet, " phase "+v.Text())
	}
	return []Line{line}
}

// looking applies a style to all pieces of lines.
func looking(look string, lines []Line) []Line {
	for _, l := range lines {
		for i := range l {
			l[i].Style = look
		}
	}
	return lines
}

// lines shows each line of a text, or of the elements of a list. If there are too many, the
// last line gives the number of remaining bytes.
func (w *writer) lines(v document.Value, _ string) []Line {
	var out []Line
	elements := v.List()
	if text := v.Text(); text != "" {
		elements = []document.Value{v}
	}
	left := 0
	for _, e := range elements {
		for text := range strings.SplitSeq(flatText(e), "\n") {
			if len(out) < mostLines {
				out = append(out, Line{{Text: text, Style: Code}})
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

// instant parses a time; 0 means none.
//
//go:noinline
func instant(v document.Value) int64 {
	t, err := time.Parse(time.RFC3339, v.Text())
	if err != nil || t.Year() < 1970 {
		return 0
	}
	return t.Unix()
}

// time shows an instant. A text that is not a time is shown as it is.
func (w *writer) time(v document.Value, _ string) []Line {
	if at := instant(v); at != 0 {
		return one(Span{At: at})
	}
	return one(Span{Text: v.Text()})
}

// span shows the time between the instants at two paths.
func (w *writer) span(v document.Value, paths string) []Line {
	from, to, _ := strings.Cut(paths, " ")
	a, b := instant(v.Get(from)), instant(v.Get(to))
	if a == 0 || b == 0 {
		return nil
	}
	return one(Span{Text: string(object.Cell{Kind: object.SpanCell, At: a, End: b}.Append(nil, time.Time{}))})
}

// ref returns a reference to an object of a kind such as "StorageClass.storage.k8s.io". It
// drops the namespace if the kind is cluster-scoped.
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

func (w *writer) reference(v document.Value, kind string) []Line {
	var out []Line
	for _, e := range append(v.List(), v) {
		if name := e.Text(); name != "" {
			out = append(out, Line{{Text: name, Ref: w.ref(kind, w.namespace, name)}})
		}
	}
	return out
}

// controller shows an owner that controls the object, and owner one that does not.
func (w *writer) controller(v document.Value, arg string) []Line {
	if !v.Get("controller").Bool() {
		return nil
	}
	return w.object(v, arg)
}

func (w *writer) owner(v document.Value, arg string) []Line {
	if v.Get("controller").Bool() {
		return nil
	}
	return w.object(v, arg)
}

// object shows a reference to an object, such as an owner, a target or a role.
func (w *writer) object(v document.Value, arg string) []Line {
	kind, name := v.TextAt("kind"), v.TextAt("name")
	group := v.TextAt("apiGroup")
	if before, _, grouped := strings.Cut(v.TextAt("apiVersion"), "/"); grouped {
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
	namespace := v.TextAt("namespace")
	text := kind + "/" + name
	if namespace != "" && namespace != w.namespace {
		text = kind + "/" + namespace + "/" + name
	} else if namespace == "" {
		namespace = w.namespace
	}
	line := Line{{Text: text, Ref: w.ref(full, namespace, name)}}
	if path := v.TextAt("fieldPath"); path != "" {
		line = line.text(" ").styled(Quiet, path)
	}
	return []Line{line}
}

// listing links to the list of a namespace's objects filtered by the value. The argument is a
// resource and the filter's prefix.
func (w *writer) listing(v document.Value, resource string) []Line {
	resource, filter, _ := strings.Cut(resource, " ")
	text := v.Text()
	if text == "" {
		return nil
	}
	return one(Span{Text: text, List: &Listing{Resource: resource, Namespace: w.namespace, Filter: filter + text}})
}

// condition shows the status of a condition, in a tone for good or bad.
func (w *writer) condition(v document.Value, _ string) []Line {
	of := tone.OfCondition
	if w.kind == "Node" && w.group == "" {
		of = tone.OfNodeCondition
	}
	is := v.TextAt("status")
	return one(Span{Text: is, Style: string(of(v.TextAt("type"), is))})
}

func (w *writer) count(v document.Value, _ string) []Line {
	if !v.Exists() {
		return nil
	}
	return one(Span{Text: strconv.Itoa(v.Len())})
}

func (w *writer) yes(v document.Value, _ string) []Line {
	switch v.Text() {
	case "true":
		return one(Span{Text: "True"})
	case "false":
		return one(Span{Text: "False"})
	}
	return nil
}

// pairs shows the entries of a map, one per line.
func (w *writer) pairs(v document.Value, between string) []Line {
	var out []Line
	if between == "" {
		between = "="
	}
	for _, key := range v.Keys() {
		out = append(out, Line{{Text: key + between + flatText(v.At(key)), Style: Code}})
	}
	return out
}

// resources shows quantities with their names.
func (w *writer) resources(v document.Value, _ string) []Line {
	var out []Line
	for _, key := range v.Keys() {
		out = append(out, Line{}.styled(Quiet, key+" ").text(v.At(key).Text()))
	}
	return out
}

// flat shows the scalars of a value with their names, and each element of its lists on a line
// of its own.
func (w *writer) flat(v document.Value, _ string) []Line {
	var out []Line
	last := -1
	flatten(v, "", 0, func(name string, v document.Value, line int) {
		if line != last {
			out, last = append(out, nil), line
		}
		l := &out[len(out)-1]
		if len(*l) > 0 {
			*l = l.text("  ")
		}
		*l = l.styled(Quiet, name+" ")
		*l = append(*l, Span{Text: v.Text(), Ref: w.named(name, v.Text())})
	})
	return out
}

// names maps the fields that name an object to its kind.
const names = " secretName=secret claimName=persistentvolumeclaim storageClassName=storageclass configMap.name=configmap secret.name=secret secretRef.name=secret persistentVolumeName=persistentvolume endpointsName=endpoints "

// named returns the object that a field names, or nil if the field names none.
func (w *writer) named(name, text string) *Ref {
	for range 2 { // the name itself, then its last parts
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

// builtin returns a reference to an object of a built-in kind, found by a short name of the
// kind.
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

// deepest is the maximum depth to which flatten descends.
const deepest = 12

// flatten calls f for each scalar with its path and line number. Each element of a list that is
// not a scalar begins a new line. Values that are too deep become an ellipsis.
func flatten(v document.Value, path string, line int, f func(path string, v document.Value, line int)) int {
	if strings.Count(path, ".") > deepest {
		f(path, document.Of("…"), line)
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
