package object

import "strings"

// Kind is one kind of object as the API serves it.
type Kind struct {
	Group, Version string
	Resource, Name string // "pods", "Pod"
	Singular       string
	Short          []string
	Namespaced     bool
	printer        *printer // nil: the server's Table, or name and age
}

// APIVersion is "v1" or "apps/v1".
func (k Kind) APIVersion() string {
	if k.Group == "" {
		return k.Version
	}
	return k.Group + "/" + k.Version
}

// ID is how addresses name the kind: "pods", "deployments.apps".
func (k Kind) ID() string {
	if k.Group == "" {
		return k.Resource
	}
	return k.Resource + "." + k.Group
}

// Answers reports whether kubectl would take the name for the kind: plural,
// singular, short or kind, alone or with ".group" or ".version.group" behind.
func (k Kind) Answers(name string) bool {
	name, group, qualified := strings.Cut(strings.ToLower(name), ".")
	if name == "" || qualified && (group == "" || group != k.Group && group != k.Version+"."+k.Group) {
		return false
	}
	if name == k.Resource || name == k.Singular || name == strings.ToLower(k.Name) {
		return true
	}
	for _, s := range k.Short {
		if name == s {
			return true
		}
	}
	return false
}

// builtin are the kinds whose columns are computed here.
var builtin = []Kind{
	{Version: "v1", Resource: "pods", Name: "Pod", Singular: "pod", Short: []string{"po"}, Namespaced: true, printer: &podPrinter},
}

// Builtin finds a built-in kind by any name that kubectl takes for it.
func Builtin(name string) (Kind, bool) {
	for _, k := range builtin {
		if k.Answers(name) {
			return k, true
		}
	}
	return Kind{}, false
}
