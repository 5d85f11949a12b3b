//go:build !js

package relay

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"

	"watchglass/internal/wire"
)

// kubectlYAML writes an object as kubectl does.
func kubectlYAML(doc []byte) ([]byte, error) {
	var obj map[string]any
	if err := utiljson.Unmarshal(doc, &obj); err != nil {
		return nil, err
	}
	return yaml.Marshal(&unstructured.Unstructured{Object: obj})
}

// awkward are values that YAML could take for something else.
var awkward = []string{
	`""`, `" "`, `"yes"`, `"no"`, `"on"`, `"y"`, `"~"`, `"null"`, `"true"`, `"1"`, `"01"`, `"0x1f"`, `"0b1"`, `"0o7"`, `"1e3"`, `"1_000"`, `"1:30"`, `".5"`, `".inf"`, `".nan"`, `"-"`, `"- a"`, `"a: b"`, `"a #b"`, `"#"`, `"?"`, `"!x"`, `"&x"`, `"*x"`, `"%x"`, `"@x"`, `"|"`, `">"`, "\"`\"", `"'"`, `"\""`, `"{}"`, `"[]"`, `"<<"`, `"="`, `"---"`, `"..."`,
	`"2026-11-22"`, `"2026-11-22T01:02:03Z"`, `"a\nb"`, `"a\nb\n"`, `"a\n\n"`, `"\na"`, `" a\nb"`, `"a \nb"`, `"a\r\nb"`, `"\t"`, `"\ta\n b"`, `"\u0000\u001b[31m"`, `"<script>&"`, `"\u202e\u2066"`, `"grüße 世界 😀"`, `"\ud83d\ude00"`, `"` + strings.Repeat("word ", 100) + `"`, `"` + strings.Repeat("a", 5000) + `"`,
	`0`, `-0`, `-0.0`, `1`, `-1`, `9223372036854775807`, `-9223372036854775808`, `9223372036854775808`, `18446744073709551615`, `18446744073709551616`, `1.0`, `1.5`, `1e3`, `1000000.0`, `1e6`, `1e20`, `1e21`, `1e-7`, `0.1`, `123456789.125`, `1e308`, `5e-324`,
	`true`, `false`, `null`, `{}`, `[]`, `[[]]`, `[{}]`, `[[1,[2]],{"a":[]}]`, `{"b":1,"a":{"d":[],"c":{}},"a10":1,"a9":1,"A":1,"":1,"<<":{"x":1},"1":1,"true":1,"a/b.c":1}`,
}

// TestYAML holds that an object in YAML is what kubectl prints.
func TestYAML(t *testing.T) {
	for _, value := range awkward {
		doc := []byte(`{"kind":"Thing","apiVersion":"v1","metadata":{"name":"x","creationTimestamp":null},"spec":{"value":` + value + `,"list":[` + value + `,{"deep":` + value + `}]}}`)
		want, err := kubectlYAML(doc)
		if err != nil {
			t.Fatalf("%s: %v", value, err)
		}
		if have, err := yamlOf(doc); err != nil || !bytes.Equal(have, want) {
			t.Errorf("%s: %v\nhave %s\nwant %s", value, err, have, want)
		}
	}
}

// TestYAMLWhole shows that what kubectl cannot print, or not as it is, is told whole.
func TestYAMLWhole(t *testing.T) {
	for _, value := range []string{"a\x7fb", "a\u0085b", "a\u0090b", "\ufeffa", "a\ufffeb"} {
		have, err := yamlOf([]byte(`{"kind":"Thing","value":"` + value + `"}`))
		if err != nil {
			t.Fatalf("%q: %v", value, err)
		}
		var back struct{ Value string }
		if err := yaml.Unmarshal(have, &back); err != nil || back.Value != value {
			t.Errorf("%q became %q: %v", value, have, err)
		}
	}
}

// TestYAMLDeep shows that an object which is small and deep does not grow out of
// bounds.
func TestYAMLDeep(t *testing.T) {
	const depth = 9_000
	doc := `{"kind":"Thing","a":` + strings.Repeat(`{"a":`, depth) + `1` + strings.Repeat(`}`, depth) + `}`
	have, err := yamlOf([]byte(doc))
	if !errors.Is(err, errTooLarge) || len(have) > maxObject {
		t.Errorf("%d bytes, %v", len(have), err)
	}
}

// TestYAMLGet asks for objects in YAML: what is withheld is, and what is none is refused.
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
		"a secret":                    {get, "application/json", `{"kind":"Secret","apiVersion":"v1","metadata":{"name":"s","annotations":{"` + lastApplied + `":"hunter2","team":"x"}},"data":{"password":"aHVudGVyMg=="}}`, "apiVersion: v1\ndata:\n  password: \"\"\nkind: Secret\nmetadata:\n  annotations:\n    team: x\n  name: s\n"},
		"a Table":                     {get, "application/json", `{"kind":"Table","rows":[]}`, "a Table for an object"},
		"no kind":                     {get, "application/json", `{"type":"ADDED","object":{}}`, "an object without a kind"},
		"an object behind the object": {get, "application/json", withFields + withFields, "behind the document"},
		"no JSON":                     {get, "application/json", `{"kind":"Pod",}`, "not what was asked for"},
		"protobuf":                    {get, "application/vnd.kubernetes.protobuf", string(asProtobuf(t, pod("p"))), "not of a Kubernetes API"},
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

// FuzzYAML holds any object to what kubectl prints of it, but for the characters that
// kubectl's way through YAML does not bear.
func FuzzYAML(f *testing.F) {
	for _, value := range awkward {
		f.Add([]byte(`{"kind":"Thing","spec":` + value + `}`))
	}
	f.Fuzz(func(t *testing.T, doc []byte) {
		have, err := yamlOf(doc)
		want, also := kubectlYAML(doc)
		if err != nil {
			if also == nil {
				t.Fatalf("%v\n%s", err, want)
			}
			return
		}
		unbearable := func(r rune) bool { return r >= 0x7f && r < 0xa0 || r == 0xfeff || r == 0xfffe || r == 0xffff }
		if also == nil && !bytes.Equal(have, want) && bytes.IndexFunc(doc, unbearable) < 0 {
			t.Fatalf("have %q\nwant %q", have, want)
		}
	})
}
