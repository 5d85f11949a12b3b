package document

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"testing"
)

func mustParse(t testing.TB, doc string) Value {
	t.Helper()
	v, err := Parse([]byte(doc))
	if err != nil {
		t.Fatalf("%s: %v", doc, err)
	}
	return v
}

func TestValue(t *testing.T) {
	v := mustParse(t, `{"spec":{"nodeName":"n1","priority":-7,"big":12345678901234567890,"half":0.50,"hostNetwork":true,"off":false,"none":null,"empty":""},"list":[1,"two",{"three":3}],"map":{"b":1,"a":2}}`)
	for _, c := range []struct {
		path   []string
		text   string
		exists bool
		number int64
		length int
	}{
		{path: []string{"spec", "nodeName"}, text: "n1", exists: true},
		{path: []string{"spec", "priority"}, text: "-7", exists: true, number: -7},
		{path: []string{"spec", "big"}, text: "12345678901234567890", exists: true},
		{path: []string{"spec", "half"}, text: "0.50", exists: true},
		{path: []string{"spec", "hostNetwork"}, text: "true", exists: true},
		{path: []string{"spec", "off"}, text: "false", exists: true},
		{path: []string{"spec", "none"}},
		{path: []string{"spec", "empty"}, exists: true},
		{path: []string{"spec", "nodeName", "deeper"}},
		{path: []string{"nothing", "at", "all"}},
		{path: []string{"list"}, exists: true, length: 3},
		{path: []string{"list", "0"}},
		{path: []string{"map"}, exists: true, length: 2},
	} {
		at := v.At(c.path...)
		if at.Text() != c.text || at.Exists() != c.exists || at.Int() != c.number || at.Len() != c.length {
			t.Errorf("%v: %q, exists %v, %d, %d long", c.path, at.Text(), at.Exists(), at.Int(), at.Len())
		}
	}
	if !v.At("spec", "hostNetwork").Bool() || v.At("spec", "off").Bool() || v.At("spec", "nodeName").Bool() {
		t.Error("one truth is a lie")
	}
	if keys := v.At("map").Keys(); !reflect.DeepEqual(keys, []string{"a", "b"}) {
		t.Error(keys)
	}
	if list := v.At("list").List(); len(list) != 3 || list[1].Text() != "two" || list[2].At("three").Int() != 3 {
		t.Error(list)
	}
	if n, ok := v.At("spec", "half").Any().(json.Number); !ok || n != "0.50" {
		t.Error("a number lost its text")
	}
	if (Value{}).Any() != nil || (Value{}).Keys() != nil || (Value{}).Len() != 0 {
		t.Error("nothing is something")
	}
}

func TestMalformedValue(t *testing.T) {
	for _, doc := range []string{"", "{", `{"a":}`, "{} {}", "{}x", "nul", `"`} {
		if v, err := Parse([]byte(doc)); err == nil || v.Exists() {
			t.Errorf("%q: %v, %v", doc, v, err)
		}
	}
}

// FuzzValue holds that what is read is what encoding/json reads, and that nothing
// that is asked of it panics.
func FuzzValue(f *testing.F) {
	for _, doc := range []string{`{"a":[1,2.5,"x",null,true,{"b":{}}]}`, `"\ud800"`, "1e999", `{"a":1,"a":2}`, "[[[[[]]]]]", "null"} {
		f.Add([]byte(doc), "a", "b")
	}
	f.Fuzz(func(t *testing.T, doc []byte, one, two string) {
		v, err := Parse(doc)
		if (err == nil) != json.Valid(doc) {
			t.Fatalf("%q: %v", doc, err)
		}
		for _, at := range []Value{v, v.At(one), v.At(one, two)} {
			again, err := json.Marshal(at.Any())
			if err != nil {
				t.Fatal(err)
			}
			if back, err := Parse(again); err != nil || !reflect.DeepEqual(back, at) {
				t.Fatalf("%s: %v, %v", again, back, err)
			}
			if n := len(at.List()) + len(at.Keys()); n != at.Len() {
				t.Fatalf("%d of %d", n, at.Len())
			}
			_, _, _ = at.Text(), at.Int(), at.Bool()
		}
	})
}

// members is a Part that counts what is read of it.
type members struct {
	is   map[string]any
	read int
}

func (m *members) Member(name string) any {
	m.read++
	return m.is[name]
}

func (m *members) Names() []string { return slices.Collect(maps.Keys(m.is)) }

// TestPart checks that a Part reads like the document that it stands for, and only where asked.
func TestPart(t *testing.T) {
	unread := &members{is: map[string]any{"b": "x"}}
	top := &members{is: map[string]any{"a": unread, "list": []any{&members{is: map[string]any{"n": json.Number("2")}}, "s"}, "map": map[string]any{"k": "v"}}}
	doc := Of(top)
	if doc.TextAt("map.k") != "v" || doc.ListAt("list")[0].Get("n").Int() != 2 || doc.Get("nothing.at.all").Exists() || doc.At("list", "n").Exists() {
		t.Error("a Part reads wrong")
	}
	if unread.read > 0 || doc.TextAt("a.b") != "x" {
		t.Error("a Part is read before it is asked for")
	}
	if doc.Len() != 3 || !slices.Equal(doc.Keys(), []string{"a", "list", "map"}) || !doc.Exists() || doc.Text() != "" {
		t.Error(doc.Len(), doc.Keys())
	}
	want := map[string]any{"a": map[string]any{"b": "x"}, "list": []any{map[string]any{"n": json.Number("2")}, "s"}, "map": map[string]any{"k": "v"}}
	if got := doc.Any(); !reflect.DeepEqual(got, want) {
		t.Error(got)
	}
}

func TestFind(t *testing.T) {
	v := mustParse(t, `{"list":[{"n":1},"x",{"type":"a","n":2},{"type":"a","n":3},{"type":"b"}]}`)
	if v.Get("list").Find("type", "a").Get("n").Int() != 2 || !v.Get("list").Find("type", "b").Exists() || v.Get("list").Find("type", "c").Exists() || v.Find("type", "a").Exists() {
		t.Error("another element was found")
	}
}
