//go:build !js

package relay

import (
	"strings"
	"testing"
	"testing/synctest"

	"watchglass/internal/wire"
)

// TestGet requests objects in JSON. Secret values are withheld, and other answers are refused.
func TestGet(t *testing.T) {
	const withFields = `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"p","managedFields":[{"manager":"m"}]}}`
	get := wire.Request{Verb: wire.Get, Version: "v1", Resource: "pods", Namespace: "a", Name: "b", Encoding: wire.EncodingJSON}
	kept := get
	kept.ManagedFields = true
	for name, c := range map[string]struct {
		request           wire.Request
		contentType, body string
		want              string
	}{
		"a pod":                       {get, "application/json", withFields, `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"p"}}`},
		"with managed fields":         {kept, "application/json", withFields, withFields},
		"a secret":                    {get, "application/json", `{"kind":"Secret","apiVersion":"v1","metadata":{"name":"s","annotations":{"` + lastApplied + `":"hunter2","` + releaseName + `":"web"}},"data":{"password":"aHVudGVyMg=="}}`, `{"kind":"Secret","apiVersion":"v1","metadata":{"name":"s","annotations":{"` + lastApplied + `":"","` + releaseName + `":"web"}},"data":{"password":""}}`},
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
