//go:build !js

package yaml

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"
)

// kubectl writes an object like kubectl.
func kubectl(doc []byte) ([]byte, error) {
	var obj map[string]any
	if err := utiljson.Unmarshal(doc, &obj); err != nil {
		return nil, err
	}
	return yaml.Marshal(&unstructured.Unstructured{Object: obj})
}

// most is more bytes than any text here has.
const most = 64 << 20

// written returns a document as YAML.
func written(doc []byte) ([]byte, error) {
	y, err := Write(doc, most)
	if err != nil {
		return nil, err
	}
	return []byte(y.Text()), nil
}

// awkward are strings that YAML could read as something else.
var awkward = []string{
	`""`, `" "`, `"yes"`, `"no"`, `"on"`, `"y"`, `"~"`, `"null"`, `"true"`, `"1"`, `"01"`, `"0x1f"`, `"0b1"`, `"0b-1"`, `"-0b1"`, `"0o7"`, `"1e3"`, `"1e999"`, `"1_000"`, `"1:30"`, `"-1:30.5"`, `"1:75"`, `".5"`, `"+.5"`, `".5e"`, `"5."`, `".inf"`, `"-.Inf"`, `".nan"`, `"-"`, `"+"`, `"."`, `"- a"`, `"-a"`, `"a: b"`, `"a:"`, `":a"`, `"a #b"`, `"a# b"`, `"#"`, `"?"`, `"? a"`, `"?a"`, `"!x"`, `"&x"`, `"*x"`, `"%x"`, `"@x"`, `"|"`, `">"`, "\"`\"", `"'"`, `"'a' b"`, `"it's #1: 'so'"`, `"\""`, `"{}"`, `"[]"`, `"a, b"`, `", b"`, `"<<"`, `"="`, `"---"`, `"--- a"`, `"..."`, `"18446744073709551615"`, `"18446744073709551616"`, `"00000000000000000000000000000001"`, `"9999999999999999999999999"`,
	`"2026-11-22"`, `"2026-1-2"`, `"2026-13-22"`, `"2026-11-22T01:02:03Z"`, `"2026-11-22t01:02:03.5+02:00"`, `"2026-11-22 01:02:03,5"`, `"2026-"`, `"a\nb"`, `"a\nb\n"`, `"a\n\n"`, `"\n"`, `"\na"`, `" a\nb"`, `"a \nb"`, `"a\n b"`, `"a\nb "`, `"a\r\nb"`, `"\t"`, `"a\tb"`, `"\ta\n b"`, `"\u0000\u001b[31m"`, `"<script>&"`, `"\u202e\u2066"`, `"grüße 世界 😀"`, `"\ud83d\ude00"`, `"\ud83d"`, `"\ud83d\u0041"`, `"\/\b\f\n\r\t"`, `"a\u2028b"`, `"a\u2028 b"`, `"\u2029a\n"`, `"a\n\u2028"`, `"` + strings.Repeat("word ", 100) + `"`, `"` + strings.Repeat("# it's ", 40) + `"`, `"` + strings.Repeat("a: \\u0001 ", 40) + `"`, `"` + strings.Repeat("世界: ", 60) + `"`, `"` + strings.Repeat("a  b ", 60) + `"`, `"` + strings.Repeat("a", 5000) + `"`, `"` + strings.Repeat("a b\\n", 500) + `"`,
	`0`, `-0`, `-0.0`, `1`, `-1`, `9223372036854775807`, `-9223372036854775808`, `9223372036854775808`, `18446744073709551615`, `18446744073709551616`, `1.0`, `1.5`, `1e3`, `1e-3`, `-1E+3`, `1000000.0`, `1e6`, `1e20`, `1e21`, `1e-7`, `0.1`, `123456789.125`, `1e308`, `5e-324`, `1e-999`,
	`true`, `false`, `null`, `{}`, `[]`, `[[]]`, `[{}]`, `[[1,[2]],{"a":[]}]`, `[[[{"b":1,"a":[[]]},2],"x"],{"c":[[1],[2]]}]`, `{"b":1,"a":{"d":[],"c":{}},"a10":1,"a9":1,"A":1,"":1,"<<":{"x":1},"1":1,"true":1,"a/b.c":1}`,
	`{"a01":1,"a1":2,"a001":3,"a10":4,"a010":5,"a0":6,"a00":7,"b-1":8,"b1":9,"ä":10,"z":11,"é1":12,"_":13,"~":14,"٣":15,"99999999999999999999":16,"9":17}`,
	`{"a":1,"a":{"b":[2]},"\u0061":[3]}`, `{"a\nb":1,"a\nb\n":{"c":[1]}," a":[1],"? a":{},"- b":[],"` + strings.Repeat("k", 128) + `":[1],"` + strings.Repeat("k", 129) + `":{"a":[[1],{"b":2}]},"` + strings.Repeat("é ", 70) + `":"x","a\u2028b":[{}],"\"":1,"a: b":2,"x #y":3,"1.5":4,"2026-11-22":5,"it's":6,"\u0007":7}`,
}

