package route

import (
	"strings"

	"watchglass/internal/detail"
)

// Object is an object that an address names beside the open one: the one marked to compare others with.
type Object struct {
	Context   string // "": the page's
	Resource  string
	Namespace string
	Name      string
}

// ParseObject parses RESOURCE:NAMESPACE/NAME or RESOURCE:NAME. It returns no object for anything else.
func ParseObject(text, context string) Object {
	resource, key, _ := strings.Cut(text, ":") // names may contain colons, resources do not
	namespace, name, ok := strings.Cut(key, "/")
	if !ok {
		namespace, name = "", key
	}
	if resource == "" || name == "" {
		return Object{}
	}
	return Object{context, strings.ToLower(resource), namespace, name}
}

// String is the opposite of ParseObject, without the context.
func (o Object) String() string {
	if o.Name == "" {
		return ""
	}
	return o.Resource + ":" + o.Ref().Key()
}

// Ref returns the object without its context.
func (o Object) Ref() detail.Ref {
	return detail.Ref{Resource: o.Resource, Namespace: o.Namespace, Name: o.Name}
}

// ObjectOf returns the object that Selected, or the key of a row, stands for. In a list of several
// kinds that is NAMESPACE/RESOURCE:NAME:REASON.
func (a Address) ObjectOf(key string) detail.Ref {
	namespace, name, ok := strings.Cut(key, "/")
	if !ok {
		namespace, name = "", key
	}
	of := detail.Ref{Resource: a.Resource, Namespace: namespace, Name: name}
	if a.Mixed() {
		of.Resource, of.Name, _ = strings.Cut(name, ":")
		of.Name = of.Name[:max(strings.LastIndexByte(of.Name, ':'), 0)]
	}
	return of
}

// SelectedOf returns an object as addresses of a list of several kinds name it, without a reason.
func SelectedOf(of detail.Ref) string {
	of.Name = of.Resource + ":" + of.Name + ":"
	return of.Key()
}

// IsNamespace reports whether s is a valid namespace name.
func IsNamespace(s string) bool {
	wrong := strings.ContainsFunc(s, func(c rune) bool { return (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' })
	return s != "" && len(s) <= 63 && !wrong && !strings.HasPrefix(s, "-") && !strings.HasSuffix(s, "-")
}
