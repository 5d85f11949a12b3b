package yaml

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	sigs "sigs.k8s.io/yaml"
)

// sample has what kubectl prints, all of it.
var sample = `apiVersion: v1
data:
  script: |
    #!/bin/sh
    key: no key

    - no dash
  one: "1"
  three: 'it''s: x'
  two: "a\t` + strings.Repeat("b", 80) + ` c"
  long: "` + strings.Repeat("w", 80) + ` goes on"
  ? ` + strings.Repeat("k", 130) + `
  : x
kind: ConfigMap
list:
- name: web
  ports:
  - 80
  - -1.5
- image: 'x # y'
  name: side
- 1e2
empty: {}
"yes": true
none: null
`

// marked is a window as text, each piece within its look.
func marked(rows []Row) string {
	var out strings.Builder
	for _, r := range rows {
		fmt.Fprintf(&out, "%3d%s", r.Line+1, map[Fold]string{NoFold: "  ", Unfolded: "- ", Folded: "+ "}[r.Fold])
		for _, s := range r.Spans {
			if s.Look == "" {
				out.WriteString(s.Text)
			} else {
				fmt.Fprintf(&out, "<%s %s>", strings.TrimPrefix(s.Look, "y-"), s.Text)
			}
		}
		if r.Fresh {
			out.WriteString(" *")
		}
		out.WriteByte('\n')
	}
	return out.String()
}

// asJSON is a YAML in JSON.
func asJSON(text string) []byte {
	doc, err := sigs.YAMLToJSON([]byte(text))
	if err != nil {
		panic(err)
	}
	return doc
}

func read(text string) *Reader {
	r := NewReader()
	if err := r.Show(asJSON(text), time.Time{}); err != nil {
		panic(err)
	}
	return r
}

func yamlOf(text string) *YAML { return read(text).Text() }

func TestLooks(t *testing.T) {
	have := marked(read(sample).Window(0, 100))
	have = strings.NewReplacer(strings.Repeat("b", 80), "b…", strings.Repeat("w", 80), "w…", strings.Repeat("k", 130), "k…").Replace(have)
	const want = `  1  <key apiVersion><mark : >v1
  2- <key data><mark :>
  3-   <mark ? ><key k…>
  4    <mark : >x
  5-   <key long><mark : >w…
  6      goes on
  7    <key one><mark : ><quoted "1">
  8-   <key script><mark : ><mark |>
  9  <block     #!/bin/sh>
 10  <block     key: no key>
 11  
 12  <block     - no dash>
 13    <key three><mark : ><quoted 'it''s: x'>
 14-   <key two><mark : ><quoted "a\tb…>
 15  <quoted     c">
 16  <key empty><mark : ><mark {}>
 17  <key kind><mark : >ConfigMap
 18- <key list><mark :>
 19- <mark - ><key name><mark : >web
 20-   <key ports><mark :>
 21    <mark - ><number 80>
 22    <mark - ><number -1.5>
 23- <mark - ><key image><mark : ><quoted 'x # y'>
 24    <key name><mark : >side
 25  <mark - ><number 100>
 26  <key none><mark : ><word null>
 27  <key "yes"><mark : ><word true>
`
	if have != want {
		t.Errorf("have\n%s\nwant\n%s", have, want)
	}
}

// TestNumbers shows which values look like numbers: those that are, not versions and addresses.
func TestNumbers(t *testing.T) {
	r := NewReader()
	if err := r.Show([]byte(`{"a":[80,-1.5e3,1e21,0.5,"4.7.2","10.0.0.1","7e","80","2026-11-22","e","true",true]}`), time.Time{}); err != nil {
		t.Fatal(err)
	}
	const want = `  1- <key a><mark :>
  2  <mark - ><number 80>
  3  <mark - ><number -1500>
  4  <mark - ><number 1e+21>
  5  <mark - ><number 0.5>
  6  <mark - >4.7.2
  7  <mark - >10.0.0.1
  8  <mark - >7e
  9  <mark - ><quoted "80">
 10  <mark - ><quoted "2026-11-22">
 11  <mark - >e
 12  <mark - ><quoted "true">
 13  <mark - ><word true>
`
	if have := marked(r.Window(0, 20)); have != want {
		t.Error(have)
	}
}

func annotations(n int) string {
	var out strings.Builder
	out.WriteString("metadata:\n  annotations:\n")
	for i := range n {
		fmt.Fprintf(&out, "    key-%d: value\n", i)
	}
	return out.String() + "  name: web\nspec:\n  replicas: 1\n"
}