// TestWrite compares the YAML of objects with kubectl's.
func TestWrite(t *testing.T) {
	for _, value := range awkward {
		deep := value
		for range 50 {
			deep = `{"a":[` + deep + `]}`
		}
		doc := []byte(` {"kind":"Thing","apiVersion":"v1","metadata":{"name":"x","creationTimestamp":null},"spec":{"value": ` + value + ` ,"list":[ ` + value + ` , {"deep":` + value + `}],"deep":` + deep + "}}\n")
		want, err := kubectl(doc)
		if err != nil {
			t.Fatalf("%s: %v", value, err)
		}
		if have, err := written(doc); err != nil || !bytes.Equal(have, want) {
			t.Errorf("%s: %v\nhave %s\nwant %s", value, err, have, want)
		}
	}
}

// random returns documents of awkward strings.
type random struct{ *rand.Rand }

// pieces are the parts of random strings.
var pieces = []string{
	" ", " ", " ", "a", "b", "word", "A", "é", "世", "😀", ":", ": ", "#", " #", "-", "- ", "?", ",", "[", "]", "{", "}", "'", `\"`, `\\`, "&", "*", "!", "|", ">", "%", "@", "`", "=", "~", ".", "...", "---",
	`\n`, `\n`, `\n\n`, `\t`, `\r`, `\u2028`, `\u0000`, `\u001b`, "\u00a0", "0", "1", "9", "12", "_", "e", "x", "T", "Z", "2026-11-22", "12:30",
}

func (r random) text() string {
	var b strings.Builder
	b.WriteByte('"')
	for range r.IntN(1 << r.IntN(8)) {
		b.WriteString(pieces[r.IntN(len(pieces))])
	}
	b.WriteByte('"')
	return b.String()
}

func (r random) value(depth int) string {
	kind := r.IntN(10)
	if depth == 0 {
		kind = r.IntN(7)
	}
	var members []string
	switch kind {
	default:
		return r.text()
	case 5, 6:
		return awkward[r.IntN(len(awkward))]
	case 7:
		for range r.IntN(4) {
			members = append(members, r.value(depth-1))
		}
		return "[" + strings.Join(members, ",") + "]"
	case 8, 9:
		for range r.IntN(4) {
			members = append(members, r.text()+":"+r.value(depth-1))
		}
		return "{" + strings.Join(members, ", ") + "}"
	}
}

// TestRandom compares many documents with kubectl: strings of every length, at every depth.
func TestRandom(t *testing.T) {
	r := random{rand.New(rand.NewPCG(1, 2))}
	for range 5_000 {
		doc := []byte(`{"kind":"Thing","spec":` + r.value(12) + `,` + r.text() + `:` + r.value(8) + `}`)
		want, err := kubectl(doc)
		if err != nil {
			t.Fatalf("%v: %s", err, doc)
		}
		if have, err := written(doc); err != nil || !bytes.Equal(have, want) {
			t.Fatalf("%v: %s\nhave %s\nwant %s", err, doc, have, want)
		}
	}
}

// TestWriteWhole shows that values that kubectl cannot print, or changes, are written in full.
func TestWriteWhole(t *testing.T) {
	for _, value := range []string{"a\x7fb", "a\u0085b", "a\u0090b", "\ufeffa", "a\ufffeb"} {
		have, err := written([]byte(`{"kind":"Thing","value":"` + value + `"}`))
		if err != nil {
			t.Fatalf("%q: %v", value, err)
		}
		var back struct{ Value string }
		if err := yaml.Unmarshal(have, &back); err != nil || back.Value != value {
			t.Errorf("%q became %q: %v", value, have, err)
		}
	}
}

