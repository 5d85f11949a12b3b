package route

import (
	"slices"

	"watchglass/internal/detail"
)

// ToObject returns the address of an object in the list of its kind. If that list is on screen, its filters
// stay.
func (a Address) ToObject(resource, key string) Address {
	if resource != a.Resource {
		a = Address{Resource: resource, Context: a.Context, Namespaces: a.Namespaces}
	}
	switch namespace := a.ObjectOf(key).Namespace; {
	case namespace != "" && !slices.Contains(a.Namespaces, namespace), namespace == "" && !a.Mixed(): // a list of what has no namespace has none chosen
		a.Namespaces = nil
	}
	a.LeaveObject()
	a.Selected, a.Tab = key, ""
	return a
}

// ToListing returns the address of a list in the same context.
func (a Address) ToListing(l detail.Listing) Address {
	to := Address{Resource: l.Resource, Context: a.Context, Labels: l.Labels, Filter: l.Filter}
	if l.Namespace != "" {
		to.Namespaces = []string{l.Namespace}
	}
	return to
}
