package diff

import (
	"fmt"
	"strings"
	"testing"
)

// lists returns an object with so many lists of so many numbers, from one number on.
func lists(n, long, from int) any {
	all := make(map[string]any)
	for i := range n {
		var list []any
		for j := range long {
			list = append(list, fmt.Sprint((j*7+from)%(3*long)))
		}
		all[fmt.Sprint(i)] = list
	}
	return map[string]any{"spec": all}
}

// TestCutShort checks that a comparison of objects that a tenant made to be large ends after so many looks at
// values, and says so; and that it claims nothing of what it has not compared.
func TestCutShort(t *testing.T) {
	var one []any
	for i := range 300_000 {
		one = append(one, fmt.Sprint(i))
	}
	wide := make(map[string]any)
	for i := range 300_000 {
		wide[fmt.Sprint(i)] = "x"
	}
	for name, c := range map[string]struct {
		before, after any
		differ        bool
	}{
		"lists":       {lists(3000, 300, 0), lists(3000, 300, 1), true},
		"equal lists": {lists(3000, 300, 0), lists(3000, 300, 0), false},
		"one list":    {map[string]any{"a": one}, map[string]any{"a": one[1:]}, true},
		"one map":     {wide, map[string]any{}, true},
		"equal maps":  {wide, wide, false},
	} {
		found := 0
		equal, whole := Walk(c.before, c.after, func(Change) { found++ })
		if whole || found+equal > mostLooks || found > 0 && !c.differ {
			t.Errorf("%s: whole %t, %d changes, %d equal", name, whole, found, equal)
		}
	}
}

// TestWholeObject checks that a megabyte of usual values is compared in full.
func TestWholeObject(t *testing.T) {
	object := func(value string) any {
		var doc strings.Builder
		doc.WriteString(`{"spec":{"containers":[`)
		for i := range 12_000 {
			if i > 0 {
				doc.WriteByte(',')
			}
			fmt.Fprintf(&doc, `{"name":"c%d","image":"registry.example.com/shop/web:%s","ports":[{"containerPort":80}]}`, i, value)
		}
		return parse(t, doc.String()+`]}}`)
	}
	changes, whole := Objects(object("1"), object("2"))
	if len(changes) != 12_000 || !whole {
		t.Errorf("%d changes, whole %t", len(changes), whole)
	}
}

// TestLongKey checks that a path is not as long as a key that fills an object.
func TestLongKey(t *testing.T) {
	c := Change{Steps: []Step{{Key: "spec"}, {Key: strings.Repeat("k", 1<<20)}, {Key: "x"}}}
	if path := c.Path(); len(path) > longestPath+8 || !strings.HasPrefix(path, "spec.kkk") || !strings.HasSuffix(path, "…") {
		t.Errorf("%d bytes: %.20s", len(path), path)
	}
}
