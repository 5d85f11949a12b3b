package object

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// inDefinition returns a column's description as the apiserver sets it if the author wrote
// none.
func inDefinition(path string) string { return pathDescription + path }

// columnsAs returns column definitions in the server's form, from name, type and description.
func columnsAs(columns ...[3]string) []byte {
	out := []map[string]string{{"name": "Name", "type": "string", "format": "name", "description": "Name must be unique within a namespace."}}
	for _, c := range columns {
		out = append(out, map[string]string{"name": c[0], "type": c[1], "description": c[2]})
	}
	doc, err := json.Marshal(out)
	if err != nil {
		panic(err)
	}
	return doc
}

// rowAs returns a row with cells after the name, around an object's members.
func rowAs(kind, object string, cells ...any) []byte {
	doc, err := json.Marshal(append([]any{"w"}, cells...))
	if err != nil {
		panic(err)
	}
	return fmt.Appendf(nil, `{"cells":%s,"object":{"kind":%q,"apiVersion":"example.com/v1",%s}}`, doc, kind, object)
}

var widget = Kind{Group: "example.com", Version: "v1", Resource: "widgets", Name: "Widget"}

func printedAs(k Kind, p Printing) Kind {
	k.PrintAs(p)
	return k
}

// decodeAt decodes a row of a Table with these columns.
func decodeAt(t *testing.T, kind Kind, columns, row []byte) (*Decoder, *Object) {
	t.Helper()
	d := NewDecoder(kind, true)
	if _, err := d.SetColumns(columns); err != nil {
		t.Fatal(err)
	}
	o, err := d.Decode(row)
	if err != nil {
		t.Fatal(err)
	}
	return d, o
}

// cellsAt returns the cells after the name, as they print at a given time.
func cellsAt(d *Decoder, o *Object, now time.Time) string {
	var out []string
	for i := range d.Columns()[1:] {
		out = append(out, string(o.Cell(d.Columns(), i+1).Append(nil, now)))
	}
	return strings.Join(out, "|")
}