func TestFolds(t *testing.T) {
	r := read(annotations(25))
	if have := marked(r.Window(1, 2)); have != "  2+   <key annotations><mark :><more  … 25 keys, 25 lines>\n 28    <key name><mark : >web\n" {
		t.Error(have)
	}
	if n := read(annotations(15)).Rows(); n != 20 {
		t.Error(n)
	}
	r.ToggleFold(1)
	if r.Rows() != 30 {
		t.Error(r.Rows())
	}
	r.Show(asJSON(strings.Replace(annotations(25), "key-7: value", "key-7: other", 1)), time.Time{}) // and stays
	if r.Rows() != 30 || marked(r.Window(9, 1)) != " 10      <key key-7><mark : >other *\n" {
		t.Error(r.Rows(), marked(r.Window(9, 1)))
	}
	if line := r.ToggleFold(9); line != 1 || r.Rows() != 5 || marked(r.Window(1, 1)) != "  2+   <key annotations><mark :><more  … 25 keys, 25 lines> *\n" {
		t.Error(line, marked(r.Window(0, 9)))
	}
	if r.Fade(time.Time{}.Add(FreshFor - 1)) {
		t.Error("faded")
	}
	if !r.Fade(time.Time{}.Add(FreshFor)) || strings.Contains(marked(r.Window(0, 9)), "*") || r.Fade(time.Time{}.Add(FreshFor)) {
		t.Error("not faded")
	}
	r.FoldAll(false)
	if r.Rows() != 30 {
		t.Error(r.Rows())
	}
	r.FoldAll(true)
	if have := marked(r.Window(0, 9)); strings.Count(have, "\n") != 5 {
		t.Error(have)
	}
	long := read("data:\n  a: |\n    " + strings.Repeat("x", 3000) + "\n  b: c\n")
	if have := marked(long.Window(1, 1)); have != "  2+   <key a><mark : ><mark |><more  … 1 line, 3 KB>\n" {
		t.Error(have)
	}
}

func TestFind(t *testing.T) {
	r := read(annotations(25))
	if row := r.Find("KEY-7", 0); row != -1 {
		t.Error(row)
	}
	if row := r.Find("key-2", 0); row != 4 || r.Rows() != 30 {
		t.Error(row)
	}
	at, all := r.Hits()
	if at != 1 || all != 6 {
		t.Error(at, all)
	}
	if have := marked(r.Window(4, 1)); have != "  5      <key hit current key-2><mark : >value\n" {
		t.Error(have)
	}
	if row := r.Next(-1); row != 26 {
		t.Error(row)
	}
	if row := r.Next(1); row != 4 {
		t.Error(row)
	}
	if row := r.Find("y-24: VAL", 0); row != -1 {
		t.Error(row)
	}
	r.Find("y-24: val", 0)
	if have := marked(r.Window(26, 1)); have != " 27      <key ke><key hit current y-24><mark hit current : ><hit current val>ue\n" {
		t.Error(have)
	}
	far := read("a: " + strings.Repeat("x", 5000) + "needle" + strings.Repeat("y", 5000) + "\n")
	if far.Find("needle", 0); !strings.Contains(marked(far.Window(0, 1)), "needle>") {
		t.Error("a hit far behind does not show")
	}
}

// TestRows holds that rows, put together, are the text.
func TestRows(t *testing.T) {
	for seed := range uint64(300) {
		random := rand.New(rand.NewPCG(3, seed))
		r, doc := NewReader(), map[string]any{}
		for i := range random.IntN(30) {
			doc[fmt.Sprint("a", i)] = []any{"b", []any{"x", map[string]any{}}, nil, "a\n\nb\n", "\t\x00", strings.Repeat("né漢 ", random.IntN(700)), strings.Repeat("x\u2028", 9), " c"}[random.IntN(8)]
		}
		text, err := json.Marshal(doc)
		if err := errors.Join(err, r.Show(text, time.Time{})); err != nil {
			t.Fatal(err)
		}
		r.FoldAll(false)
		r.Find("a", 0)
		r.Wrap(1 + random.IntN(90))
		lines := make([]string, r.Text().Lines())
		for at := 0; at < r.Rows(); at += 7 {
			for _, row := range r.Window(at, 7) {
				for _, s := range row.Spans {
					lines[row.Line] += s.Text
				}
			}
		}
		for i, have := range lines {
			if have != Visible(r.Text().Line(i)) {
				t.Fatalf("line %d is %q and shown as %q", i, r.Text().Line(i), have)
			}
		}
	}
}

func TestClipped(t *testing.T) {
	r := read("a: \"" + strings.Repeat("x", 5000) + "\"\nb: c\n")
	rows := r.Window(0, 9)
	if last := rows[0].Spans[len(rows[0].Spans)-1]; last.Text != " … 4 KB more" || len(rows) != 2 {
		t.Error(last, len(rows))
	}
	r.Wrap(100)
	if r.Rows() != 52 || r.RowOf(1, 0) != 51 || r.LineOf(51) != 1 || r.Window(3, 1)[0].First {
		t.Error(r.Rows(), r.RowOf(1, 0))
	}
}

