package tools

import (
	"bytes"
	"encoding/csv"
	"strings"
	"testing"
)

// TestCSV checks that cells round-trip, and that none is a formula.
func TestCSV(t *testing.T) {
	for cell, want := range map[string]string{
		"":                        "",
		"web-1":                   "web-1",
		"1/2":                     "1/2",
		"a,b":                     `"a,b"`,
		`say "hi"`:                `"say ""hi"""`,
		"a;=1+1":                  `"a;=1+1"`,
		"two\r\nlines":            "\"two\r\nlines\"",
		" space ":                 `" space "`,
		"=1+1":                    "'=1+1",
		"+1":                      "'+1",
		"-1":                      "'-1",
		"@SUM(A1)":                "'@SUM(A1)",
		"\t=1+1":                  "\"'\t=1+1\"",
		"\r=1+1":                  "\"'\r=1+1\"",
		`=HYPERLINK("http://x",)`: `"'=HYPERLINK(""http://x"",)"`,
		"<none>":                  "<none>",
	} {
		if got := csvCell(cell); got != want {
			t.Errorf("%q is %s, want %s", cell, got, want)
		}
	}
}

// FuzzCSV compares every row with what encoding/csv reads, except for formulas.
func FuzzCSV(f *testing.F) {
	f.Add("a", "b,\"c\"")
	f.Add("=1", "\r\n")
	f.Fuzz(func(t *testing.T, a, b string) {
		var out csvFile
		out.Row([]string{"x", a, b})
		lines, err := csv.NewReader(bytes.NewReader(bytes.Join(out.End(), nil))).ReadAll()
		if err != nil || len(lines) != 1 || len(lines[0]) != 3 {
			t.Fatalf("%q %q: %q, %v", a, b, lines, err)
		}
		for i, cell := range []string{a, b} {
			got := lines[0][i+1]
			if got != "" && strings.ContainsAny(got[:1], "=+-@\t\r\n") {
				t.Errorf("%q is a formula", got)
			}
			// encoding/csv reads every line ending as \n.
			want := strings.ReplaceAll(cell, "\r\n", "\n")
			if strings.TrimPrefix(got, "'") != strings.TrimPrefix(want, "'") {
				t.Errorf("%q is read as %q", cell, got)
			}
		}
	})
}

// TestJSONFile checks duplicate column names, and a file without rows.
func TestJSONFile(t *testing.T) {
	written := func(rows ...[]string) string {
		f := NewFile(AsJSON, ExportRows{Columns: []struct{ Name string }{{"Name"}, {"Name"}, {"Name 2"}}})
		for _, r := range rows {
			f.Row(r)
		}
		return string(bytes.Join(f.End(), nil))
	}
	if got := written(); got != "[\n]\n" {
		t.Error(got)
	}
	if got := written([]string{"a", "<b>", "\"c\""}, []string{"d", "e", "f"}); got != `[
{"Name":"a","Name 2":"\u003cb\u003e","Name 2 2":"\"c\""},
{"Name":"d","Name 2":"e","Name 2 2":"f"}
]
` {
		t.Error(got)
	}
}
