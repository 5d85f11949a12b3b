package object

import (
	"errors"
	"testing"
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
	for payload, want := range map[string]error{"k8s\x00\xff": ErrMalformed, "{": ErrMalformed, `{"metadata":{}}`: ErrNoName, "k8s\x00\x12\x00": ErrNoName} {
		if _, err := ReadIdentity([]byte(payload)); !errors.Is(err, want) {
			t.Errorf("%q: %v", payload, err)
		}
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
