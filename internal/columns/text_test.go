package columns

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"watchglass/internal/object"
	"watchglass/internal/slots"
)

// maker returns a function that makes objects with a status; if coded, objects have codes for it.
func maker(t *testing.T, coded bool) func(name, status string) *object.Object {
	d := object.NewDecoder(object.Kind{Version: "v1", Resource: "things", Name: "Thing"}, false)
	if coded {
		d.Share(new(object.CodeTable))
	}
	if _, err := d.SetColumns([]byte(`[{"name":"Name","format":"name","type":"string"},{"name":"Status","type":"string"}]`)); err != nil {
		t.Fatal(err)
	}
	return func(name, status string) *object.Object {
		o, err := d.Decode(fmt.Appendf(nil, `{"cells":[%q,%q],"object":{"kind":"PartialObjectMetadata","metadata":{"name":%q,"uid":%q}}}`, name, status, name, name))
		if err != nil {
			t.Fatal(err)
		}
		return o
	}
}

// status returns the column of the status.
func status(most int) *Text {
	columns := []object.Column{{Name: "Name", Kind: object.NameCell}, {Name: "Status"}}
	return &Text{Of: func(o *object.Object) string { return o.Cell(columns, 1).Text }, Place: object.Codes(columns)[1], Limit: most}
}

// TestModel compares columns with a walk over all objects, while objects are added, changed and removed at random. Columns
// are added at the beginning or later, and read in parts; objects have codes or not; some columns exceed their limit.
func TestModel(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 1))
		table, make := new(Table), maker(t, seed%2 == 0)
		x, there := status(int(seed%3)*8), map[uint32]string{}
		begin, texts := r.IntN(60), 2+r.IntN(20)
		for step := range 200 {
			if step == begin {
				table.AddColumn(x)
			}
			change(r, table, make, there, texts)
			if step < begin || r.IntN(3) > 0 {
				continue
			}
			if whole := table.Build(r.IntN(40)); whole || r.IntN(4) == 0 {
				table.Build(math.MaxInt)
				check(t, x, table, there)
			}
		}
		if x.RemoveLimit(); x.Over() {
			t.Fatal("it is over without a limit")
		}
		table.Finish(x)
		check(t, x, table, there)
	}
}

// change adds, replaces or removes an object.
func change(r *rand.Rand, table *Table, make func(name, status string) *object.Object, there map[uint32]string, texts int) {
	slot := uint32(r.IntN(table.Len() + 1))
	text := fmt.Sprint("status-", r.IntN(texts))
	switch _, is := there[slot]; {
	case !is:
		slot = table.Add(make(fmt.Sprint("a-", r.Uint32()), text))
		there[slot] = text
	case r.IntN(3) == 0:
		table.Remove(slot)
		delete(there, slot)
	default:
		table.Set(slot, make(table.At(slot).Name(), text))
		there[slot] = text
	}
}

func check(t *testing.T, x *Text, table *Table, there map[uint32]string) {
	t.Helper()
	texts := map[string]int{}
	for _, text := range there {
		texts[text]++
	}
	if x.Over() {
		return
	}
	live := 0
	for code := range x.Codes() {
		text, count := x.Text(uint32(code))
		if count > 0 {
			live++
		}
		if count != texts[text] {
			t.Fatalf("%q counts %d, there are %d", text, count, texts[text])
		}
	}
	if live != len(texts) || x.Limit > 0 && live > x.Limit {
		t.Fatalf("%d texts, there are %d; the limit is %d", live, len(texts), x.Limit)
	}
	is := func(text string) bool { return strings.HasSuffix(text, "1") }
	var want slots.Bits
	for slot, text := range there {
		if got, _ := x.Text(x.Code(slot)); got != text {
			t.Fatalf("slot %d has %q, not %q", slot, got, text)
		}
		if is(text) {
			want.Add(slot)
		}
	}
	if got := x.Where(is); !got.Equal(&want) {
		t.Fatalf("%v, want %v", slices.Collect(got.All()), slices.Collect(want.All()))
	}
	if table.Live().Len() != len(there) {
		t.Fatalf("%d objects, there are %d", table.Live().Len(), len(there))
	}
	counts := make([]int, x.Codes())
	x.Count(&want, counts)
	for code, n := range counts {
		if text, all := x.Text(uint32(code)); n > 0 && (n != all || !is(text)) {
			t.Fatalf("%q counts %d of %d", text, n, all)
		}
	}
}

