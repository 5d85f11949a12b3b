package detail

import (
	"slices"
	"strings"
)

// selector is a label selector, as kubectl writes it, and the pods it selects.
func (w *writer) selector(v Value, arg string) []Line {
	if !v.Exists() {
		return nil
	}
	text := selectorText(v)
	if text == "" {
		return one(Piece{Text: "<none>", Look: Quiet})
	}
	return w.selected(text, arg)
}

// match is a map of labels that select.
func (w *writer) match(v Value, arg string) []Line {
	if v.Len() == 0 {
		return nil
	}
	return w.selected(strings.Join(equalities(v), ","), arg)
}

// selected links to what is selected: pods of the namespace, unless said otherwise.
func (w *writer) selected(text, resource string) []Line {
	p := Piece{Text: text, Look: Code}
	switch resource {
	case "":
		p.List = &Listing{Resource: "pods", Namespace: w.namespace, Labels: text}
	case "none":
	default:
		p.List = &Listing{Resource: resource, Labels: text}
	}
	return []Line{{p}}
}

func equalities(labels Value) []string {
	var out []string
	for _, key := range labels.Keys() {
		out = append(out, key+"="+labels.At(key).Text())
	}
	return out
}

// selectorText is a selector in kubectl's words: in the order of its keys.
func selectorText(v Value) string {
	type term struct{ key, text string }
	var terms []term
	labels := v.At("matchLabels")
	for _, key := range labels.Keys() {
		terms = append(terms, term{key, key + "=" + labels.At(key).Text()})
	}
	for _, e := range v.At("matchExpressions").List() {
		key := e.At("key").Text()
		values := slices.Sorted(slices.Values(texts(e.At("values"))))
		text := key
		switch operator := e.At("operator").Text(); operator {
		case "In", "NotIn":
			text = key + " " + strings.ToLower(operator) + " (" + strings.Join(values, ",") + ")"
		case "DoesNotExist":
			text = "!" + key
		}
		terms = append(terms, term{key, text})
	}
	slices.SortStableFunc(terms, func(a, b term) int { return strings.Compare(a.key, b.key) })
	out := make([]string, len(terms))
	for i, t := range terms {
		out[i] = t.text
	}
	return strings.Join(out, ",")
}

func texts(list Value) []string {
	var out []string
	for _, e := range list.List() {
		out = append(out, e.Text())
	}
	return out
}

// expressions are requirements, as describe has them: "zone in [a, b]".
func (w *writer) expressions(v Value, _ string) []Line {
	var out []Line
	for _, e := range v.List() {
		operator := strings.ToLower(e.At("operator").Text())
		if operator == "" {
			operator = "in"
		}
		text := e.At("key").Text() + " " + operator
		if values := texts(e.At("values")); len(values) > 0 {
			text += " [" + strings.Join(values, ", ") + "]"
		}
		out = append(out, Line{{Text: text, Look: Code}})
	}
	return out
}

// terms are those of a node selector: one of them has to hold, and all in it.
func (w *writer) terms(v Value, _ string) []Line {
	var out []Line
	for i, term := range v.List() {
		var parts []Line
		for _, member := range []string{"matchExpressions", "matchFields", "matchLabelExpressions"} {
			parts = append(parts, w.expressions(term.At(member), "")...)
		}
		line := join(parts, " and ")
		if i > 0 && len(line) > 0 {
			line = append(Line{}.look(Quiet, "or "), line...)
		}
		out = append(out, line)
	}
	return out
}

// taint is one of a node's: key=value:effect.
func (w *writer) taint(v Value, _ string) []Line {
	text := v.At("key").Text()
	if value := v.At("value").Text(); value != "" {
		text += "=" + value
	}
	if effect := v.At("effect").Text(); effect != "" {
		text += ":" + effect
	}
	line := Line{{Text: text, Look: Code}}
	if at := instant(v.At("timeAdded")); at != 0 {
		line = append(line.look(Quiet, " since "), Piece{At: at})
	}
	return []Line{line}
}

// toleration is one in describe's words.
func (w *writer) toleration(v Value, _ string) []Line {
	key, value, effect := v.At("key").Text(), v.At("value").Text(), v.At("effect").Text()
	text := key
	if value != "" {
		text += "=" + value
	}
	if effect != "" {
		text += ":" + effect
	}
	switch operator := v.At("operator").Text(); {
	case operator == "Exists" && value == "":
		text += " op=Exists"
	case operator != "" && operator != "Exists" && operator != "Equal":
		text += " op=" + operator
	}
	if seconds := v.At("tolerationSeconds").Text(); seconds != "" {
		text += " for " + seconds + "s"
	}
	return one(Piece{Text: strings.TrimSpace(text), Look: Code})
}

// spread is how pods are to be spread.
func (w *writer) spread(v Value, _ string) []Line {
	text := v.At("topologyKey").Text() + ":" + v.At("whenUnsatisfiable").Text() + " when max skew " + v.At("maxSkew").Text() + " is exceeded"
	line := Line{{Text: text}}
	if s := v.At("labelSelector"); s.Exists() {
		line = append(line.look(Quiet, " for selector "), join(w.selector(s, ""), "")...)
	}
	return []Line{line}
}
