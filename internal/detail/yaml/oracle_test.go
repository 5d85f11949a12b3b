//go:build !js

package yaml

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	yamlv3 "go.yaml.in/yaml/v3"
	sigs "sigs.k8s.io/yaml"
)

// places are where keys and elements begin, as "line:column", by the parser of YAML.
func places(t *testing.T, text string) map[string]string {
	t.Helper()
	var doc yamlv3.Node
	if err := yamlv3.Unmarshal([]byte(text), &doc); err != nil {
		t.Fatal(err)
	}
	out := make(map[string]string)
	var walk func(n *yamlv3.Node)
	walk = func(n *yamlv3.Node) {
		for i, c := range n.Content {
			switch n.Kind {
			case yamlv3.MappingNode:
				if i%2 == 0 {
					out[fmt.Sprintf("key %d:%d", c.Line, c.Column)] = c.Value
				}
			case yamlv3.SequenceNode:
				out[fmt.Sprintf("item %d:%d", c.Line, c.Column)] = c.Value
			}
			walk(c)
		}
	}
	walk(&doc)
	return out
}

// ours are the same, by Write.
func ours(y *YAML) map[string]string {
	out := make(map[string]string)
	for _, n := range y.nodes[1:] {
		kind := map[bool]string{true: "item", false: "key"}[n.item]
		before := y.Line(int(n.first))[:n.at-y.lines[n.first].at]
		out[fmt.Sprintf("%s %d:%d", kind, n.first+1, len([]rune(before))+1)] = ""
	}
	return out
}

func check(t *testing.T, value any) {
	t.Helper()
	doc, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	y, err := Write(doc, most)
	if err != nil {
		t.Fatal(err)
	}
	text := y.Text()
	want, have := places(t, text), ours(y)
	var wrong []string
	for at, name := range want {
		if _, ok := have[at]; !ok {
			wrong = append(wrong, fmt.Sprintf("%s %q is not seen", at, name))
		}
	}
	for at := range have {
		if _, ok := want[at]; !ok {
			wrong = append(wrong, at+" is seen, and is none")
		}
	}
	if slices.Sort(wrong); len(wrong) > 0 {
		t.Fatalf("%s\nin %q\n%s", strings.Join(wrong, "\n"), text, text)
	}
}

// parts are what texts from a cluster are made of that YAML has trouble with.
var parts = []string{
	"a", "web", "key: value", "- x", "? y", ": z", "\n", "\n\n", " ", "  ", "\t", "#", " # no comment", "'", `"`, `\`, "|", ">", "|-", "{}", "[", "&a", "*a", "!t", "%", "@", "`",
	"true", "null", "~", "1", "1e3", "0x1f", "-", "---", "...", "é", "漢字", "\u2028", "\u2029", "\u0085", "\ufeff", "\u202e", "\u200b", "\x00", "\x1b[31m", "\r", "<script>alert(1)</script>", "javascript:alert(1)",
	strings.Repeat("long words that fold ", 9), strings.Repeat("x", 140), "apiVersion: v1\nkind: Pod\n", "key: |\n  text\n",
}

func randomText(r *rand.Rand) string {
	var out strings.Builder
	for range r.IntN(6) {
		out.WriteString(parts[r.IntN(len(parts))])
	}
	return out.String()
}

func randomValue(r *rand.Rand, depth int) any {
	switch n := r.IntN(9); {
	case n < 3 && depth > 0:
		out := map[string]any{}
		for range r.IntN(5) {
			out[randomText(r)] = randomValue(r, depth-1)
		}
		return out
	case n < 5 && depth > 0:
		var out []any
		for range r.IntN(5) {
			out = append(out, randomValue(r, depth-1))
		}
		return out
	case n == 5:
		return json.Number(fmt.Sprint(r.Int64()))
	case n == 6:
		return []any{true, false, nil, 1.5e300, map[string]any{}, []any{}}[r.IntN(6)]
	}
	return randomText(r)
}

// printed is a value as kubectl prints it, where it can.
func printed(value any) (string, bool) {
	out, err := sigs.Marshal(value)
	return string(out), err == nil
}

// TestPlaces holds that every key and every element is seen where it is, and nothing
// where there is only text.
func TestPlaces(t *testing.T) {
	seen := 0
	for seed := range uint64(6000) {
		r := rand.New(rand.NewPCG(7, seed))
		value := map[string]any{"spec": randomValue(r, 4), "a": randomValue(r, 3)}
		text, ok := printed(value)
		var doc any
		if !ok || yamlv3.Unmarshal([]byte(text), &doc) != nil {
			continue // the printer has faults of its own
		}
		seen++
		check(t, value)
	}
	if seen < 4500 {
		t.Errorf("%d texts can be read", seen)
	}
}

// FuzzPlaces holds the same of any text, as a key and as a value.
func FuzzPlaces(f *testing.F) {
	for _, p := range parts {
		f.Add(p, p+p)
	}
	f.Fuzz(func(t *testing.T, name, text string) {
		name, text = strings.ToValidUTF8(name, "?"), strings.ToValidUTF8(text, "?")
		value := map[string]any{"a": text, name: []any{text, map[string]any{name: text, text: name}}, "z": map[string]any{text: text}}
		out, ok := printed(value)
		var doc any
		if ok && yamlv3.Unmarshal([]byte(out), &doc) == nil {
			check(t, value)
		}
	})
}