// TestDates checks what each kind of date prints when it arrives and an hour later. It is exact
// if its path is known and in the row, else approximate. It prints as the server wrote it if that
// is no age.
func TestDates(t *testing.T) {
	const metadata = `"metadata":{"name":"w","uid":"u","creationTimestamp":"1999-12-31T23:00:00Z","annotations":{"example.com/at":"1999-12-31T22:00:00Z"}}`
	const body = `,"status":{"startedAt":"1999-12-31T23:59:30Z","empty":"","zero":"0001-01-01T00:00:00Z","wrong":"yesterday","ahead":"2000-01-01T02:00:00.5Z","ancient":"1500-01-01T00:00:00Z","conditions":[{"type":"Old","at":"1999-12-30T00:00:00Z"},{"type":"Ready","at":"1999-12-31T21:00:00Z"}]}`
	defined := printedAs(widget, Printing{Definition: "Size\t.spec.size\nAge\t.status.startedAt\n"})
	for name, c := range map[string]struct {
		kind        Kind
		column      [3]string
		body        string
		cell        any
		first, then string
	}{
		"creation by its path":        {column: [3]string{"AGE", "date", inDefinition(".metadata.creationTimestamp")}, cell: "60m", first: "60m", then: "120m"},
		"creation by its description": {column: [3]string{"Age", "date", createdDescription + " It is not guaranteed."}, cell: "60m", first: "60m", then: "120m"},
		"creation as a string":        {column: [3]string{"Age", "string", createdDescription}, cell: "60m", first: "60m", then: "120m"},
		"another Age, whole":          {column: [3]string{"Age", "date", inDefinition(".status.startedAt")}, body: body, cell: "30s", first: "30s", then: "60m"},
		"another Age, in a row":       {column: [3]string{"Age", "date", inDefinition(".status.startedAt")}, cell: "30s", first: "~30s", then: "~60m"},
		"described, and defined":      {kind: defined, column: [3]string{"Age", "date", "When it started"}, body: body, cell: "30s", first: "30s", then: "60m"},
		"described":                   {column: [3]string{"Age", "date", "When it started"}, body: body, cell: "9h", first: "~9h", then: "~10h"},
		"not described":               {column: [3]string{"Age", "string", ""}, cell: "9h", first: "~9h", then: "~10h"},
		"a string that is called Age": {column: [3]string{"Age", "string", inDefinition(".spec.age")}, cell: "9h", first: "9h", then: "9h"},
		"a number that is called Age": {column: [3]string{"Age", "integer", inDefinition(".spec.age")}, cell: 40, first: "40", then: "40"},
		"in a condition":              {column: [3]string{"Ready Since", "date", inDefinition(`.status.conditions[?(@.type=="Ready")].at`)}, body: body, cell: "3h", first: "3h", then: "4h"},
		"the first of several":        {column: [3]string{"At", "date", inDefinition(".status.conditions[*].at")}, body: body, cell: "2d", first: "2d", then: "2d1h"},
		"in an annotation":            {column: [3]string{"At", "date", inDefinition(`.metadata.annotations.example\.com/at`)}, cell: "120m", first: "120m", then: "3h"},
		"a path we cannot read":       {column: [3]string{"At", "date", inDefinition(".status.conditions[0:1].at")}, body: body, cell: "2d", first: "~2d", then: "~2d1h"},
		"withheld":                    {column: [3]string{"At", "date", inDefinition(".metadata.managedFields[0].time")}, body: body, cell: "5m", first: "~5m", then: "~65m"},
		"null":                        {column: [3]string{"At", "date", inDefinition(".status.startedAt")}, body: body, cell: nil, first: "", then: ""},
		"null, not known where":       {column: [3]string{"At", "date", "Some time"}, cell: nil, first: "", then: ""},
		"empty":                       {column: [3]string{"At", "date", inDefinition(".status.empty")}, body: body, cell: "<unknown>", first: "<unknown>", then: "<unknown>"},
		"zero":                        {column: [3]string{"At", "date", inDefinition(".status.zero")}, body: body, cell: "<unknown>", first: "<unknown>", then: "<unknown>"},
		"wrong":                       {column: [3]string{"At", "date", inDefinition(".status.wrong")}, body: body, cell: "<invalid>", first: "<invalid>", then: "<invalid>"},
		"ahead":                       {column: [3]string{"At", "date", inDefinition(".status.ahead")}, body: body, cell: "<invalid>", first: "<invalid>", then: "<invalid>"},
		"ancient":                     {column: [3]string{"At", "date", inDefinition(".status.ancient")}, body: body, cell: "292y", first: "292y", then: "292y"},
		"ahead, not known where":      {column: [3]string{"At", "date", "Some time"}, cell: "<invalid>", first: "<invalid>", then: "<invalid>"},
		"a server without ages":       {column: [3]string{"Created At", "date", createdDescription}, cell: "1999-12-31T23:00:00Z", first: "1999-12-31T23:00:00Z", then: "1999-12-31T23:00:00Z"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				kind := widget
				if c.kind.Name != "" {
					kind = c.kind
				}
				columns, name := [][3]string{{"Size", "integer", inDefinition(".spec.size")}, c.column}, "PartialObjectMetadata"
				if c.body != "" {
					name = "Widget"
				}
				d, o := decodeAt(t, kind, columnsAs(columns...), rowAs(name, metadata+c.body, 7, c.cell))
				if got := cellsAt(d, o, time.Now()); got != "7|"+c.first {
					t.Errorf("%q, want %q", got, c.first)
				}
				if got := cellsAt(d, o, time.Now().Add(time.Hour)); got != "7|"+c.then {
					t.Errorf("after an hour %q, want %q", got, c.then)
				}
			})
		})
	}
}

