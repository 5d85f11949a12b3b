package object

import (
	"encoding/json"
	"fmt"
	"slices"
)

// discovery is the apiserver's aggregated discovery document, as far as it is
// read.
type discovery struct {
	Kind  string `json:"kind"`
	Items []struct {
		Metadata struct {
			Name string `json:"name"`
		} `json:"metadata"`
		Versions []struct {
			Version   string `json:"version"`
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

// Discovered reads what an apiserver has: every kind that can be listed and
// watched, in the version that its group prefers.
func Discovered(doc []byte) ([]Kind, error) {
	var d discovery
	if err := json.Unmarshal(doc, &d); err != nil {
		return nil, fmt.Errorf("%w: discovery: %v", ErrMalformed, err)
	}
	if d.Kind != "APIGroupDiscoveryList" {
		return nil, fmt.Errorf("%w: discovery of kind %q: the apiserver is older than 1.27", ErrMalformed, d.Kind)
	}
	var kinds []Kind
	for _, group := range d.Items {
		seen := make(map[string]bool)
		for _, version := range group.Versions {
			for _, r := range version.Resources {
				if seen[r.Resource] || !slices.Contains(r.Verbs, "list") || !slices.Contains(r.Verbs, "watch") {
					continue
				}
				seen[r.Resource] = true
				kinds = append(kinds, withPrinter(Kind{
					Group: group.Metadata.Name, Version: version.Version, Resource: r.Resource, Name: r.ResponseKind.Kind,
					Singular: r.Singular, Short: r.ShortNames, Namespaced: r.Scope == "Namespaced",
				}))
			}
		}
	}
	return kinds, nil
}

// withPrinter gives a kind the printer of the built-in one that it is.
func withPrinter(k Kind) Kind {
	for _, b := range builtin {
		if b.Group == k.Group && b.Version == k.Version && b.Resource == k.Resource {
			k.printer = b.printer
		}
	}
	return k
}
