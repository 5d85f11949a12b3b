package problem

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"watchglass/internal/document"
	"watchglass/internal/object"
)

// noon is when all tests take place.
var noon = time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)

var agePattern = regexp.MustCompile(`"-(\d+[hms][0-9hms]*)"`)

// dated replaces ages like "-5m" in a document with instants before noon.
func dated(doc string) string {
	return agePattern.ReplaceAllStringFunc(doc, func(age string) string {
		d, err := time.ParseDuration(strings.Trim(age, `"-`))
		if err != nil {
			panic(err)
		}
		return `"` + noon.Add(-d).Format(time.RFC3339) + `"`
	})
}

// parse returns a document, with ages as instants, and with others merged into it.
func parse(t testing.TB, docs ...string) document.Value {
	t.Helper()
	var all any
	for _, doc := range docs {
		d := json.NewDecoder(strings.NewReader(dated(doc)))
		d.UseNumber()
		var one any
		if err := d.Decode(&one); err != nil {
			t.Fatalf("%s: %v", doc, err)
		}
		all = merge(all, one)
	}
	return document.Of(all)
}

func merge(a, b any) any {
	into, ok := a.(map[string]any)
	from, ok2 := b.(map[string]any)
	if !ok || !ok2 {
		return b
	}
	for k, v := range from {
		into[k] = merge(into[k], v)
	}
	return into
}

func kindOf(t testing.TB, resource string) object.Kind {
	t.Helper()
	k, ok := object.Builtin(resource)
	if !ok {
		t.Fatalf("%s is not built in", resource)
	}
	return k
}

// causesText writes causes as text.
func causesText(all []Cause) string {
	var out []string
	for _, c := range all {
		out = append(out, fmt.Sprintf("%s %s %s | %s | %s", c.Severity, c.Reason, age(c.Since), c.Words, c.Evidence))
	}
	return strings.Join(out, "\n")
}

// age is how long before noon a time was; "?" if it is unknown.
func age(at int64) string {
	if at == 0 {
		return "?"
	}
	return noon.Sub(time.Unix(at, 0)).String()
}

// ruleCase is an object, merged from documents, with what is wrong with it.
type ruleCase struct {
	name string
	docs []string
	want string
}

func testRules(t *testing.T, resource, base string, cases []ruleCase) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			doc := parse(t, append([]string{base}, c.docs...)...)
			if got := causesText(Check(kindOf(t, resource), doc, noon)); got != strings.TrimSpace(c.want) {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

// TestReaders checks that the fields that readers scan exist.
func TestReaders(t *testing.T) {
	for _, plan := range plans {
		id := plan.key
		k, ok := object.Builtin(id)
		if !ok {
			t.Fatal(id)
		}
		r := newReader(&kind{Kind: k, id: id})
		if r.plan == nil || (id == endpointSlices || id == replicaSets) != (r.each != nil) {
			t.Errorf("%s: a field does not exist", id)
		}
	}
	old, _ := object.Builtin(autoscalers)
	old.Version = "v1" // without conditions
	if r := newReader(&kind{Kind: old, id: autoscalers}); r.plan != nil || !r.suspect(&record{facts: noFacts, kind: &kind{Kind: old, id: autoscalers}, object: new(object.Object)}, 0) {
		t.Error("an autoscaler without conditions is not read")
	}
}
