package web

import (
	"regexp"
	"strings"

	"watchglass/internal/query"
	"watchglass/internal/view"
)

// command is what to type into a shell to be answered the nearest same by kubectl,
// and what of the question kubectl has no words for.
type command struct {
	args    []string // what the shell is to read
	text    string   // what is typed for that; nothing, where that is not safe
	refused string   // then, why
	unsaid  []string
}

// resourceName is what kubectl may be given as a kind: no flag, and nothing that a
// shell reads.
var resourceName = regexp.MustCompile(`^[a-z][a-z0-9.-]*$`)

// command asks kubectl for what is on screen. An address comes from anybody: where a
// shell or a terminal would act on something in it, there is no command.
func (sh *share) command() command {
	a := sh.address
	var c command
	if !resourceName.MatchString(sh.here()) {
		c.refused = "kubectl does not accept this as a resource name"
		return c
	}
	words := []string{"kubectl", "get", sh.here()}
	if sh.state.Proxy != nil && sh.state.Proxy.Context != "" {
		words = append(words, "--context", sh.state.Proxy.Context)
	}
	filter := a.Filter
	var more []string
	if sh.state.Source.Namespaced {
		filter, more = c.namespace(sh.page, filter)
		words = append(words, more...)
	}
	filter, more = c.selectors(sh.here(), a.Labels, filter)
	words = append(words, more...)
	if filter != "" {
		c.unsaid = append(c.unsaid, "the filter "+filter)
	}
	words = append(words, c.sorted(sh.here(), a.Sort, a.Descending)...)
	c.args = append(words, c.columns(a.Shown())...)
	typed, err := sh.commands.quoteFor.Line(c.args)
	if err != nil {
		c.refused = err.Error()
	}
	c.text = strings.Join(typed, " ")
	return c
}

// namespace is where kubectl looks: in one namespace, or in all. It returns what is
// left of the filter.
func (c *command) namespace(g *page, filter string) (rest string, words []string) {
	chosen := g.address.Namespaces
	if len(chosen) == 0 {
		if one, rest, ok := only(filter, view.Field(view.NamespaceColumn)); ok {
			return rest, []string{"-n", one}
		}
		if limit := g.state.Source.Namespace; limit != "" {
			chosen = strings.Split(limit, ",")
		}
	}
	switch len(chosen) {
	case 0:
		return filter, []string{"-A"}
	case 1:
		return filter, []string{"-n", chosen[0]}
	}
	c.unsaid = append(c.unsaid, "only the namespaces "+strings.Join(chosen, ", "))
	return filter, []string{"-A"}
}

// fieldSelectors are the fields of a filter that the apiserver selects by, too; of a
// kind, or of all.
var fieldSelectors = []struct{ kind, field, path string }{
	{"", "name", "metadata.name"},
	{"pods", "node", "spec.nodeName"},
}

// selectors are labels and fields. They return what is left of the filter.
func (c *command) selectors(kind, labels, filter string) (rest string, words []string) {
	if _, err := query.ParseSelector(labels); err != nil {
		c.unsaid = append(c.unsaid, "the labels "+labels)
		labels = ""
	}
	if own, ok := strings.CutPrefix(filter, "-l "); ok { // all of the filter is a selector
		if _, err := query.ParseSelector(own); err == nil {
			labels, filter = strings.TrimPrefix(labels+","+own, ","), ""
		}
	}
	if labels != "" {
		words = append(words, "-l", labels)
	}
	var fields []string
	for _, s := range fieldSelectors {
		if s.kind != "" && s.kind != kind {
			continue
		}
		if one, rest, ok := only(filter, s.field); ok && !strings.ContainsAny(one, `,=\`) {
			fields, filter = append(fields, s.path+"="+one), rest
		}
	}
	if len(fields) > 0 {
		words = append(words, "--field-selector", strings.Join(fields, ","))
	}
	return filter, words
}

// only is the one value that a filter asks of a field, where it asks no more of it,
// and the filter without. Names are in lower case to the apiserver.
func only(filter, field string) (value, rest string, ok bool) {
	in, out := parsed(filter).Facet(field)
	if len(in) != 1 || len(out) > 0 || in[0] == "" {
		return "", filter, false
	}
	rest = strings.TrimSpace(query.Clear(filter, field, in[0]))
	if strings.Contains(strings.ToLower(rest), field) { // an expression of it is left
		return "", filter, false
	}
	return strings.ToLower(in[0]), rest, true
}

// sortPaths are the columns by which kubectl can sort as they are sorted here, of a
// kind or of all. Ages grow as times of creation fall.
var sortPaths = []struct {
	kind, column, path string
	falls              bool
}{
	{"", "Name", ".metadata.name", false},
	{"", view.NamespaceColumn, ".metadata.namespace", false},
	{"", "Age", ".metadata.creationTimestamp", true},
	{"pods", "Node", ".spec.nodeName", false},
	{"pods", "IP", ".status.podIP", false},
	{"services", "Type", ".spec.type", false},
	{"services", "Cluster-IP", ".spec.clusterIP", false},
	{"persistentvolumeclaims", "Volume", ".spec.volumeName", false},
}

func (c *command) sorted(kind, column string, descending bool) []string {
	if column == "" {
		return nil
	}
	for _, s := range sortPaths {
		if (s.kind == "" || s.kind == kind) && s.column == column {
			if s.falls != descending {
				c.unsaid = append(c.unsaid, "the other way round")
			}
			return []string{"--sort-by", s.path}
		}
	}
	c.unsaid = append(c.unsaid, "sorted by "+column)
	return nil
}

// columns are kubectl's, with those of labels behind them.
func (c *command) columns(shown []Shown) (words []string) {
	var labels, others []string
	for _, s := range shown {
		if label, ok := strings.CutPrefix(s.Name, "label."); ok {
			labels = append(labels, label)
		} else if s.Name == wideColumns {
			words = append(words, "-o", "wide")
		} else if s.Name != view.AllColumns {
			others = append(others, s.Name)
		}
	}
	if len(labels) > 0 {
		words = append(words, "-L", strings.Join(labels, ","))
	}
	if len(others) > 0 {
		c.unsaid = append(c.unsaid, "the columns "+strings.Join(others, ", "))
	}
	return words
}
