package detail

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"watchglass/internal/detail/diff"
	"watchglass/internal/document"
)

func parsed(t testing.TB, doc string) document.Value {
	t.Helper()
	v, err := document.Parse([]byte(doc))
	if err != nil {
		t.Fatalf("%.200s: %v", doc, err)
	}
	return v
}

// inRows writes rows in a line.
func inRows(rows []FieldPair) string {
	var out []string
	for _, r := range rows {
		text := fmt.Sprintf("%s %s %s→%s", r.Kind, r.Path, r.Left, r.Right)
		for _, l := range r.Lines {
			text += fmt.Sprintf("|%s %s", l.Kind, l.Text)
			if l.Skip > 0 {
				text += fmt.Sprint(l.Skip)
			}
		}
		if r.Cut {
			text += " cut"
		}
		out = append(out, text)
	}
	return strings.Join(out, "; ")
}

// TestSideBySide checks what is compared, what always differs, and how many values are equal.
func TestSideBySide(t *testing.T) {
	for _, c := range []struct {
		name, left, right, rows, folded string
		equal                           int
	}{
		{"nothing", `{"spec":{"a":[1,2]}}`, `{"spec":{"a":[1,2]}}`, "", "", 2},
		{"an image", `{"metadata":{"name":"a","uid":"1"},"spec":{"containers":[{"name":"web","image":"w:1"}]}}`, `{"metadata":{"name":"b","uid":"2"},"spec":{"containers":[{"name":"web","image":"w:2"}]}}`,
			"changed spec.containers[web].image w:1→w:2", "changed metadata.name a→b; changed metadata.uid \"1\"→\"2\"", 1},
		{"null, missing and empty", `{"spec":{"a":null,"b":"","c":[],"d":{}}}`, `{"spec":{"b":null,"c":{},"d":null}}`,
			`removed spec.a null→; changed spec.b ""→null; changed spec.c []→{}; changed spec.d {}→null`, "", 0},
		{"times of the status", `{"status":{"startTime":"2026-01-01T00:00:00Z","conditions":[{"type":"Ready","lastTransitionTime":"2026-01-01T00:00:00Z","observedGeneration":1,"message":"2026-01-01"}],"observedGeneration":3}}`,
			`{"status":{"conditions":[{"type":"Ready","lastTransitionTime":"2026-01-02T00:00:00Z","observedGeneration":2,"message":"2026-01-02"}]}}`,
			"changed status.conditions[Ready].message 2026-01-01→2026-01-02; removed status.startTime 2026-01-01T00:00:00Z→",
			"changed status.conditions[Ready].lastTransitionTime 2026-01-01T00:00:00Z→2026-01-02T00:00:00Z; changed status.conditions[Ready].observedGeneration 1→2; removed status.observedGeneration 3→", 1},
		{"times of the spec", `{"spec":{"startTime":"2026-01-01T00:00:00Z","uid":"1"}}`, `{"spec":{"startTime":"2026-01-02T00:00:00Z","uid":"2"}}`,
			"changed spec.startTime 2026-01-01T00:00:00Z→2026-01-02T00:00:00Z; changed spec.uid \"1\"→\"2\"", "", 0},
		{"an owner", `{"metadata":{"ownerReferences":[{"name":"r","uid":"1","kind":"A"}]}}`, `{"metadata":{"ownerReferences":[{"name":"r","uid":"2","kind":"B"}]}}`,
			"changed metadata.ownerReferences[r].kind A→B", "changed metadata.ownerReferences[r].uid \"1\"→\"2\"", 1},
		{"annotations", `{"metadata":{"annotations":{"a":"1","kubectl.kubernetes.io/last-applied-configuration":"{}"}}}`, `{"metadata":{"annotations":{"a":"2","kubectl.kubernetes.io/last-applied-configuration":"[]"}}}`,
			"changed metadata.annotations.a \"1\"→\"2\"", `changed metadata.annotations["kubectl.kubernetes.io/last-applied-configuration"] {}→[]`, 0},
		{"names that occur twice", `{"env":[{"name":"a","value":"1"},{"name":"a","value":"2"}]}`, `{"env":[{"name":"a","value":"1"},{"name":"a","value":"3"}]}`,
			`changed env[1].value "2"→"3"`, "", 3},
		{"kinds", `{"kind":"Pod","spec":{"x":1}}`, `{"kind":"Job"}`, `changed kind Pod→Job; removed spec {"x":1}→`, "", 0},
		{"lines", `{"data":{"f":"1\n2\n3\n4\n5\n6\n"}}`, `{"data":{"f":"1\n2\n3\n4\n5\nx\n"}}`, "changed data.f →| 3| 4| 5|removed 6|added x cut", "", 0},
	} {
		got := SideBySide(parsed(t, c.left), parsed(t, c.right), nil)
		if rows := inRows(got.Rows); rows != c.rows || inRows(got.Folded) != c.folded || got.Equal != c.equal {
			t.Errorf("%s:\nhave %s\nwant %s\nfolded %s\nwant %s\n%d equal, want %d", c.name, rows, c.rows, inRows(got.Folded), c.folded, got.Equal, c.equal)
		}
	}
}

