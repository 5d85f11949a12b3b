package informer

import (
	"slices"

	"watchglass/internal/indexer"
	"watchglass/internal/query"
)

// Lister reads an informer's objects in a namespace, or in all of them, by name and labels.
// Objects are shared and must not be changed.
type Lister[T any] struct {
	store     *indexer.Indexer[T]
	labels    func(T) query.Labels
	namespace string
}

// Lister returns a Lister of a namespace; "" is all, as for client-go.
func (i *Informer[T]) Lister(namespace string) Lister[T] {
	return Lister[T]{i.store, i.options.Labels, namespace}
}

// List returns the objects that match a selector, in no order. The empty selector matches all.
// Without an index by namespace it returns none of a namespace.
func (l Lister[T]) List(s query.Selector) []T {
	var list []T
	if l.namespace == "" {
		list = l.store.List()
	} else {
		list, _ = l.store.ByIndex(indexer.NamespaceIndex, l.namespace)
	}
	if len(s) == 0 {
		return list
	}
	return slices.DeleteFunc(list, func(obj T) bool { return !s.Matches(l.labels(obj)) })
}

// Get returns the object of a name in the namespace.
func (l Lister[T]) Get(name string) (T, bool) { return l.store.Get(l.namespace + "/" + name) }
