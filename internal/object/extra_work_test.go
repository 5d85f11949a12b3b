package object

import (
	"strings"
	"testing"

	"watchglass/internal/query"
)

// TestExtraWork checks that a column whose path takes too much work says so in place of its values, that the columns
// of an object share the work, and that another object's are evaluated.
func TestExtraWork(t *testing.T) {
	kind := Kind{Group: "example.com", Version: "v1", Resource: "things", Name: "Thing"}
	of := func(spec string) []byte {
		return []byte(`{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"a"},"spec":` + spec + `}`)
	}
	list := `[` + strings.Repeat(`{"x":"y"},`, 150_000) + `{"x":"z"}]`
	deep := strings.Repeat(`[`, 700_000) + strings.Repeat(`]`, 700_000)
	const not = query.NotEvaluated
	for _, c := range []struct{ spec, paths, want string }{
		{list, "{.spec[*].x}", not},
		{list, `{.spec[?(@.x=="z")].x}`, not},
		{list, `{.spec[?(@.x!="y")].x}`, not},
		{list, "{.spec[-1].x}", not},
		{list, "{.spec[0].x}", "y"},
		{list, "{.metadata.name} {.spec[*].x} {.metadata.name}", "a " + not + " " + not},
		{deep, "{.spec[*][*][*][*]}", not},
		{deep, "{.spec.nope}", "<none>"},
		{`"` + strings.Repeat("s", 1_400_000) + `"`, "{.metadata.name} {.spec}", "a " + strings.Repeat("s", 1_400_000)}, // one name: it is whole
		{`[{"x":"y"},{"x":"z"}]`, `{.spec[*].x} {.spec[?(@.x!="y")].x} {.spec[-1].x}`, "y,z z z"},
	} {
		var extras []Extra
		for path := range strings.FieldsSeq(c.paths) {
			extra, err := ParseExtra(path)
			if err != nil {
				t.Fatal(err)
			}
			extras = append(extras, extra)
		}
		d := NewDecoder(kind, false, extras...)
		for spec, want := range map[string]string{c.spec: c.want, "1": ""} {
			o, err := d.Decode(of(spec))
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for i := range extras {
				got = append(got, o.PrintedText(i+1))
			}
			if got := strings.Join(got, " "); want != "" && got != want || want == "" && strings.Contains(got, not) {
				t.Errorf("%s: %.100q", c.paths, got)
			}
		}
	}
}
