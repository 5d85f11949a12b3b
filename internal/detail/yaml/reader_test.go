package yaml

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

// sample has what kubectl prints, all of it.
const sample = `apiVersion: v1
data:
  script: |
    #!/bin/sh
    key: no key

    - no dash
  one: '1'
  two: "a\tb
    c"
  long: words that
    go on: not
  ? very-long
  : x
kind: ConfigMap
list:
- name: web
  ports:
  - 80
  - -1.5e3
- name: side
  image: x # y
empty: {}
yes: true
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

func read(text string) *Reader {
	r := NewReader()
	r.Show(text, time.Time{})
	return r
}

func TestLooks(t *testing.T) {
	have := marked(read(sample).Window(0, 100))
	const want = `  1  <key apiVersion><mark : >v1
  2- <key data><mark :>
  3-   <key script><mark : ><mark |>
  4  <block     #!/bin/sh>
  5  <block     key: no key>
  6  
  7  <block     - no dash>
  8    <key one><mark : ><quoted '1'>
  9-   <key two><mark : ><quoted "a\tb>
 10  <quoted     c">
 11-   <key long><mark : >words that
 12      go on: not
 13-   <mark ? ><key very-long>
 14    <mark : >x
 15  <key kind><mark : >ConfigMap
 16- <key list><mark :>
 17- <mark - ><key name><mark : >web
 18-   <key ports><mark :>
 19    <mark - ><number 80>
 20    <mark - ><number -1.5e3>
 21- <mark - ><key name><mark : >side
 22    <key image><mark : >x <comment # y>
 23  <key empty><mark : ><mark {}>
 24  <key yes><mark : ><word true>
 25  <key none><mark : ><word null>
`
	if have != want {
		t.Errorf("have\n%s\nwant\n%s", have, want)
	}
}

// TestLookOf shows which words look like numbers: those that are, not versions and addresses.
func TestLookOf(t *testing.T) {
	for text, want := range map[string]Look{"80": Number, "-1.5e3": Number, "1e+6": Number, ".5": Number, "4.7.2": Plain, "10.0.0.1": Plain, "2026-11-22": Plain, "e": Plain, "-": Plain, "true # yes": Word, "~": Word, "a1": Plain} {
		if got := lookOf(text); got != want {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
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
	r.Turn(1)
	if r.Rows() != 30 {
		t.Error(r.Rows())
	}
	r.Show(strings.Replace(annotations(25), "key-7: value", "key-7: other", 1), time.Time{}) // and stays
	if r.Rows() != 30 || marked(r.Window(9, 1)) != " 10      <key key-7><mark : >other *\n" {
		t.Error(r.Rows(), marked(r.Window(9, 1)))
	}
	if line := r.Turn(9); line != 1 || r.Rows() != 5 || marked(r.Window(1, 1)) != "  2+   <key annotations><mark :><more  … 25 keys, 25 lines> *\n" {
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
		var text strings.Builder
		for i := range random.IntN(30) {
			line := []string{"%d: b", "- x", "%d:", "%d: |", `%d: "`, "%d: " + strings.Repeat("né漢 ", random.IntN(700)), "", "? %d", ": y"}[random.IntN(9)]
			text.WriteString(strings.Repeat(" ", random.IntN(4)) + strings.Replace(line, "%d", fmt.Sprint("a", i), 1) + "\n")
		}
		r := read(text.String())
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
			if have != r.Text().Line(i) {
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
	rows := read("a: x\u202ey\tz\u2066\x1b[31m\u00a0\n").Window(0, 1)
	var have []string
	for _, s := range rows[0].Spans {
		have = append(have, s.Look+" "+s.Text)
	}
	want := []string{"y-key a", "y-mark : ", " x", "y-control ‹U+202E›", " y", "y-control ⇥   ", " z", "y-control ‹U+2066›", "y-control ␛", " [31m\u00a0"}
	if !slices.Equal(have, want) {
		t.Errorf("%q", have)
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
      value: '1'
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
		{"a value deep down", "'1'", "'2'", []string{"      value: '2'"}},
		{"another kind of value", "    a: x\n", "    a:\n    - x\n", []string{"    a:", "    - x"}},
		{"a renamed element", "    name: side\n", "    name: other\n", []string{"  - image: side:1", "    name: other"}},
		{"a map emptied", "  annotations:\n    a: x\n", "  annotations: {}\n", []string{"  annotations: {}"}},
	} {
		after := Parse(strings.Replace(before, c.from, c.to, 1))
		var have []string
		for _, i := range Changed(Parse(before), after) {
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

func BenchmarkParse(b *testing.B) {
	text := large(10_000)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		Parse(text)
	}
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
	x, y := Parse(before), Parse(strings.Replace(before, "key-05000: some", "key-05000: other", 1))
	for b.Loop() {
		if n := len(Changed(x, y)); n != 1 {
			b.Fatal(n)
		}
	}
}

func BenchmarkShow(b *testing.B) {
	before := large(10_000)
	after := strings.Replace(before, "key-05000: some", "key-05000: other", 1)
	r := read(before)
	for i := 0; b.Loop(); i++ {
		r.Show([]string{after, before}[i%2], time.Time{})
	}
}