// TestSideBySideSecret checks that values of Secrets are neither shown nor called equal, also
// beside an object that has other data.
func TestSideBySideSecret(t *testing.T) {
	const secret = `{"apiVersion":"v1","kind":"Secret","data":{"a":"hush-1","b":""}}`
	for _, other := range []string{`{"apiVersion":"v1","kind":"Secret","data":{"a":"hush-2","c":"hush-3"}}`, `{"apiVersion":"v1","kind":"ConfigMap","data":{"a":"text","c":"hush-3"}}`} {
		got := SideBySide(parsed(t, secret), parsed(t, other), []string{"data.a"})
		rows := inRows(got.Rows)
		if !got.Secret || strings.Contains(rows, "hush") || strings.Contains(rows, "data.a") || !strings.Contains(rows, `removed data.b ""→; added data.c →""`) {
			t.Errorf("%+v", got)
		}
		if got.Equal > 2 { // the kind and the version
			t.Errorf("%d values are called equal", got.Equal)
		}
	}
}

// TestFoldedNoSpec checks over random changes that what is folded is of the metadata or the status,
// and that every change is in one of the two or counted.
func TestFoldedNoSpec(t *testing.T) {
	names := []string{"uid", "resourceVersion", "name", "generation", "observedGeneration", "startTime", "ownerReferences", "managedFields", "annotations", "metadata", "status", "x"}
	folded := 0
	for seed := range uint64(5_000) {
		r := rand.New(rand.NewPCG(3, seed))
		build := func() map[string]any {
			var value func(depth int) any
			value = func(depth int) any {
				if depth == 0 || r.IntN(3) == 0 {
					return []any{"a", "2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z", nil, json.Number("1")}[r.IntN(5)]
				}
				out := map[string]any{}
				for range r.IntN(4) {
					out[names[r.IntN(len(names))]] = value(depth - 1)
				}
				return out
			}
			return map[string]any{"metadata": value(3), "spec": value(3), "status": value(3)}
		}
		a, b := build(), build()
		got := SideBySide(document.Of(a), document.Of(b), nil)
		for _, f := range got.Folded {
			if !strings.HasPrefix(f.Path, "metadata.") && !strings.HasPrefix(f.Path, "status.") {
				t.Fatalf("seed %d: %s is folded", seed, f.Path)
			}
		}
		folded += len(got.Folded)
		changes, _ := diff.Objects(a, b)
		if have, want := len(got.Rows)+len(got.Folded)+got.More+got.MoreFolded, len(changes); have != want || got.Short {
			t.Fatalf("seed %d: %d fields, want %d", seed, have, want)
		}
	}
	if folded < 1000 {
		t.Errorf("%d fields were folded", folded)
	}
}

