package detail

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"watchglass/internal/object"
)

// rows decodes versions of a widget as they come in a Table, with metadata alone.
func rows(t *testing.T, columns string, versions ...string) (object.Kind, []Observation) {
	t.Helper()
	kind := object.Kind{Group: "example.com", Version: "v1", Resource: "widgets", Name: "Widget", Namespaced: true}
	d := object.NewDecoder(kind, true)
	if _, err := d.SetColumns([]byte(columns)); err != nil {
		t.Fatal(err)
	}
	var all []Observation
	for i, v := range versions {
		cells, meta, _ := strings.Cut(v, " ")
		o, err := d.Decode(fmt.Appendf(nil, `{"cells":["w",%s],"object":{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"name":"w","uid":"u","resourceVersion":"%d",%s}}}`, cells, i, meta))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, Observation{Object: o, Columns: d.Columns(), At: time.Unix(int64(i), 0)})
	}
	return kind, all
}

// said writes a comparison down.
func (c Comparison) said() string {
	out := fmt.Sprint(c.Lost)
	for _, f := range c.Fields {
		out += fmt.Sprintf("; %s %s %s→%s", f.Kind, f.Path, f.Before, f.After)
	}
	return out
}

// TestRowsCompare shows what is told of two versions that are rows of a Table: their
// columns, their metadata, and with the generation that the spec is another; and that it
// is no more than that.
func TestRowsCompare(t *testing.T) {
	const path = "Custom resource definition column (in JSONPath format): "
	kind, all := rows(t, `[{"name":"Name","format":"name"},{"name":"Ready","type":"string"},{"name":"Due","type":"date","description":"`+path+`.metadata.annotations.due"},{"name":"Sync","type":"date","description":"`+path+`.status.sync"}]`,
		`"False","1s","5m" "generation":1,"annotations":{"due":"2020-01-01T00:00:00Z"},"labels":{"app":"web"}`,
		`"True","1s","1s" "generation":1,"annotations":{"due":"2020-01-02T00:00:00Z"},"labels":{"app":"web"}`,
		`"True","1s","2s" "generation":2,"annotations":{"due":"2020-01-02T00:00:00Z"},"labels":{"app":"db"}`,
		`"True","1s","3s" "generation":2,"annotations":{"due":"2020-01-02T00:00:00Z"},"labels":{"app":"db"}`,
	)
	versions := NewComparer(kind).Versions(all)
	for i, want := range []string{
		"true",
		"true; changed metadata.generation 1→2; changed metadata.labels.app web→db",
		"true; changed Ready False→True; changed Due 2020-01-01T00:00:00Z→2020-01-02T00:00:00Z; changed metadata.annotations.due 2020-01-01T00:00:00Z→2020-01-02T00:00:00Z",
	} {
		if got := versions[i].said(); got != want {
			t.Errorf("version %s: %s\nwant %s", versions[i].Version, got, want)
		}
	}
}

// TestRowAndWhole shows a version that is a row beside one that is whole: what both have is
// compared.
func TestRowAndWhole(t *testing.T) {
	kind, all := rows(t, `[{"name":"Name","format":"name"},{"name":"Ready","type":"string"}]`, `"False" "labels":{"app":"web"}`)
	d := object.NewDecoder(kind, true)
	if _, err := d.SetColumns([]byte(`[{"name":"Name","format":"name"},{"name":"Size"},{"name":"Ready","type":"string"}]`)); err != nil {
		t.Fatal(err)
	}
	o, err := d.Decode([]byte(`{"cells":["w","5","True"],"object":{"kind":"Widget","apiVersion":"example.com/v1","metadata":{"name":"w","uid":"u","resourceVersion":"7","labels":{"app":"web"}},"spec":{"size":5}}}`))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := NewComparer(kind).Compare(all[0], Observation{Object: o, Columns: d.Columns()}).said(), "true; changed Ready False→True"; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}
