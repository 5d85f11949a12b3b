//go:build !js

package related

import (
	"slices"
	"strings"
	"testing"

	"watchglass/internal/object"
)

// unlisted are those that refer to an object and are in none of the lists that it needs.
var unlisted = []string{
	pods + " > " + priorities, pods + " > " + runtimes, replicaSets + " > " + priorities, replicaSets + " > " + runtimes, // see makers
	claims + " > " + volumes, volumes + " > " + claims, // they name each other
	csiNodes + " > csidrivers.storage.k8s.io", // all nodes have a driver, or most
	clusterBinds + " > " + roles,              // they may not
}

// TestNeeds holds that whoever refers to an object is in one of the lists that it needs.
func TestNeeds(t *testing.T) {
	named := map[string][]string{ // by those that name the kind too
		"endpoints[].targetRef.name": {pods},
		"spec.scaleTargetRef.name":   {deployments, replicaSets, statefulSets, controllers},
		"roleRef.name":               {roles, clusterRoles},
		"subjects[].name":            {accounts},
	}
	missed := make(map[string]bool)
	for line := range strings.Lines(known) {
		from, _, _ := strings.Cut(line, " ")
		for _, one := range references(from) {
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

// listed reports whether an object of a kind needs a list of a resource: where it is, or
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