// TestBounds shows that the limit holds for a small, deep document and for a single long string.
func TestBounds(t *testing.T) {
	const bound = 1 << 20
	for name, doc := range map[string]string{
		"depth":       strings.Repeat(`{"a":`, maxDepth-1) + `[` + strings.Repeat("1,", 2*bound/maxDepth) + `1]` + strings.Repeat(`}`, maxDepth-1),
		"a text":      `{"a":"` + strings.Repeat("a", bound) + `"}`,
		"escapes":     `{"a":"` + strings.Repeat("\x7f", bound/4) + `"}`,
		"lines":       `{"a":"` + strings.Repeat(`a\n`, bound/4) + `"}`,
		"quotes":      `{"a":"# ` + strings.Repeat(`'`, bound/2) + `"}`,
		"a key":       `{"` + strings.Repeat("a", bound) + `":1}`,
		"many values": `{"a":[` + strings.Repeat("{},", bound/5) + `{}]}`,
	} {
		d, err := parse([]byte(doc))
		if err != nil {
			t.Fatal(name, err)
		}
		w := newWriter(d, bound)
		if w.all(); !errors.Is(w.err, ErrTooLarge) || len(w.out) > bound+bound/8 {
			t.Errorf("%s: %d bytes, %v", name, len(w.out), w.err)
		}
	}
	for _, doc := range []string{
		"[" + strings.Repeat("0,", MaxValues) + "0]", "[" + strings.Repeat("[],", MaxValues) + "0]",
		strings.Repeat("[", maxDepth) + strings.Repeat("]", maxDepth), strings.Repeat("[", 1<<20),
	} {
		if _, err := parse([]byte(`{"a":` + doc + `}`)); !errors.Is(err, ErrTooLarge) {
			t.Errorf("%.9s…: %v", doc, err)
		}
	}
}

// TestMalformed shows which documents are refused.
func TestMalformed(t *testing.T) {
	for _, doc := range []string{"", " ", "1", `"a"`, "[]", "{", `{"a":1,}`, `{"a":1}{}`} {
		if _, err := parse([]byte(doc)); !errors.Is(err, ErrMalformed) {
			t.Errorf("%.20s: %v", doc, err)
		}
	}
	if _, err := written([]byte(`{"a":1e999}`)); !errors.Is(err, ErrMalformed) {
		t.Errorf("a number that is too large: %v", err)
	}
}

// TestOrder shows that keys that kubectl prints in random order are printed once and always in the
// same order, and that the last of equal keys stays.
func TestOrder(t *testing.T) {
	for range 20 {
		a, err := written([]byte(`{"a001":0,"a01a1":0,"a10":0,"a010":0,"a01a1":2,"a001":3,"a10":4,"a010":5}`))
		b, also := written([]byte(`{"a010":0,"a001":3,"a10":4,"a01a1":2,"a010":5}`))
		if err != nil || also != nil || !bytes.Equal(a, b) || bytes.Count(a, []byte("\n")) != 4 || bytes.Contains(a, []byte(": 0")) {
			t.Fatalf("%v %v\n%s\n%s", err, also, a, b)
		}
	}
}

// TestDeep writes a document of the maximum depth.
func TestDeep(t *testing.T) {
	doc := []byte(`{"a":` + strings.Repeat("[", maxDepth-2) + `{"b":1},2` + strings.Repeat("]", maxDepth-2) + `}`)
	want, err := kubectl(doc)
	if err != nil {
		t.Fatal(err)
	}
	if have, err := written(doc); err != nil || !bytes.Equal(have, want) {
		t.Errorf("%v: %d bytes, want %d", err, len(have), len(want))
	}
}

