package object

import (
	"fmt"
	"strings"
	"testing"

	"watchglass/internal/query"
)

// wideTable returns a decoder of a Table with a number of columns, the last of which is the age, and a function that
// makes its rows: each cell has a text of a size.
func wideTable(t *testing.T, columns int) (d *Decoder, row func(size int) []byte) {
	d = NewDecoder(Kind{Group: "example.com", Version: "v1", Resource: "things", Name: "Thing"}, false)
	defs := `[{"name":"Name","type":"string","format":"name"}`
	for i := range columns {
		defs += fmt.Sprintf(`,{"name":"C%d","type":"string"}`, i)
	}
	if _, err := d.SetColumns([]byte(defs + `,{"name":"Age","type":"date","description":"Custom resource definition column (in JSONPath format): .metadata.creationTimestamp"}]`)); err != nil {
		t.Fatal(err)
	}
	return d, func(size int) []byte {
		cells := strings.Repeat(`,"`+strings.Repeat("x", size)+`"`, columns)
		return []byte(`{"cells":["a"` + cells + `,"3d"],"object":{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"name":"a","creationTimestamp":"2026-11-20T08:00:00Z"}}}`)
	}
}

// TestWideTable checks that of a row with many long cells the first are read, and the others say that they are not, also
// when the row is read again from memory. Dates are known anyway.
func TestWideTable(t *testing.T) {
	d, row := wideTable(t, 60)
	for size, read := range map[int]int{1: 60, 1000: 60, 10_000: 6, 120_000: 0} {
		o, err := d.Decode(row(size))
		if err != nil {
			t.Fatal(err)
		}
		again, err := d.Decode(d.Row(nil, o))
		if err != nil || again.blob != o.blob {
			t.Errorf("%d: read again as another: %v", size, err)
		}
		columns := d.Columns()
		for i := range 60 {
			want := strings.Repeat("x", size)
			if i >= read {
				want = query.NotEvaluated
			}
			if got := o.Cell(columns, i+1).Text; got != want {
				t.Errorf("%d: cell %d has %d bytes: %.20s", size, i, len(got), got)
			}
		}
		if o.Cell(columns, 61).At == 0 {
			t.Errorf("%d: no age", size)
		}
	}
}
