package diff

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func parse(t testing.TB, doc string) any {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(doc))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%s: %v", doc, err)
	}
	return v
}

// told is a change in one line.
func told(c Change) string {
	before, after := c.Printed()
	line := fmt.Sprintf("%s %s: %s → %s", c.Kind, c.Path(), before, after)
	if c.Noise() {
		line += " (noise)"
	}
	return line
}

func TestObjects(t *testing.T) {
	for _, c := range []struct{ name, before, after, want string }{
		{"nothing", `{"a":[1,{"b":null}]}`, `{"a":[1,{"b":null}]}`, ""},
		{"an image", `{"spec":{"containers":[{"name":"a","image":"a:1"},{"name":"web","image":"web:1"}]}}`, `{"spec":{"containers":[{"name":"web","image":"web:2"},{"name":"a","image":"a:1"}]}}`,
			`changed spec.containers[web].image: web:1 → web:2; moved spec.containers: ["a","web"] → ["web","a"]`},
		{"an argument between", `{"args":["a","b","c"]}`, `{"args":["a","x","b","c"]}`, `added args[1]:  → x`},
		{"an argument", `{"args":["a","b","c"]}`, `{"args":["a","x","c"]}`, `changed args[1]: b → x`},
		{"no argument", `{"args":["a","b","c"]}`, `{"args":["b","c"]}`, `removed args[0]: a → `},
		{"a new element", `{"c":[{"type":"Ready"}]}`, `{"c":[{"type":"New","status":"True"},{"type":"Ready"}]}`, `added c[New]:  → {"status":"True","type":"New"}`},
		{"odd names", `{"metadata":{"annotations":{"a.b/c":"1","":"x"}}}`, `{"metadata":{"annotations":{"a.b/c":"2"}}}`,
			`removed metadata.annotations[""]: x → ; changed metadata.annotations["a.b/c"]: "1" → "2"`},
		{"numbers", `{"a":9007199254740993,"b":1}`, `{"a":9007199254740992,"b":1.0}`, `changed a: 9007199254740993 → 9007199254740992; changed b: 1 → 1.0`},
		{"kinds of value", `{"a":null,"b":"1","c":{}}`, `{"a":false,"b":1,"c":[]}`, `changed a: null → false; changed b: "1" → 1; changed c: {} → []`},
		{"noise", `{"metadata":{"resourceVersion":"1","generation":1}}`, `{"metadata":{"resourceVersion":"2","generation":2,"managedFields":[{"manager":"x"}]}}`,
			`changed metadata.generation: 1 → 2 (noise); added metadata.managedFields:  → [{"manager":"x"}] (noise); changed metadata.resourceVersion: "1" → "2" (noise)`},
		{"a heartbeat", `{"status":{"conditions":[{"type":"Ready","lastHeartbeatTime":"a"}]}}`, `{"status":{"conditions":[{"type":"Ready","lastHeartbeatTime":"b"}]}}`,
			`changed status.conditions[Ready].lastHeartbeatTime: a → b (noise)`},
		{"lines", `{"data":{"f":"1\n2\n3\n4\n"}}`, `{"data":{"f":"1\n2\nx\n4\n"}}`, "changed data.f: …\n3\n… → …\nx\n…"},
		{"ports of two protocols", `{"ports":[{"containerPort":53,"protocol":"UDP"},{"containerPort":53,"protocol":"TCP"}]}`, `{"ports":[{"containerPort":53,"protocol":"UDP"},{"containerPort":54,"protocol":"TCP"}]}`,
			`changed ports[1].containerPort: 53 → 54`},
	} {
		var have []string
		changes, _ := Objects(parse(t, c.before), parse(t, c.after))
		for _, change := range changes {
			have = append(have, told(change))
		}
		if got := strings.Join(have, "; "); got != c.want {
			t.Errorf("%s:\nhave %s\nwant %s", c.name, got, c.want)
		}
	}
}

// TestSecret holds that no value of a Secret is in a change, whoever sent it.
func TestSecret(t *testing.T) {
	const secret = `{"apiVersion":"v1","kind":"Secret","metadata":{"annotations":{"kubectl.kubernetes.io/last-applied-configuration":"%[1]s"}},"data":{"a":"%[1]s"%[2]s},"stringData":{"b":"%[1]s"}}`
	before, after := parse(t, fmt.Sprintf(secret, "hush-1", "")), parse(t, fmt.Sprintf(secret, "hush-2", `,"new":"hush-3"`))
	changes, _ := Objects(before, after)
	if len(changes) != 1 || told(changes[0]) != `added data.new:  → ""` {
		t.Error(changes)
	}
	if doc, _ := json.Marshal(changes); strings.Contains(string(doc), "hush") {
		t.Error("a value is told")
	}
	if changes, _ := Objects(parse(t, `{"apiVersion":"v1","kind":"Secret","data":"hush"}`), parse(t, `{"apiVersion":"v1","kind":"Secret","data":["hush"]}`)); len(changes) != 0 {
		t.Error(changes)
	}
}

// place is where changes are, of something that was there or is new.
type place struct {
	Step
	added bool
}