// TestBuildCost checks that a step reads fewer cells if their texts are long, but at least one.
func TestBuildCost(t *testing.T) {
	make := maker(t, false)
	for _, c := range []struct{ size, want int }{{10, 50}, {10_000, 5}} {
		table := new(Table)
		for i := range 100 {
			table.Add(make(fmt.Sprint("a-", i), strings.Repeat("x", c.size)))
		}
		x := status(0)
		table.AddColumn(x)
		if whole := table.Build(50); whole || x.next != c.want {
			t.Errorf("%d bytes: %d were read", c.size, x.next)
		}
		for i := 0; !table.Build(1); i++ {
			if i > 100 {
				t.Fatal("it does not get on")
			}
		}
	}
}

// TestManyTexts checks a column with more texts than 16 bits can number.
func TestManyTexts(t *testing.T) {
	make, table, x, there := maker(t, false), new(Table), status(0), map[uint32]string{}
	table.AddColumn(x)
	for i := range 1<<16 + 100 {
		text := fmt.Sprint(i)
		there[table.Add(make("a", text))] = text
	}
	check(t, x, table, there)
}

// TestOverWhileBuilt checks that a column which turns out to have too many texts while it is built counts each object once
// when it is built again without a bound.
func TestOverWhileBuilt(t *testing.T) {
	make, table, x, there := maker(t, false), new(Table), status(8), map[uint32]string{}
	for i := range 20 {
		text := fmt.Sprint("status-", i)
		there[table.Add(make("a", text))] = text
	}
	table.AddColumn(x)
	if table.Build(math.MaxInt); !x.Over() {
		t.Fatal("it is not over")
	}
	x.RemoveLimit()
	table.Finish(x)
	check(t, x, table, there)
}

// TestDictionary has several tables share the texts of a column, while objects come, change and go in each, and tables give
// up their columns and begin again. Each has its own objects' texts, and a text goes with the last object of all tables.
func TestDictionary(t *testing.T) {
	for seed := range uint64(60) {
		r, shared, make := rand.New(rand.NewPCG(seed, 2)), new(Dictionaries), maker(t, seed%2 == 0)
		type one struct {
			table *Table
			x     *Text
			there map[uint32]string
		}
		begin := func() *one {
			o := &one{new(Table), status(int(seed%3) * 8), map[uint32]string{}}
			o.x.Dictionary = shared.Of("status")
			o.table.AddColumn(o.x)
			return o
		}
		all := []*one{begin(), begin(), begin()}
		for range 300 {
			at := r.IntN(len(all))
			o := all[at]
			change(r, o.table, make, o.there, 2+r.IntN(20))
			if r.IntN(40) == 0 {
				o.table.DropColumns()
				all[at] = begin()
			}
			texts := map[string]bool{}
			for _, o := range all {
				o.table.Finish(o.x)
				check(t, o.x, o.table, o.there)
				if !o.x.Over() {
					for _, text := range o.there {
						texts[text] = true
					}
				}
			}
			if n := len(shared.Of("status").codes); n != len(texts) {
				t.Fatalf("seed %d: %d texts are kept, objects have %d", seed, n, len(texts))
			}
		}
		for _, o := range all {
			o.table.DropColumns()
		}
		if n := len(shared.Of("status").codes); n != 0 {
			t.Fatalf("seed %d: %d texts are kept for nobody", seed, n)
		}
	}
}
