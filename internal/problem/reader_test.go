//go:build !js

package problem

import (
	"slices"
	"testing"

	"watchglass/internal/object"
)

// TestRulesAreRead checks that objects of each rule's resource are listed, and that one whose cells say nothing good is
// read. A rule for a resource that suspect leaves out would pass the tests of rules, and never show.
func TestRulesAreRead(t *testing.T) {
	bad := map[string]string{ // of which not every object is suspect whose cells are empty
		namespaces: `{"kind":"Namespace","apiVersion":"v1","metadata":{"name":"old","deletionTimestamp":"-1h"}}`,
		volumes:    `{"kind":"PersistentVolume","apiVersion":"v1","metadata":{"name":"pv-1"},"status":{"phase":"Failed"}}`,
		budgets:    `{"kind":"PodDisruptionBudget","apiVersion":"policy/v1","metadata":{"name":"web","namespace":"checkout"},"status":{"disruptionsAllowed":0}}`,
	}
	for _, rule := range rules {
		of := &kind{Kind: kindOf(t, rule.resource), id: rule.resource}
		r := &record{kind: of, facts: noFacts, object: new(object.Object)}
		if doc := bad[rule.resource]; doc != "" {
			c := decode(t, true, doc)
			of.columns, r.object = c.Columns, c.After
		}
		if !slices.Contains(Resources(), rule.resource) || !newReader(of).suspect(r, 0) {
			t.Errorf("%s: no %s is ever read", rule.reason, rule.resource)
		}
	}
}
