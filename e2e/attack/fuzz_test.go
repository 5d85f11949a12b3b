package attack_test

import (
	"testing"

	"watchglass/internal/wire"
)

var verbs = []wire.Verb{wire.List, wire.Watch, wire.Get, wire.Discover, wire.Review, "", "create", "delete", wire.Log}

// FuzzRequest holds that the relay and the apiserver never differ on what a request
// asks for.
func FuzzRequest(f *testing.F) {
	add := func(r wire.Request) {
		verb := byte(0)
		for i, v := range verbs {
			if v == r.Verb {
				verb = byte(i)
			}
		}
		f.Add(verb, r.Group, r.Version, r.Resource, r.Namespace, r.Name, r.Subresource, r.LabelSelector, r.FieldSelector, r.ResourceVersion, r.Continue, r.Limit)
	}
	for _, r := range sound {
		add(r)
		for _, value := range odd {
			if len(value) > 300 {
				continue
			}
			r.Resource, r.Name, r.FieldSelector = value, value, value
			add(r)
		}
	}
	f.Fuzz(func(t *testing.T, verb byte, group, version, resource, namespace, name, subresource, labels, fields, resourceVersion, next string, limit int64) {
		r := wire.Request{
			Verb: verbs[int(verb)%len(verbs)], Group: group, Version: version, Resource: resource, Namespace: namespace, Name: name, Subresource: subresource,
			Log:         &wire.LogOptions{Container: subresource, SinceTime: next, SinceSeconds: limit >> 32, TailLines: &limit, LimitBytes: limit, Follow: limit&1 > 0},
			Access:      &wire.Access{Verb: name, Group: group, Version: version, Resource: resource, Namespace: namespace},
			ListOptions: wire.ListOptions{LabelSelector: labels, FieldSelector: fields, ResourceVersion: resourceVersion, Continue: next, Limit: limit, TimeoutSeconds: limit},
		}
		if r.Verb == wire.Log {
			r.Subresource = "" // it stands for the container
		}
		if _, err := check(r); err != nil {
			t.Fatal(err)
		}
	})
}
