package object

import (
	"errors"
	"testing"

	"watchglass/internal/object/encoded"
)

func TestReadIdentity(t *testing.T) {
	for payload, want := range map[string]Identity{
		`{"kind":"PartialObjectMetadata","metadata":{"name":"a","namespace":"n","uid":"u","resourceVersion":"7"}}`: {"n", "a", "u", "7"},
		`{"cells":["x"],"object":{"metadata":{"name":"a","uid":"u","resourceVersion":"7"}}}`:                       {"", "a", "u", "7"},
		"k8s\x00\x0a\x00\x12\x0f\x0a\x0d\x0a\x01a\x1a\x01n\x2a\x01u\x32\x0217":                                     {"n", "a", "u", "17"},
	} {
		got, err := ReadIdentity([]byte(payload))
		if got != want || err != nil {
			t.Errorf("%q: %+v %v", payload, got, err)
		}
	}
	if id := (Identity{"n", "a", "u", "7"}); id.Key() != "n/a" || id.Stamp() != "u 7" || (Identity{Name: "a"}).Key() != "a" {
		t.Error(id.Key(), id.Stamp())
	}
	for payload, want := range map[string]error{"k8s\x00\xff": encoded.ErrMalformed, "{": encoded.ErrMalformed, `{"metadata":{}}`: ErrNoName, "k8s\x00\x12\x00": ErrNoName} {
		if _, err := ReadIdentity([]byte(payload)); !errors.Is(err, want) {
			t.Errorf("%q: %v", payload, err)
		}
	}
}

// TestIdentify checks that an object that cannot be decoded has its key, UID and version, and that it does not disturb the
// next one.
func TestIdentify(t *testing.T) {
	kind, _ := Builtin("pods")
	d := NewDecoder(kind, false)
	const bad = `{"cells":[1,2],"object":{"kind":"Gear","metadata":{"name":"a","namespace":"n","uid":"u","resourceVersion":"7"}}}`
	if _, err := d.Decode([]byte(bad)); err == nil {
		t.Error("it can be decoded")
	}
	o, err := d.Identify([]byte(bad))
	if err != nil || o.Key() != "n/a" || o.Name() != "a" || o.Namespace() != "n" || o.Stamp() != "u 7" {
		t.Errorf("%v %v", o, err)
	}
	if _, err := d.Identify([]byte("{")); err == nil {
		t.Error("it has no identity")
	}
	next, err := d.Decode([]byte(`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"b","namespace":"n","uid":"w","resourceVersion":"8"}}`))
	if err != nil || next.Key() != "n/b" || next.Stamp() != "w 8" {
		t.Errorf("%v %v", next, err)
	}
}

// TestRenew checks that objects decoded after Renew differ from those decoded before.
func TestRenew(t *testing.T) {
	d := NewDecoder(Kind{Version: "v1", Name: "Thing"}, false)
	payload := []byte(`{"apiVersion":"v1","kind":"Thing","metadata":{"name":"a","uid":"u","resourceVersion":"7"}}`)
	a, err := d.Decode(payload)
	if err != nil {
		t.Fatal(err)
	}
	d.Renew()
	b, err := d.Decode(payload)
	if err != nil || a.Stamp() != b.Stamp() || a.Layout() == b.Layout() {
		t.Error(a.Stamp(), b.Stamp(), a.Layout(), b.Layout(), err)
	}
}
