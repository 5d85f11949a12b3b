package local

import (
	"slices"

	"watchglass/internal/hub/source"
	"watchglass/internal/object"
	"watchglass/internal/reflector"
	"watchglass/internal/wire"
)

// Kind is a kind whose rows the hub makes itself.
type Kind struct {
	object.Kind
	// Derived says that each row is made of objects of one list of the server, at its versions. Such a kind is searched
	// and audited like the server's, and a kind of the server that has its name goes before it.
	Derived bool
	// Printing is how the rows of a derived kind are printed.
	Printing object.Printing
	// Serve returns what answers the requests of a new source of its rows, and how their versions compare.
	Serve func() (reflector.Source, Identity)
	// Statuses returns the states of the sources in which its rows are found: the list is no better than these. It may
	// be nil.
	Statuses func() []source.Status
	// Namespaces returns the namespaces to which its rows are limited, separated by commas; "" is the whole cluster. Only
	// a derived kind has none.
	Namespaces func() string
}

// Identity says how versions of an object are compared.
type Identity struct {
	Same      func(a, b *object.Object) bool
	Stamp     func(*object.Object) string
	ReadStamp func(payload []byte) (key, stamp string, err error)
}

// Kinds are the local kinds of a cluster. Any goroutine may call their methods.
type Kinds []*Kind

// Of returns the local kind that a kind is, or nil. A kind of the server with the same name is not local.
func (all Kinds) Of(k object.Kind) *Kind {
	if i := slices.IndexFunc(all, func(own *Kind) bool { return own.APIVersion() == k.APIVersion() && own.Resource == k.Resource }); i >= 0 {
		return all[i]
	}
	return nil
}

// Only returns the local kind that a kind is, if its rows exist only in the hub; nil for a derived kind, whose rows are
// made of one list of the server.
func (all Kinds) Only(k object.Kind) *Kind {
	if own := all.Of(k); own != nil && !own.Derived {
		return own
	}
	return nil
}

// Answers reports whether a request reads rows that exist only in the hub.
func (all Kinds) Answers(r wire.Request) bool {
	return all.Only(object.Kind{Group: r.Group, Version: r.Version, Resource: r.Resource}) != nil
}
