package view

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"watchglass/internal/object"
)

// wide returns a decoder of a Table of 60 columns, and a function that makes its rows: all cells but the last have the same
// text.
func wide(t *testing.T) (*object.Decoder, func(i int, text string) *object.Object) {
	d := object.NewDecoder(object.Kind{Group: "example.com", Version: "v1", Resource: "things", Name: "Thing"}, false)
	columns := `[{"name":"Name","type":"string","format":"name"}`
	for i := range 60 {
		columns += fmt.Sprintf(`,{"name":"C%d","type":"string"}`, i)
	}
	if _, err := d.SetColumns([]byte(columns + `]`)); err != nil {
		t.Fatal(err)
	}
	return d, func(i int, text string) *object.Object {
		cells := strings.Repeat(`,"`+text+`"`, 59)
		o, err := d.Decode(fmt.Appendf(nil, `{"cells":["a"%s,"%d"],"object":{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"name":"a%d"}}}`, cells, i%2, i))
		if err != nil {
			t.Fatal(err)
		}
		return o
	}
}

// TestLongCells checks that the window has the beginning of long cells, and no long values of facets, but says that there
// are more; what is copied or exported has all.
func TestLongCells(t *testing.T) {
	d, row := wide(t)
	text := strings.Repeat("é", 520)
	v := New()
	v.SetShape(Shape{Columns: d.Columns()})
	v.SetQuery(Query{Seq: 1, Limit: 10})
	v.Apply([]Change{{After: row(0, text)}, {After: row(1, "short")}})
	var w Window
	for range 10 {
		if p, ok := v.Step(time.Unix(1, 0)); ok {
			w = w.Apply(p)
		}
	}
	if got := w.Rows[0].Cells[1]; got != strings.Repeat("é", 512)+"…" {
		t.Errorf("the window has %d bytes: %s", len(got), got)
	}
	if _, _, rows := v.Rows(0, 10, time.Unix(1, 0)); rows[0].Cells[1] != text {
		t.Errorf("the export has %d bytes", len(rows[0].Cells[1]))
	}
	for _, f := range w.Facets {
		if f.Name == "C0" && (len(f.Values) != 1 || f.More != 1) {
			t.Errorf("%+v", f)
		}
	}
}