// TestTableNeeds checks what columns need to print their dates exactly.
func TestTableNeeds(t *testing.T) {
	for name, c := range map[string]struct {
		column     [3]string
		definition Definition
		want       TableNeeds
	}{
		"no date":             {column: [3]string{"Phase", "string", "The phase"}},
		"the creation":        {column: [3]string{"AGE", "date", inDefinition(".metadata.creationTimestamp")}},
		"the metadata":        {column: [3]string{"Due", "date", inDefinition(".metadata.deletionTimestamp")}},
		"the status":          {column: [3]string{"At", "date", inDefinition(".status.at")}, want: TableNeeds{Body: true}},
		"described":           {column: [3]string{"At", "date", "When"}, want: TableNeeds{Definition: true}},
		"defined":             {column: [3]string{"At", "date", "When"}, definition: "At\t.status.at\n", want: TableNeeds{Body: true}},
		"defined as creation": {column: [3]string{"At", "date", "When"}, definition: "At\t.metadata.creationTimestamp\n"},
		"defined otherwise":   {column: [3]string{"At", "date", "When"}, definition: "Size\t.spec.size\nAt\t.status.at\n", want: TableNeeds{Definition: true}},
	} {
		d := NewDecoder(printedAs(widget, Printing{Definition: c.definition}), true)
		if _, err := d.SetColumns(columnsAs(c.column)); err != nil {
			t.Fatal(err)
		}
		if got := d.Needs(); got != c.want {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// TestDatePathChanges checks that a column counts as changed if only its path changes.
func TestDatePathChanges(t *testing.T) {
	d := NewDecoder(widget, true)
	for i, path := range []string{".status.a", ".status.a", ".status.b"} {
		changed, err := d.SetColumns(columnsAs([3]string{"At", "date", inDefinition(path)}))
		if err != nil || changed != (i != 1) {
			t.Errorf("%s: %v, %v", path, changed, err)
		}
	}
}

// TestReadDefinition checks that the columns are those of the served version.
func TestReadDefinition(t *testing.T) {
	doc := []byte(`{"kind":"CustomResourceDefinition","spec":{"versions":[{"name":"v1alpha1","additionalPrinterColumns":[{"name":"Old","jsonPath":".old"}]},{"name":"v1","additionalPrinterColumns":[{"name":"A\tb","type":"date","description":"x","jsonPath":".status.a"},{"name":"Age","jsonPath":".status.startedAt"}]},{"name":"v2"}]}}`)
	for version, want := range map[string]Definition{"v1": "A b\t.status.a\nAge\t.status.startedAt\n", "v2": "", "v3": ""} {
		if got := ReadDefinition(doc, version); got != want {
			t.Errorf("%s: %q", version, got)
		}
	}
	d := Definition("A b\t.status.a\nAge\t.status.startedAt\n")
	for _, c := range []struct {
		place      int
		name, want string
	}{{0, "A\tb", ".status.a"}, {1, "Age", ".status.startedAt"}, {0, "Age", ""}, {2, "Age", ""}, {-1, "Name", ""}} {
		if got := d.path(c.place, c.name); got != c.want {
			t.Errorf("%d %s: %q", c.place, c.name, got)
		}
	}
}

// TestDateOrder checks the order of dates: youngest first for ages, earliest first for dates
// printed as dates, and missing ones last.
func TestDateOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, all := range [][]any{
			{"30s", "5m", "9h", "3d4h", "2y1d", nil, "<unknown>"},
			{"1999-01-01T00:00:00Z", "1999-01-01T01:00:00+01:00", "1999-06-01T00:00:00Z", "2999-01-01T00:00:00Z", nil},
		} {
			d := NewDecoder(widget, true)
			if _, err := d.SetColumns(columnsAs([3]string{"At", "date", "When"})); err != nil {
				t.Fatal(err)
			}
			var cells []Cell
			for _, cell := range all {
				o, err := d.Decode(rowAs("Widget", `"metadata":{"name":"w"}`, cell))
				if err != nil {
					t.Fatal(err)
				}
				cells = append(cells, o.Cell(d.Columns(), 1))
			}
			if !slices.IsSortedFunc(cells, Cell.Compare) {
				t.Errorf("%v are not in order: %+v", all, cells)
			}
			slices.Reverse(cells)
			slices.SortStableFunc(cells, Cell.Compare)
			if first := string(cells[0].Append(nil, time.Now())); !strings.Contains(first, fmt.Sprint(all[0])) && !strings.Contains(first, "01:00:00+01:00") {
				t.Errorf("%q is the first of %v", first, all)
			}
		}
	})
}

// TestParseAge checks that an age is parsed as the youngest that prints the same.
func TestParseAge(t *testing.T) {
	for s := int64(0); s < 12*year; s += 1 + s/997 {
		text := string(appendAge(nil, s))
		got, ok := parseAge(text)
		if !ok || got > s || string(appendAge(nil, got)) != text || got > 0 && string(appendAge(nil, got-1)) == text {
			t.Fatalf("%d seconds, %s: %d, %v", s, text, got, ok)
		}
	}
	for _, none := range []string{"", "5", "s", "5x", "-5s", "1m1h", "1m1m", "1.5h", "<invalid>", "<unknown>", "99999999999d", "5 m"} {
		if n, ok := parseAge(none); ok {
			t.Errorf("%q is %d seconds", none, n)
		}
	}
}
