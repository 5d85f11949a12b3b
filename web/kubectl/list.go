package kubectl

import (
	"regexp"
	"strings"
	"sync"

	"watchglass/internal/query"
	"watchglass/internal/quote"
	"watchglass/internal/view"
	"watchglass/web/route"
)

// List is a list on the page.
type List struct {
	Address route.Address // untrusted
	Kind    string        // the resource that it shows
	// Namespaced is set if objects of the kind are in namespaces, and Limit has the namespaces to which the user's
	// rights limit the list, between commas; "" if they do not.
	Namespaced bool
	Limit      string
	Helm       bool     // it is of Helm's releases
	Reach      []string // kubectl's flags for the cluster and the user
}

// ListCommand is the command that comes closest to a list, and the parts that kubectl or helm has no
// equivalent for.
type ListCommand struct {
	Args    []string // as the shell parses them
	Text    string   // quoted for the shell; empty if refused
	Refused string   // why there is no command
	Unsaid  []string
	Note    string // a sentence on what the command does otherwise than the page
}

// noEquivalent is why there is no command for a list that only the page has.
const noEquivalent = "No kubectl equivalent."

// resourceName matches resources that are safe on a command line: no flags, nothing that a
// shell interprets.
var resourceName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z][a-z0-9.-]*$`) })

// CommandOf returns the command for a list, quoted for a shell. If a shell or a terminal would interpret part
// of it, the command is refused.
func CommandOf(l List, shell quote.Shell) (c ListCommand) {
	switch {
	case l.Address.Mixed():
		c.Refused = noEquivalent
	case !resourceName().MatchString(l.Kind):
		c.Refused = "not a valid kubectl resource name"
	case l.Helm:
		c.helmList(l)
		c.quote(shell)
	default:
		c.get(l)
		c.quote(shell)
	}
	return c
}

// None explains why there is no command.
func (c ListCommand) None() string {
	if c.Refused == noEquivalent {
		return noEquivalent
	}
	return "No kubectl command: " + c.Refused + "."
}

// get makes it kubectl get.
func (c *ListCommand) get(l List) {
	a := l.Address
	words := append([]string{"kubectl", "get", l.Kind}, l.Reach...)
	filter := a.Filter
	var more []string
	if l.Namespaced {
		filter, more = c.namespace(l)
		words = append(words, more...)
	}
	filter, more = c.selectors(l.Kind, a.Labels, filter)
	words = append(words, more...)
	if filter != "" {
		c.Unsaid = append(c.Unsaid, "filter "+filter)
	}
	if a.Group != "" {
		c.Unsaid = append(c.Unsaid, "grouping by "+a.Group)
		a.Sort = ""
	} else {
		a.Sort, a.Descending = a.SortedBy()
	}
	words = append(words, c.sorted(l.Kind, a.Sort, a.Descending)...)
	c.Args = append(words, c.columns(a.Shown())...)
}

// quote quotes the command for a shell, unless there is none.
func (c *ListCommand) quote(shell quote.Shell) {
	if c.Refused != "" {
		return
	}
	typed, err := shell.Line(c.Args)
	if err != nil {
		c.Refused = err.Error()
	}
	c.Text = strings.Join(typed, " ")
}

// namespace returns the flags for one namespace or for all, and the rest of the filter.
func (c *ListCommand) namespace(l List) (rest string, words []string) {
	filter, chosen := l.Address.Filter, l.Address.Namespaces
	if len(chosen) == 0 {
		if one, rest, ok := only(filter, view.Field(view.NamespaceColumn)); ok && route.IsNamespace(one) {
			return rest, []string{"-n", one}
		}
		if l.Limit != "" {
			chosen = strings.Split(l.Limit, ",")
		}
	}
	switch len(chosen) {
	case 0:
		return filter, []string{"-A"}
	case 1:
		return filter, []string{"-n", chosen[0]}
	}
	c.Unsaid = append(c.Unsaid, "namespaces "+strings.Join(chosen, ", "))
	return filter, []string{"-A"}
}

// fieldSelectors are the filter fields with an equivalent field selector, for one kind or for
// all.
var fieldSelectors = []struct{ kind, field, path string }{
	{"", "name", "metadata.name"},
	{"pods", "node", "spec.nodeName"},
}

// selectors returns the flags for labels and fields, and the rest of the filter.
func (c *ListCommand) selectors(kind, labels, filter string) (rest string, words []string) {
	if _, err := query.ParseSelector(labels); err != nil {
		c.Unsaid = append(c.Unsaid, "labels "+labels)
		labels = ""
	}
	if own, ok := strings.CutPrefix(filter, "-l "); ok { // the whole filter is a selector
		if _, err := query.ParseSelector(own); err == nil {
			labels, filter = strings.TrimPrefix(labels+","+own, ","), ""
		}
	}
	if labels != "" {
		words = append(words, "-l", labels)
	}
	var fields []string
	for _, s := range fieldSelectors {
		if s.kind != "" && s.kind != kind || s.field == "name" && hasCapitals(kind) {
			continue
		}
		one, rest, ok := only(filter, s.field)
		if ok && s.field == "node" && one == view.NoValue {
			one = "" // as kubectl asks for pods that are on no node
		} else if !isFieldValue(one) {
			continue
		}
		fields, filter = append(fields, s.path+"="+one), rest
	}
	if len(fields) > 0 {
		words = append(words, "--field-selector", strings.Join(fields, ","))
	}
	return filter, words
}

// isFieldValue reports whether a value may be an object's name, which a field selector takes as it is.
func isFieldValue(value string) bool {
	return value != "" && strings.Trim(value, "abcdefghijklmnopqrstuvwxyz0123456789-.:") == ""
}

// hasCapitals reports whether names of a kind may have capitals. A filter finds them in either case, and
// kubectl only as they are.
func hasCapitals(kind string) bool { return strings.HasSuffix(kind, ".rbac.authorization.k8s.io") }

// only returns the value of a field if the filter asks for exactly that value, and the filter
// without it. The apiserver's names are in lower case, except where hasCapitals.
func only(filter, field string) (value, rest string, ok bool) {
	in, out := query.Sound(filter).Facet(field)
	if len(in) != 1 || len(out) > 0 || in[0] == "" {
		return "", filter, false
	}
	rest = strings.TrimSpace(query.Clear(filter, field, in[0]))
	if strings.Contains(strings.ToLower(rest), field) { // the field is used elsewhere in the filter
		return "", filter, false
	}
	return strings.ToLower(in[0]), rest, true
}

// sortPaths are the columns that kubectl sorts in the same way, for one kind or for all. Ages
// grow as creation times get earlier.
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

func (c *ListCommand) sorted(kind, column string, descending bool) []string {
	if column == "" {
		return nil
	}
	for _, s := range sortPaths {
		if (s.kind == "" || s.kind == kind) && s.column == column {
			if s.falls != descending {
				c.Unsaid = append(c.Unsaid, "sort direction")
			}
			return []string{"--sort-by", s.path}
		}
	}
	c.Unsaid = append(c.Unsaid, "sorting by "+column)
	return nil
}

// columns returns the flags for kubectl's own columns and for label columns.
func (c *ListCommand) columns(shown []route.Column) (words []string) {
	var labels, others []string
	for _, s := range shown {
		if label, ok := strings.CutPrefix(s.Name, "label."); ok {
			labels = append(labels, label)
		} else if s.Name == route.WideColumns {
			words = append(words, "-o", "wide")
		} else if s.Name != view.AllColumns {
			others = append(others, s.Name)
		}
	}
	if len(labels) > 0 {
		words = append(words, "-L", strings.Join(labels, ","))
	}
	if len(others) > 0 {
		c.Unsaid = append(c.Unsaid, "columns "+strings.Join(others, ", "))
	}
	return words
}