// BenchmarkWrite writes documents of a megabyte. A deep one must cost no more than a flat one: no
// part is scanned once per level.
func BenchmarkWrite(b *testing.B) {
	var keys strings.Builder
	for i := range 70_000 { // in the order in which Go writes a map
		fmt.Fprintf(&keys, `"key-%d":%d,`, i, i)
	}
	for name, doc := range map[string]string{
		"empty": `{"a":[` + strings.Repeat("{},", 280_000) + `{}]}`,
		"keys":  `{` + keys.String() + `"a":1}`,
		"text":  `{"a":"` + strings.Repeat("word ", 200_000) + `"}`,
		"deep":  `{"a":` + strings.Repeat("[", maxDepth-1) + `"` + strings.Repeat("a", 1_000_000) + `"` + strings.Repeat("]", maxDepth-1) + `}`,
		"pods":  `{"items":[` + strings.Repeat(`{"kind":"Pod","metadata":{"name":"web-5d9c-x2x1","labels":{"app":"web","tier":"front"},"creationTimestamp":"2026-11-22T01:02:03Z"},"spec":{"containers":[{"name":"main","image":"registry.example/app:1","ports":[{"containerPort":8080}],"resources":{}}]}},`, 3_700) + `{}]}`,
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(doc)))
			for b.Loop() {
				if _, err := Write([]byte(doc), most); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// FuzzParse checks that parse accepts the same objects as encoding/json, up to its limits.
func FuzzParse(f *testing.F) {
	for _, value := range awkward {
		f.Add([]byte(`{"a":` + value + `}`))
	}
	for _, doc := range []string{"null", " {} ", `{"a":[1,]}`, `{"a":1,}`, `{"a" 1}`, `{a:1}`, `{"a":01}`, `{"a":-}`, `{"a":1.}`, `{"a":.1}`, `{"a":1e}`, `{"a":+1}`, `{"a":nul}`, `{"a":"\x"}`, `{"a":"\u12g4"}`, "{\"a\":\"\n\"}", `{"a":[}`, `{"a":{]}`, `{"a":1}}`, `{"a":1}]`, `{"a":"`, `{"a":"\`, `{"a":"\u1`, `{"a":tru`, `{"a":1`, "{\"a\":1}\x00", "\ufeff{}"} {
		f.Add([]byte(doc))
	}
	f.Fuzz(func(t *testing.T, doc []byte) {
		_, err := parse(doc)
		begins := bytes.TrimLeft(doc, " \t\r\n")
		object := json.Valid(doc) && (begins[0] == '{' || begins[0] == 'n')
		if !errors.Is(err, ErrTooLarge) && (err != nil) == object {
			t.Fatalf("%q: %v", doc, err)
		}
	})
}

// FuzzWrite compares the YAML of any object with kubectl's, except for characters that kubectl
// cannot convert.
func FuzzWrite(f *testing.F) {
	for _, value := range awkward {
		f.Add([]byte(`{"kind":"Thing","spec":` + value + `}`))
	}
	f.Fuzz(func(t *testing.T, doc []byte) {
		have, err := written(doc)
		want, also := kubectl(doc)
		if err != nil {
			if also == nil && !errors.Is(err, ErrTooLarge) {
				t.Fatalf("%v\n%s", err, want)
			}
			return
		}
		unbearable := func(r rune) bool { return r >= 0x7f && r < 0xa0 || r == 0xfeff || r == 0xfffe || r == 0xffff }
		for range 50 { // kubectl's own order of some keys is random
			if also != nil || bytes.Equal(have, want) || bytes.IndexFunc(doc, unbearable) >= 0 {
				return
			}
			again, _ := kubectl(doc)
			if !bytes.Equal(again, want) {
				return
			}
		}
		t.Fatalf("have %q\nwant %q", have, want)
	})
}

// TestSort compares the sort of members with that of the standard library, for lists of all lengths up to 200.
func TestSort(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	order := func(a, b *member) int { return bytes.Compare(a.key, b.key) }
	for n := range 200 {
		members := make([]member, n)
		for i := range members {
			members[i] = member{key: []byte{byte(r.IntN(n/2 + 1))}, value: int32(i)}
		}
		want := slices.Clone(members)
		slices.SortStableFunc(want, func(a, b member) int { return order(&a, &b) })
		sortBy(members, make([]member, n/2), order)
		if !slices.EqualFunc(members, want, func(a, b member) bool { return a.value == b.value }) {
			t.Fatalf("%v is sorted as %v", want, members)
		}
	}
}
