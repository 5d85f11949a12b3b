package rule

import (
	"slices"
	"testing"

	"watchglass/internal/document"
	"watchglass/internal/object"
	"watchglass/internal/object/tone"
	"watchglass/internal/problem/problemtest"
)

// TestCustomHealth checks the conditions of custom resources and what gateways say of routes.
func TestCustomHealth(t *testing.T) {
	kind := object.Kind{Group: "example.com", Version: "v1", Resource: "widgets", Name: "Widget", Namespaced: true}
	for name, c := range map[string]struct{ doc, want string }{
		"well":                 {`{"status":{"conditions":[{"type":"Ready","status":"True"},{"type":"Stalled","status":"False"},{"type":"Degraded","status":"False"}],"health":{"status":"Healthy"}}}`, ""},
		"stalled":              {`{"status":{"conditions":[{"type":"Healthy","status":"False"},{"type":"Stalled","status":"True","reason":"InstallFailed","message":"retries exhausted","lastTransitionTime":"-40m"}]}}`, "warning Stalled 40m0s | stalled: InstallFailed: retries exhausted | condition Stalled"},
		"not programmed":       {`{"status":{"conditions":[{"type":"Accepted","status":"True"},{"type":"Programmed","status":"False","reason":"AddressNotAssigned","lastTransitionTime":"-2h"}]}}`, "warning NotProgrammed 2h0m0s | not programmed: AddressNotAssigned | condition Programmed"},
		"just issued":          {`{"metadata":{"creationTimestamp":"-20s"},"status":{"conditions":[{"type":"Ready","status":"False","lastTransitionTime":"-20s"}]}}`, ""},
		"Argo's health":        {`{"status":{"health":{"status":"Degraded","message":"no pods","lastTransitionTime":"-2h"}}}`, "failed Degraded 2h0m0s | health Degraded: no pods | status.health"},
		"health of no time":    {`{"status":{"health":{"status":"Degraded"}}}`, "failed Degraded ? | health Degraded | status.health"},
		"deleted":              {`{"metadata":{"deletionTimestamp":"-1s"},"status":{"conditions":[{"type":"Ready","status":"False","lastTransitionTime":"-2h"}]}}`, ""},
		"kept by a finalizer":  {`{"metadata":{"deletionTimestamp":"-2h","finalizers":["example.com/a"]},"status":{"conditions":[{"type":"Ready","status":"False","lastTransitionTime":"-2h"}]}}`, "warning Terminating 2h0m0s | Terminating, finalizers example.com/a | metadata.finalizers"},
		"a route's backend":    {`{"status":{"parents":[{"parentRef":{"name":"public"},"conditions":[{"type":"Accepted","status":"True"},{"type":"ResolvedRefs","status":"False","reason":"BackendNotFound","message":"service nope not found","lastTransitionTime":"-2h"}]}]}}`, "warning BackendNotFound 2h0m0s | gateway public: BackendNotFound: service nope not found | condition ResolvedRefs"},
		"a route that is well": {`{"status":{"parents":[{"parentRef":{"name":"public"},"conditions":[{"type":"Accepted","status":"True"},{"type":"ResolvedRefs","status":"True"}]}]}}`, ""},
	} {
		doc := problemtest.Parse(t, `{"kind":"Widget","apiVersion":"example.com/v1","metadata":{"name":"w","namespace":"a","creationTimestamp":"-3h"}}`, c.doc)
		if got := causesText(Check(kind, doc, problemtest.Noon)); got != c.want {
			t.Errorf("%s: %s", name, got)
		}
	}
	if found := Check(kind, document.Value{}, problemtest.Noon); found != nil {
		t.Error(found)
	}
}

// TestConditionTones checks that a condition that is a problem is not shown as good, nor the other way
// around.
func TestConditionTones(t *testing.T) {
	for _, name := range faultConditions {
		if bad, good := tone.OfCondition(name, "True"), tone.OfCondition(name, "False"); bad != tone.Failed || good != tone.OK {
			t.Errorf("%s: True is %q, False is %q", name, bad, good)
		}
	}
	for _, name := range slices.Concat(healthConditions, routeConditions) {
		if good, bad := tone.OfCondition(name, "True"), tone.OfCondition(name, "False"); bad != tone.Warning || good != tone.OK {
			t.Errorf("%s: True is %q, False is %q", name, good, bad)
		}
	}
}
