package route

import (
	"slices"
	"strings"

	"watchglass/internal/query"
	"watchglass/internal/view"
)

// IsGroup reports whether the key of a row is a group's. Its value follows.
func IsGroup(key string) bool { return strings.HasPrefix(key, "/") }

// Within returns the address of the objects of a group, by its key.
func (a Address) Within(key string) Address {
	facet, value := a.Group, key[1:]
	a.Group, a.Sort, a.Descending = "", "", false
	if facet != view.NamespaceColumn {
		a.Filter = view.Include(a.Filter, facet, value)
		return a
	}
	in, out := query.Sound(a.Filter).Facet(view.Field(facet))
	for _, other := range slices.Concat(in, out) {
		a.Filter = query.Clear(a.Filter, view.Field(facet), other)
	}
	a.Namespaces = []string{value}
	return a
}
