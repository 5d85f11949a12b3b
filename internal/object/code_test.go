package object

import (
	"fmt"
	"strings"
	"testing"
)

// TestCodes checks that texts with the same code in the same place are equal across decoders,
// and that a column with too many texts gets no more codes.
func TestCodes(t *testing.T) {
	columns := `[{"name":"Name","format":"name"},{"name":"Size","type":"integer"},{"name":"Status"},{"name":"Key"}]`
	kind := Kind{Group: "example.com", Version: "v1", Resource: "widgets", Name: "Widget"}
	type code struct{ place, number int }
	table := new(CodeTable)
	texts, coded := map[code]string{}, map[string]int{}
	for range 2 {
		d := NewDecoder(kind, false).Share(table)
		if _, err := d.SetColumns([]byte(columns)); err != nil {
			t.Fatal(err)
		}
		places := Codes(d.Columns())
		for i := range 2 * mostCodes {
			o, err := d.Decode(fmt.Appendf(nil, `{"cells":["w",%d,%q,"key-%d"],"object":{"kind":"PartialObjectMetadata","metadata":{"name":"w%d","namespace":"team-%d"}}}`, i, []string{"big", "small"}[i%2], i, i, i%3))
			if err != nil {
				t.Fatal(err)
			}
			same := func(column string, place int, text string) {
				given := code{place, int(o.Code(place))}
				if given.number == 0 {
					return
				}
				if known, ok := texts[given]; ok && known != text {
					t.Fatalf("%q has the code of %q", text, known)
				}
				texts[given] = text
				coded[column]++
			}
			for at, c := range d.Columns() {
				same(c.Name, places[at], o.Cell(d.Columns(), at).Text)
			}
			same("namespace", NamespaceCode, o.Namespace())
		}
	}
	d := NewDecoder(kind, false).Share(table)
	if _, err := d.SetColumns([]byte(columns)); err != nil {
		t.Fatal(err)
	}
	o, err := d.Decode(fmt.Appendf(nil, `{"cells":["w",1,%q,"key"],"object":{"kind":"PartialObjectMetadata","metadata":{"name":"w"}}}`, strings.Repeat("x", longestCoded+1)))
	if err != nil || o.Code(0) != 0 || o.Code(1) == 0 {
		t.Errorf("a text as long as that has a code, and is kept for it: %v", err)
	}
	for column, want := range map[string]int{"Name": 0, "Size": 0, "Status": 4 * mostCodes, "Key": 2 * mostCodes, "namespace": 4 * mostCodes} {
		if got := coded[column]; got != want {
			t.Errorf("%d of %s have codes, not %d", got, column, want)
		}
	}
}

// TestNoCodes checks that objects have no codes without a shared table.
func TestNoCodes(t *testing.T) {
	d := NewDecoder(Kind{Group: "example.com", Version: "v1", Resource: "widgets", Name: "Widget"}, false)
	if _, err := d.SetColumns([]byte(`[{"name":"Name","format":"name"},{"name":"Status"}]`)); err != nil {
		t.Fatal(err)
	}
	o, err := d.Decode([]byte(`{"cells":["w","big"],"object":{"kind":"PartialObjectMetadata","metadata":{"name":"w","namespace":"a"}}}`))
	if err != nil || o.Code(0) != 0 || o.Code(NamespaceCode) != 0 {
		t.Errorf("%v %v", o, err)
	}
}
