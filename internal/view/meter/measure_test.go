package meter

import (
	"fmt"
	"slices"
	"testing"

	"watchglass/internal/object"
)

// TestCapacityWords checks that what is no quantity is not added up as 0: a custom kind may print anything in a column of
// that name.
func TestCapacityWords(t *testing.T) {
	d := object.NewDecoder(object.Kind{Group: "example.com", Version: "v1", Resource: "pools", Name: "Pool"}, false)
	if _, err := d.SetColumns([]byte(`[{"name":"Name","format":"name"},{"name":"Capacity","type":"string"}]`)); err != nil {
		t.Fatal(err)
	}
	m := Of(d.Columns(), slices.IndexFunc(d.Columns(), func(c object.Column) bool { return c.Name == "Capacity" }))
	for text, want := range map[string]Reading{
		"2Gi": {milli: 2 << 30 * 1000, state: present}, "5 nodes": {state: missing}, "3/4": {state: missing}, "12": {milli: 12000, state: present},
	} {
		o, err := d.Decode(fmt.Appendf(nil, `{"cells":["a",%q],"object":{"kind":"Pool","apiVersion":"example.com/v1","metadata":{"name":"a"}}}`, text))
		if err != nil {
			t.Fatal(err)
		}
		if got := m.read(o); got != want {
			t.Errorf("%s: %+v, want %+v", text, got, want)
		}
	}
}
