package detail

import (
	"slices"
	"strings"

	"watchglass/internal/document"
)

// selector shows a label selector as kubectl writes it, with a link to the selected pods.
func (w *writer) selector(v document.Value, arg string) []Line {
	if !v.Exists() {
		return nil
	}
	text := SelectorText(v)
	if text == "" {
		return one(Span{Text: "<none>", Style: Quiet})
	}
	return w.selected(text, arg)
}

// match shows a map of labels used as a selector.
func (w *writer) match(v document.Value, arg string) []Line {
	if v.Len() == 0 {
		return nil
	}
	return w.selected(LabelsText(v), arg)
}

// selected links to the selected objects: pods of the namespace, unless a resource is given.
func (w *writer) selected(text, resource string) []Line {
	p := Span{Text: text, Style: Code}
	switch resource {
	case "":
		p.List = &Listing{Resource: "pods", Namespace: w.namespace, Labels: text}
	case "none":
	default:
		p.List = &Listing{Resource: resource, Labels: text}
	}
	return []Line{{p}}
}

// LabelsText returns a map of labels as a selector in kubectl's syntax.
func LabelsText(labels document.Value) string {
	var terms []string
	for _, key := range labels.Keys() {
		terms = append(terms, key+"="+labels.At(key).Text())
	}
	return strings.Join(terms, ",")
}

// SelectorText returns a selector of labels and expressions in kubectl's syntax, sorted by key.
func SelectorText(v document.Value) string {
	var terms []string // each preceded by its key, for sorting
	labels := v.Get("matchLabels")
	for _, key := range labels.Keys() {
		terms = append(terms, key+"\x00\x00"+key+"="+labels.At(key).Text())
	}
	for i, e := range v.ListAt("matchExpressions") {
		key := e.TextAt("key")
		values := texts(e.Get("values"))
		slices.Sort(values)
		text := key
		switch operator := e.TextAt("operator"); operator {
		case "In", "NotIn":
			text = key + " " + strings.ToLower(operator) + " (" + strings.Join(values, ",") + ")"
		case "DoesNotExist":
			text = "!" + key
		}
		terms = append(terms, key+"\x00"+string(rune(1+i))+"\x00"+text)
	}
	slices.Sort(terms)
	for i, t := range terms {
		terms[i] = t[strings.LastIndexByte(t, 0)+1:]
	}
	return strings.Join(terms, ",")
}

//go:noinline
func texts(list document.Value) []string {
	var out []string
	for _, e := range list.List() {
		out = append(out, e.Text())
	}
	return out
}

// expressions shows requirements as kubectl describe does: "zone in [a, b]".
func (w *writer) expressions(v document.Value, _ string) []Line {
	var out []Line
	for _, e := range v.List() {
		operator := strings.ToLower(e.TextAt("operator"))
		if operator == "" {
			operator = "in"
		}
		text := e.TextAt("key") + " " + operator
		if values := texts(e.Get("values")); len(values) > 0 {
			text += " [" + strings.Join(values, ", ") + "]"
		}
		out = append(out, Line{{Text: text, Style: Code}})
	}
	return out
}

// terms shows the terms of a node selector. One of the terms must hold, with all its
// requirements.
func (w *writer) terms(v document.Value, _ string) []Line {
	var out []Line
	for i, term := range v.List() {
		var parts []Line
		for _, member := range []string{"matchExpressions", "matchFields", "matchLabelExpressions"} {
			parts = append(parts, w.expressions(term.At(member), "")...)
		}
		line := join(parts, " and ")
		if i > 0 && len(line) > 0 {
			line = append(Line{}.styled(Quiet, "or "), line...)
		}
		out = append(out, line)
	}
	return out
}

// but shows a text unless it equals a given one.
func (w *writer) but(v document.Value, other string) []Line {
	if v.Text() == other {
		return nil
	}
	return w.plain(v, "")
}

// peerPods shows the pods of a network policy peer: those of this namespace, unless the peer
// selects namespaces.
func (w *writer) peerPods(v document.Value, _ string) []Line {
	where := ""
	if v.Get("namespaceSelector").Exists() {
		where = "pods"
	}
	return w.selector(v.Get("podSelector"), where)
}
