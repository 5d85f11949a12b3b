package object

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"watchglass/internal/object/encoded"
)

// discovery is the part of the apiserver's aggregated discovery document that is read.
type discovery struct {
	Kind  string `json:"kind"`
	Items []struct {
		Metadata struct {
			Name string `json:"name"`
		} `json:"metadata"`
		Versions []struct {
			Version   string `json:"version"`
			Freshness string `json:"freshness"`
			Resources []struct {
				Resource     string   `json:"resource"`
				Scope        string   `json:"scope"`
				Singular     string   `json:"singularResource"`
				ShortNames   []string `json:"shortNames"`
				Verbs        []string `json:"verbs"`
				ResponseKind struct {
					Kind string `json:"kind"`
				} `json:"responseKind"`
			} `json:"resources"`
		} `json:"versions"`
	} `json:"items"`
}

// Discovery is what an apiserver says it serves.
type Discovery struct {
	// Kinds are the kinds that can be listed, each in its group's preferred version.
	Kinds []Kind
	// Stale are the group versions, as in APIVersion, whose own server did not answer. Kinds
	// may include what it last reported.
	Stale []string
}

// Discovered parses an apiserver's discovery document.
func Discovered(doc []byte) (Discovery, error) {
	var d discovery
	if err := json.Unmarshal(doc, &d); err != nil {
		return Discovery{}, fmt.Errorf("%w: discovery: %v", encoded.ErrMalformed, err)
	}
	if d.Kind != "APIGroupDiscoveryList" {
		return Discovery{}, fmt.Errorf("%w: discovery of kind %q: the apiserver is older than 1.27", encoded.ErrMalformed, d.Kind)
	}
	var out Discovery
	for _, group := range d.Items {
		seen := make(map[string]bool)
		for _, version := range group.Versions {
			if version.Freshness == "Stale" {
				out.Stale = append(out.Stale, Kind{Group: group.Metadata.Name, Version: version.Version}.APIVersion())
			}
			for _, r := range version.Resources {
				if seen[r.Resource] || !slices.Contains(r.Verbs, "list") {
					continue
				}
				seen[r.Resource] = true
				out.Kinds = append(out.Kinds, withPrinter(Kind{
					Group: group.Metadata.Name, Version: version.Version, Resource: r.Resource, Name: r.ResponseKind.Kind,
					Singular: r.Singular, Short: r.ShortNames, Namespaced: r.Scope == "Namespaced", Unwatched: !slices.Contains(r.Verbs, "watch"),
				}))
			}
		}
	}
	return out, nil
}

// After returns the discovery with kinds of before added: those of a stale group version that
// it lacks.
func (d Discovery) After(before []Kind) Discovery {
	for _, was := range before {
		same := func(k Kind) bool { return k.Group == was.Group && k.Resource == was.Resource }
		if slices.Contains(d.Stale, was.APIVersion()) && !slices.ContainsFunc(d.Kinds, same) {
			d.Kinds = append(d.Kinds, was)
		}
	}
	return d
}

// StaleGroups returns the groups that may contain an unknown kind of this name: those whose server
// did not answer.
func (d Discovery) StaleGroups(name string) (groups []string) {
	_, qualified, _ := strings.Cut(strings.ToLower(name), ".")
	for _, stale := range d.Stale {
		group, version, _ := strings.Cut(stale, "/")
		if qualified == "" || qualified == group || qualified == version+"."+group {
			groups = append(groups, group)
		}
	}
	slices.Sort(groups)
	return slices.Compact(groups)
}

// withPrinter gives a kind the printer of the built-in kind that it is.
func withPrinter(k Kind) Kind {
	for _, b := range builtin {
		if b.Group == k.Group && b.Version == k.Version && b.Resource == k.Resource {
			k.printer, k.changes = b.printer, b.changes
		}
	}
	return k
}
