package replay

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"watchglass/internal/object"
	"watchglass/internal/object/encoded"
	"watchglass/internal/sorting"
	"watchglass/internal/wire"
)

// kinds returns the kinds listed at discovery: those of the record, and other kinds known in the cluster.
func (r *Relay) kinds() []object.Kind {
	all := slices.Clone(r.known)
	for _, s := range r.record.Streams() {
		k := kindOf(s)
		if !slices.ContainsFunc(all, func(other object.Kind) bool {
			return other.Group == k.Group && other.Version == k.Version && other.Resource == k.Resource
		}) {
			all = append(all, k)
		}
	}
	sorting.StableBy(all, func(a, b object.Kind) int {
		return cmp.Or(strings.Compare(a.Group, b.Group), strings.Compare(a.Version, b.Version))
	})
	return all
}

// discover returns the kinds of a group, those of all groups except the core's, or the server's version.
func (r *Relay) discover(q wire.Request) ([]byte, *wire.Status) {
	if q.Resource == wire.ServerVersion.Resource {
		major, minor, ok := strings.Cut(r.welcome.Release, ".")
		if !ok {
			return nil, refusal(404, wire.ReasonNotFound, "the apiserver's version was not recorded")
		}
		return members("major", major, "minor", minor), nil
	}
	doc := []byte(`{"kind":"APIGroupDiscoveryList","items":[`)
	group, version, between := "", "", ""
	for _, k := range r.kinds() {
		if k.Group != q.Group && (q.Group != "*" || k.Group == "") {
			continue
		}
		switch {
		case between == "" || k.Group != group:
			if between != "" {
				doc = append(doc, `]}]},`...)
			}
			doc = encoded.AppendString(append(doc, `{"metadata":{"name":`...), k.Group)
			doc = encoded.AppendString(append(doc, `},"versions":[{"version":`...), k.Version)
			doc = append(doc, `,"resources":[`...)
		case k.Version != version:
			doc = encoded.AppendString(append(doc, `]},{"version":`...), k.Version)
			doc = append(doc, `,"resources":[`...)
		default:
			doc = append(doc, ',')
		}
		group, version, between = k.Group, k.Version, ","
		doc = appendKind(doc, k)
	}
	if between != "" {
		doc = append(doc, `]}]}`...)
	}
	return append(doc, `]}`...), nil
}

// appendKind appends a kind as discovery lists it.
func appendKind(doc []byte, k object.Kind) []byte {
	scope := "Cluster"
	if k.Namespaced {
		scope = "Namespaced"
	}
	doc = encoded.AppendString(append(doc, `{"resource":`...), k.Resource)
	doc = encoded.AppendString(append(doc, `,"responseKind":{"kind":`...), k.Name)
	doc = encoded.AppendString(append(doc, `},"scope":`...), scope)
	doc = encoded.AppendString(append(doc, `,"singularResource":`...), k.Singular)
	short, _ := json.Marshal(k.Short) // texts never fail to encode
	doc = append(append(doc, `,"shortNames":`...), short...)
	return append(doc, `,"verbs":["get","list","watch"]}`...)
}

// members returns a JSON object of names and texts.
func members(texts ...string) []byte {
	doc := []byte{'{'}
	for i, text := range texts {
		if doc = encoded.AppendString(doc, text); i%2 == 0 {
			doc = append(doc, ':')
		} else if i < len(texts)-1 {
			doc = append(doc, ',')
		}
	}
	return append(doc, '}')
}

// review answers who the user was, and that everything in the record may be read.
func (r *Relay) review(q wire.Request) ([]byte, *wire.Status) {
	switch {
	case q.Resource == "selfsubjectreviews":
		doc := append([]byte(`{"kind":"SelfSubjectReview","status":{"userInfo":`), members("username", r.user)...)
		return append(doc, `}}`...), nil
	case q.Resource == "selfsubjectaccessreviews" && q.Access != nil:
		if r.allows(*q.Access) {
			return []byte(`{"kind":"SelfSubjectAccessReview","status":{"allowed":true}}`), nil
		}
		return []byte(`{"kind":"SelfSubjectAccessReview","status":{"allowed":false,"reason":"not recorded"}}`), nil
	case q.Resource == "selfsubjectrulesreviews":
		return r.rules(q.Namespace), nil
	}
	return nil, refusal(400, wire.ReasonBadRequest, q.Resource+" can't be answered from history")
}

// allows reports whether an action reads something in the record.
func (r *Relay) allows(a wire.Access) bool {
	if a.Verb != "get" && a.Verb != "list" && a.Verb != "watch" {
		return false
	}
	q := wire.Request{Group: a.Group, Version: a.Version, Resource: a.Resource, Namespace: a.Namespace}
	if q.Version == "" {
		for _, s := range r.record.Streams() {
			if s.Group == a.Group && s.Resource == a.Resource {
				q.Version = s.Version
			}
		}
	}
	if _, _, status := r.find(q, r.at()); status != nil {
		return false
	}
	if a.Subresource == "log" && a.Resource == "pods" {
		return len(r.logs()) > 0
	}
	return a.Subresource == ""
}

// rules returns what may be read in a namespace.
func (r *Relay) rules(namespace string) []byte {
	doc := []byte(`{"kind":"SelfSubjectRulesReview","status":{"nonResourceRules":[],"incomplete":false,"resourceRules":[`)
	some := false
	for _, s := range r.record.Streams() {
		if s.Namespace != "" && s.Namespace != namespace {
			continue
		}
		if some {
			doc = append(doc, ',')
		}
		doc = encoded.AppendString(append(doc, `{"verbs":["get","list","watch"],"apiGroups":[`...), s.Group)
		doc = append(encoded.AppendString(append(doc, `],"resources":[`...), s.Resource), `]}`...)
		some = true
	}
	return append(doc, `]}}`...)
}