// TestSideBySideBounded compares objects that were made to be large: what comes out is bounded, and
// what it took in between is in proportion to the objects.
func TestSideBySideBounded(t *testing.T) {
	many := func(n int, value string) string {
		var out strings.Builder
		for i := range n {
			if i > 0 {
				out.WriteByte(',')
			}
			fmt.Fprintf(&out, `"k%06d":%q`, i, value)
		}
		return "{" + out.String() + "}"
	}
	nested := func(depth int, within string) string {
		return strings.Repeat(`{"a":`, depth) + within + strings.Repeat("}", depth)
	}
	lists := func(depth int, within string) string {
		return strings.Repeat("[", depth) + within + strings.Repeat("]", depth)
	}
	lines := func(n int, mark string) string {
		var out strings.Builder
		for i := range n {
			fmt.Fprintf(&out, `%d%s\n`, i, mark)
		}
		return `{"f":"` + out.String() + `"}`
	}
	for name, pair := range map[string][2]string{
		"10,000 keys":             {many(10_000, "a"), many(10_000, "b")},
		"deep":                    {nested(4_000, "1"), nested(4_000, "2")},
		"deep and wide":           {nested(2_000, many(20_000, "a")), nested(2_000, many(20_000, "b"))},
		"deep lists":              {lists(4_000, "1"), lists(4_000, "2")},
		"long":                    {`{"f":"` + strings.Repeat("ü", 500_000) + `1"}`, `{"f":"` + strings.Repeat("ü", 500_000) + `2"}`},
		"a long key":              {`{"` + strings.Repeat("k", 500_000) + `":1}`, `{"` + strings.Repeat("k", 500_000) + `":2}`},
		"lines":                   {lines(50_000, "a"), lines(50_000, "b")},
		"one line in many":        {lines(50_000, ""), strings.Replace(lines(50_000, ""), `\n40000\n`, `\nx\n`, 1)},
		"one side has everything": {`{}`, many(10_000, strings.Repeat("x", 100))},
		"all of a key wanted":     {`{"k":"` + strings.Repeat("a", 1<<20) + `"}`, `{"k":"` + strings.Repeat("b", 1<<20) + `"}`},
	} {
		left, right := parsed(t, pair[0]), parsed(t, pair[1])
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		got := SideBySide(left, right, []string{"k"})
		runtime.ReadMemStats(&after)
		doc, err := json.Marshal(got)
		if err != nil {
			t.Fatal(err)
		}
		if n := len(doc); n > 2*bytesMost || len(got.Rows)+got.More == 0 {
			t.Errorf("%s: %d bytes, %d rows and %d more", name, n, len(got.Rows), got.More)
		}
		if used := after.TotalAlloc - before.TotalAlloc; used > 64<<20 {
			t.Errorf("%s: %d MB for objects of %d KB", name, used>>20, len(pair[0])>>10)
		}
	}
}

// TestCutPair checks that two long values that differ late are told apart, and that the rest of a
// value is shown when it is wanted.
func TestCutPair(t *testing.T) {
	long := strings.Repeat("é", 5_000)
	left, right := parsed(t, `{"a":"`+long+`1`+long+`"}`), parsed(t, `{"a":"`+long+`2`+long+`"}`)
	row := SideBySide(left, right, nil).Rows[0]
	if !row.Cut || row.Left == row.Right || !strings.Contains(row.Left, "1é") || !strings.Contains(row.Right, "2é") || strings.ContainsRune(row.Left+row.Right, '\uFFFD') {
		t.Errorf("%+v", row)
	}
	if row := SideBySide(left, right, []string{"a"}).Rows[0]; row.Cut || row.Over || row.Left != long+"1"+long {
		t.Errorf("%d bytes of %d, %v", len(row.Left), 2*len(long)+1, row.Over)
	}
	huge := strings.Repeat("x", 2*wholeMost)
	if row := SideBySide(parsed(t, `{"a":"`+huge+`1"}`), parsed(t, `{"a":"`+huge+`2"}`), []string{"a"}).Rows[0]; !row.Over || row.Left == row.Right {
		t.Errorf("%+.100v", row)
	}
}
