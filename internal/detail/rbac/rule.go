package rbac

import (
	"slices"
	"strings"
)

// Rule is a rule of a role. Those for URLs that are no resources have no Resources.
type Rule struct {
	Verbs         []string `json:"verbs"`
	APIGroups     []string `json:"apiGroups"`
	Resources     []string `json:"resources"`
	ResourceNames []string `json:"resourceNames"`
}

const all = "*"

func has(list []string, text string) bool {
	return slices.Contains(list, all) || slices.Contains(list, text)
}

// about reports whether the rule is about what a check requests, for some object or for all.
func (r *Rule) about(c *check) bool {
	return has(r.Verbs, c.verb) && has(r.APIGroups, c.group) && r.covers(c.resource, c.subresource)
}

// covers reports whether the rule names a resource, or its subresource. "*" covers all resources with
// their subresources, "*/scale" a subresource of all resources; "pods/*" covers nothing.
func (r *Rule) covers(resource, subresource string) bool {
	combined := resource
	if subresource != "" {
		combined += "/" + subresource
	}
	if has(r.Resources, combined) {
		return true
	}
	return subresource != "" && slices.ContainsFunc(r.Resources, func(name string) bool {
		of, found := strings.CutPrefix(name, "*/")
		return found && of == subresource
	})
}

// grant is what rules allow of a question.
type grant struct {
	verbs Verbs // allowed
	named Verbs // those of verbs that are allowed only because the rule names the object
	other Verbs // not allowed, but for objects that the rules name
}

// grantOf returns what rules allow of some checks.
func grantOf(rules []Rule, checks []check) (g grant) {
	var open, named, other Verbs
	for i := range checks {
		c := &checks[i]
		for n := range rules {
			r := &rules[n]
			switch {
			case !r.about(c):
			case len(r.ResourceNames) == 0:
				open |= c.bit
			case slices.Contains(r.ResourceNames, c.name):
				named |= c.bit
			case c.bit == DeleteCollection: // such a request names no object
			default:
				other |= c.bit
			}
		}
	}
	return grant{verbs: open | named, named: named &^ open, other: other &^ (open | named)}
}