// applied is what an object becomes by its changes.
func applied(v any, changes []Change, depth int) any {
	within := make(map[place][]Change)
	var moved *Change
	for i, c := range changes {
		switch {
		case len(c.Steps) > depth:
			at := place{c.Steps[depth], len(c.Steps) == depth+1 && c.Kind == Added}
			within[at] = append(within[at], c)
		case c.Kind == Changed:
			return c.After
		default:
			moved = &changes[i]
		}
	}
	switch v := v.(type) {
	case map[string]any:
		out := maps.Clone(v)
		for at, some := range within {
			switch {
			case at.added:
				out[at.Key] = some[0].After
			case removes(some, depth):
				delete(out, at.Key)
			default:
				out[at.Key] = applied(v[at.Key], some, depth+1)
			}
		}
		return out
	case []any:
		return appliedList(v, moved, within, depth)
	}
	return v
}

func removes(some []Change, depth int) bool {
	return len(some[0].Steps) == depth+1 && some[0].Kind == Removed
}

func appliedList(v []any, moved *Change, within map[place][]Change, depth int) any {
	left := []any{}
	for i, e := range v {
		gone := false
		for at, some := range within {
			if at.Index == i && !at.added {
				if gone = removes(some, depth); !gone {
					e = applied(e, some, depth+1)
				}
			}
		}
		if !gone {
			left = append(left, e)
		}
	}
	if moved != nil {
		places, _ := (&differ{looks: mostLooks}).named(left, moved.Field)
		order := []any{}
		for _, name := range moved.After.([]any) {
			order = append(order, left[places[name.(string)]])
		}
		left = order
	}
	var added []place
	for at := range within {
		if at.added {
			added = append(added, at)
		}
	}
	slices.SortFunc(added, func(a, b place) int { return a.Index - b.Index })
	for _, at := range added {
		left = slices.Insert(left, at.Index, within[at][0].After)
	}
	return left
}

func randomValue(r *rand.Rand, depth int) any {
	switch n := r.IntN(8); {
	case n < 3 && depth > 0:
		out := map[string]any{}
		for range r.IntN(5) {
			out[[]string{"a", "b.c", "spec", "name", "metadata", ""}[r.IntN(6)]] = randomValue(r, depth-1)
		}
		return out
	case n < 4 && depth > 0:
		out := []any{}
		for range r.IntN(6) {
			out = append(out, randomValue(r, depth-1))
		}
		return out
	case n < 6 && depth > 0:
		out := []any{}
		for _, i := range r.Perm(6)[:r.IntN(6)] {
			out = append(out, map[string]any{"name": fmt.Sprint("n", i), "value": randomValue(r, depth-1)})
		}
		return out
	}
	return []any{nil, true, false, "", "x", "y", json.Number("1"), json.Number("1.0")}[r.IntN(8)]
}

// varied is a value that differs here and there.
func varied(r *rand.Rand, v any, depth int) any {
	if r.IntN(12) == 0 {
		return randomValue(r, depth)
	}
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for _, key := range slices.Sorted(maps.Keys(v)) {
			if r.IntN(10) > 0 {
				out[key] = varied(r, v[key], depth-1)
			}
		}
		return out
	case []any:
		out := []any{}
		for _, e := range v {
			if r.IntN(8) == 0 {
				out = append(out, randomValue(r, depth-1))
			}
			if r.IntN(8) > 0 {
				out = append(out, varied(r, e, depth-1))
			}
		}
		if r.IntN(6) == 0 {
			r.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
		}
		return out
	}
	return v
}

// TestApplied holds that the changes between two objects make the one of the other,
// and that they are told the same each time.
func TestApplied(t *testing.T) {
	differ := 0
	for seed := range uint64(6_000) {
		r := rand.New(rand.NewPCG(11, seed))
		a := randomValue(r, 5)
		b := varied(r, a, 4)
		changes, _ := Objects(a, b)
		if len(changes) > 0 {
			differ++
		}
		if (len(changes) == 0) != reflect.DeepEqual(a, b) {
			t.Fatalf("seed %d: %d changes", seed, len(changes))
		}
		if have := applied(a, changes, 0); !reflect.DeepEqual(have, b) {
			x, _ := json.Marshal(a)
			y, _ := json.Marshal(b)
			z, _ := json.Marshal(have)
			t.Fatalf("seed %d:\n%s\nbecomes\n%s\nand not\n%s\nby %+v", seed, x, z, y, changes)
		}
		if again, _ := Objects(a, b); !reflect.DeepEqual(again, changes) {
			t.Fatalf("seed %d: told otherwise", seed)
		}
	}
	if differ < 1_500 {
		t.Errorf("%d pairs differ", differ)
	}
}

func FuzzObjects(f *testing.F) {
	f.Add(`{"a":[1,2,{"name":"x"}]}`, `{"a":[2,{"name":"y"}]}`)
	f.Add(`[[{"name":1},{"name":"1"}]]`, `[[{"name":"1"}]]`)
	f.Fuzz(func(t *testing.T, x, y string) {
		if !json.Valid([]byte(x)) || !json.Valid([]byte(y)) {
			return
		}
		a, b := parse(t, x), parse(t, y)
		changes, _ := Objects(a, b)
		if m, _ := a.(map[string]any); m["kind"] == "Secret" {
			return
		}
		if m, _ := b.(map[string]any); m["kind"] == "Secret" {
			return
		}
		for _, c := range changes {
			_ = told(c)
		}
		if have := applied(a, changes, 0); !reflect.DeepEqual(have, b) {
			t.Fatalf("%v and not %v, by %+v", have, b, changes)
		}
	})
}
