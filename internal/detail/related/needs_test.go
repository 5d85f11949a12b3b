//go:build !js

package related

import (
	"slices"
	"strings"
	"testing"

	"watchglass/internal/object"
)

// unlisted are the references that no needed list shows.
var unlisted = []string{
	pods + " > " + priorities, pods + " > " + runtimes, replicaSets + " > " + priorities, replicaSets + " > " + runtimes, // see podCreators
	claims + " > " + volumes, volumes + " > " + claims, // each names the other
	csiNodes + " > csidrivers.storage.k8s.io", // all nodes have a driver, or most
	clusterBinds + " > " + roles,              // not allowed
}

// TestNeeds checks that every object that refers to another is in one of the lists that the other
// needs.
func TestNeeds(t *testing.T) {
	named := map[string][]string{ // by rules whose objects name the kind too
		"endpoints[].targetRef.name": {pods},
		"spec.scaleTargetRef.name":   {deployments, replicaSets, statefulSets, controllers},
		"roleRef.name":               {roles, clusterRoles},
		"subjects[].name":            {accounts},
	}
	missed := make(map[string]bool)
	for line := range strings.Lines(known) {
		from, _, _ := strings.Cut(line, " ")
		for _, one := range rulesOf(from) {
			targets := named[one.name]
			if one.to != "" {
				targets = []string{one.to}
			}
			if len(targets) == 0 {
				t.Errorf("%s: what %s names is not known", from, one.name)
			}
			for _, to := range targets {
				if !listed(kindOf(t, to), from) {
					missed[from+" > "+to] = true
				}
			}
		}
	}
	for _, one := range unlisted {
		if !missed[one] {
			t.Errorf("%s is in a list", one)
		}
		delete(missed, one)
	}
	for one := range missed {
		t.Errorf("%s is in no list", one)
	}
}

// listed reports whether an object of a kind needs the list of a resource, in its own namespace or
// everywhere.
func listed(kind object.Kind, resource string) bool {
	focus := ID{Resource: kind.ID(), Name: "x"}
	if kind.Namespaced {
		focus.Namespace = "a"
	}
	return slices.ContainsFunc(Needs(focus, Graph{}), func(n Need) bool {
		return n.Resource == resource && (n.Namespace == "" || n.Namespace == focus.Namespace)
	})
}
