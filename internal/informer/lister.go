package informer

import (
	"watchglass/internal/indexer"
	"watchglass/internal/query"
)

// Lister reads an informer's objects by namespace, name and labels. Objects are shared and must
// not be changed.
type Lister[T any] struct {
	store  *indexer.Indexer[T]
	labels func(T) query.Labels
}

// Lister returns a Lister of the informer's objects.
func (i *Informer[T]) Lister() Lister[T] { return Lister[T]{i.store, i.options.Labels} }

// List returns the objects that match a selector, in no order. The empty selector matches all.
func (l Lister[T]) List(s query.Selector) []T { return l.selected(l.store.List(), s) }

// Get returns the object of a key: "namespace/name", or "name" for kinds without a namespace.
func (l Lister[T]) Get(key string) (T, bool) { return l.store.Get(key) }

// Namespace returns a Lister of one namespace; "" is all, as for client-go.
func (l Lister[T]) Namespace(name string) NamespaceLister[T] { return NamespaceLister[T]{l, name} }

func (l Lister[T]) selected(list []T, s query.Selector) []T {
	if len(s) == 0 {
		return list
	}
	out := list[:0]
	for _, obj := range list {
		if s.Matches(l.labels(obj)) {
			out = append(out, obj)
		}
	}
	return out
}

// NamespaceLister reads the objects of one namespace.
type NamespaceLister[T any] struct {
	lister    Lister[T]
	namespace string
}

// List returns the objects that match a selector, in no order. Without an index by namespace it
// returns none.
func (n NamespaceLister[T]) List(s query.Selector) []T {
	if n.namespace == "" {
		return n.lister.List(s)
	}
	list, err := n.lister.store.ByIndex(indexer.NamespaceIndex, n.namespace)
	if err != nil {
		return nil
	}
	return n.lister.selected(list, s)
}

// Get returns the object of a name.
func (n NamespaceLister[T]) Get(name string) (T, bool) {
	return n.lister.store.Get(n.namespace + "/" + name)
}
