package object

import "testing"

// TestDocumentOfMetadata checks that an object of which only the metadata is kept is shown as one of its kind.
func TestDocumentOfMetadata(t *testing.T) {
	kind := Kind{Group: "example.com", Version: "v1", Resource: "valves", Name: "Valve", Namespaced: true}
	for name, c := range map[string]struct {
		row, want string
		whole     bool
	}{
		"metadata":  {`{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"name":"main","uid":"u","resourceVersion":"7"}}`, `{"kind":"Valve","apiVersion":"example.com/v1","metadata":{"name":"main","uid":"u","resourceVersion":"7"}}`, false},
		"all of it": {`{"apiVersion":"example.com/v1","kind":"Valve","metadata":{"name":"main","uid":"u","resourceVersion":"7"},"spec":{"size":3}}`, `{"apiVersion":"example.com/v1","kind":"Valve","metadata":{"name":"main","uid":"u","resourceVersion":"7"},"spec":{"size":3}}`, true},
	} {
		t.Run(name, func(t *testing.T) {
			d := NewDecoder(kind, true)
			if _, err := d.SetColumns([]byte(`[{"name":"Name","type":"string","format":"name"}]`)); err != nil {
				t.Fatal(err)
			}
			o, err := d.Decode([]byte(`{"cells":["main"],"object":` + c.row + `}`))
			if err != nil {
				t.Fatal(err)
			}
			doc, err := kind.Document(o)
			if err != nil || string(doc) != c.want || kind.Whole(o) != c.whole || OnlyMetadata(o) == c.whole {
				t.Errorf("%v %s, whole %v", err, doc, kind.Whole(o))
			}
		})
	}
}