func TestControls(t *testing.T) {
	var have []string
	for _, s := range appendShown(nil, "x\u202ey\tz\u2066\x1b[31m\u00a0", "y-block") {
		have = append(have, s.Look+" "+s.Text)
	}
	want := []string{"y-block x", "y-block y-control ‹U+202E›", "y-block y", "y-block y-control ⇥   ", "y-block z", "y-block y-control ‹U+2066›", "y-block y-control ␛", "y-block [31m\u00a0"}
	if !slices.Equal(have, want) {
		t.Errorf("%q", have)
	}
	if have := marked(read("a: x\u202ey\n").Window(0, 1)); have != "  1  <key a><mark : >x<control ‹U+202E›>y\n" {
		t.Error(have)
	}
}

func TestChanged(t *testing.T) {
	const before = `metadata:
  annotations:
    a: x
spec:
  args:
  - --one
  - --two
  containers:
  - env:
    - name: A
      value: "1"
    image: web:1
    name: web
  - image: side:1
    name: side
  script: |
    one
    two
    three
`
	for _, c := range []struct {
		name, from, to string
		want           []string
	}{
		{"a value", "web:1", "web:2", []string{"    image: web:2"}},
		{"a new element before", "  containers:\n", "  containers:\n  - image: new:1\n    name: new\n", []string{"  - image: new:1", "    name: new"}},
		{"a new key", "    a: x\n", "    a: x\n    b: \"y\"\n", []string{"    b: \"y\""}},
		{"a removed key", "    image: web:1\n", "", nil},
		{"an argument before", "  - --one\n", "  - --zero\n  - --one\n", []string{"  - --zero"}},
		{"an argument", "--two", "--three", []string{"  - --three"}},
		{"a line of a text", "    two\n", "    zwei\n", []string{"    zwei"}},
		{"a new line of a text", "    two\n", "    two\n    twoo\n", []string{"    twoo"}},
		{"a value deep down", `"1"`, `"2"`, []string{`      value: "2"`}},
		{"another kind of value", "    a: x\n", "    a:\n    - x\n", []string{"    a:", "    - x"}},
		{"a renamed element", "    name: side\n", "    name: other\n", []string{"  - image: side:1", "    name: other"}},
		{"a map emptied", "  annotations:\n    a: x\n", "  annotations: {}\n", []string{"  annotations: {}"}},
	} {
		after := yamlOf(strings.Replace(before, c.from, c.to, 1))
		var have []string
		for _, i := range Changed(yamlOf(before), after) {
			have = append(have, after.Line(i))
		}
		if !slices.Equal(have, c.want) {
			t.Errorf("%s: %q", c.name, have)
		}
	}
}

// large is an object of a megabyte, of so many keys.
func large(keys int) string {
	var out strings.Builder
	out.WriteString("apiVersion: v1\ndata:\n")
	for i := range keys {
		fmt.Fprintf(&out, "  key-%05d: %s\n", i, strings.Repeat("some text ", max(1_000_000/keys/10-2, 1)))
	}
	return out.String() + "kind: ConfigMap\n"
}

func BenchmarkWindow(b *testing.B) {
	r := read(large(10_000))
	r.FoldAll(false)
	r.Find("text", 0)
	for b.Loop() {
		if n := len(r.Window(5_000, 60)); n != 60 {
			b.Fatal(n)
		}
	}
}

func BenchmarkWindowOfOneLine(b *testing.B) {
	r := read("a: \"" + strings.Repeat("some text ", 100_000) + "\"\n")
	r.Wrap(100)
	for b.Loop() {
		if n := len(r.Window(5_000, 60)); n != 60 {
			b.Fatal(n)
		}
	}
}

func BenchmarkChanged(b *testing.B) {
	before := large(10_000)
	x, y := yamlOf(before), yamlOf(strings.Replace(before, "key-05000: some", "key-05000: other", 1))
	for b.Loop() {
		if n := len(Changed(x, y)); n != 1 {
			b.Fatal(n)
		}
	}
}

func BenchmarkShow(b *testing.B) {
	before := large(10_000)
	after := strings.Replace(before, "key-05000: some", "key-05000: other", 1)
	r, docs := read(before), [][]byte{asJSON(after), asJSON(before)}
	for i := 0; b.Loop(); i++ {
		r.Show(docs[i%2], time.Time{})
	}
}

// TestLevels shows the deepest objects, and a change at their end. Deeper ones are refused.
func TestLevels(t *testing.T) {
	nested := func(open, shut string, levels int, value string) []byte {
		return []byte(`{"a":` + strings.Repeat(open, levels) + value + strings.Repeat(shut, levels) + `}`)
	}
	for open, shut := range map[string]string{"[": "]", `{"a":`: "}", `[{"a":`: "}]", `[[],`: "]"} {
		levels := (maxDepth - 2) / len(shut)
		r := NewReader()
		for _, value := range []string{"1", `"two"`} {
			if err := r.Show(nested(open, shut, levels, value), time.Time{}); err != nil {
				t.Fatalf("%s: %v", open, err)
			}
			r.FoldAll(true)
			r.Find("a", 0)
			r.Window(0, 100)
		}
		if err := r.Show(nested(open, shut, 20*maxDepth, "1"), time.Time{}); !errors.Is(err, ErrTooLarge) {
			t.Errorf("%s, too deep: %v", open, err)
		}
	}
}
