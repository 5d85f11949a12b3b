//go:build !js

package relay

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"watchglass/internal/wire"
)

// TestYAMLDeep shows that the YAML of a small, deep object is limited.
func TestYAMLDeep(t *testing.T) {
	const depth = 9_000
	doc := `{"kind":"Thing","a":` + strings.Repeat(`{"a":`, depth) + `1` + strings.Repeat(`}`, depth) + `}`
	have, err := yamlOf([]byte(doc), maxObject)
	if !errors.Is(err, errTooLarge) || len(have) > maxObject+1<<20 {
		t.Errorf("%d bytes, %v", len(have), err)
	}
}

// TestYAMLGet requests objects as YAML. Secret values are withheld, and other answers are refused.
func TestYAMLGet(t *testing.T) {
	const withFields = `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"p","managedFields":[{"manager":"m"}]}}`
	get := wire.Request{Verb: wire.Get, Version: "v1", Resource: "pods", Namespace: "a", Name: "b", Encoding: wire.EncodingYAML}
	kept := get
	kept.ManagedFields = true
	for name, c := range map[string]struct {
		request           wire.Request
		contentType, body string
		want              string
	}{
		"a pod":                       {get, "application/json", withFields, "apiVersion: v1\nkind: Pod\nmetadata:\n  name: p\n"},
		"with managed fields":         {kept, "application/json", withFields, "apiVersion: v1\nkind: Pod\nmetadata:\n  managedFields:\n  - manager: m\n  name: p\n"},
		"a secret":                    {get, "application/json", `{"kind":"Secret","apiVersion":"v1","metadata":{"name":"s","annotations":{"` + lastApplied + `":"hunter2","` + releaseName + `":"web"}},"data":{"password":"aHVudGVyMg=="}}`, "apiVersion: v1\ndata:\n  password: \"\"\nkind: Secret\nmetadata:\n  annotations:\n    " + lastApplied + ": \"\"\n    " + releaseName + ": web\n  name: s\n"},
		"a Table":                     {get, "application/json", `{"kind":"Table","rows":[]}`, "a Table for an object"},
		"no kind":                     {get, "application/json", `{"type":"ADDED","object":{}}`, "an object without a kind"},
		"an object behind the object": {get, "application/json", withFields + withFields, "behind the document"},
		"no JSON":                     {get, "application/json", `{"kind":"Pod",}`, "unexpected response"},
		"protobuf":                    {get, "application/vnd.kubernetes.protobuf", string(asProtobuf(t, pod("p"))), "not that of a Kubernetes API"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tb := asked(t, c.request, c.contentType, c.body)
				for {
					f := tb.next()
					switch f.Kind {
					case wire.KindData:
						if _, events, err := f.Data(nil); err != nil || len(events) != 1 || events[0].Type != wire.Item || string(events[0].Payload) != c.want {
							t.Fatalf("%v: %+v", err, events)
						}
						return
					case wire.KindEnd:
						if !strings.Contains(string(f.Body), c.want) {
							t.Fatalf("%s", f.Body)
						}
						return
					}
				}
			})
		})
	}
}
