package indexer

import (
	"slices"
	"strings"
	"testing"
)

// What client-go's own tests of its stores hold, held of this one. The names are
// theirs.

// user is an object of the scenarios: "key: value,value".
func user(text string) *thing {
	k, values, _ := strings.Cut(text, ": ")
	return &thing{k, strings.Split(values, ",")}
}

func set1(x *Indexer[*thing], text string) { x.Update(func(tx Tx[*thing]) { tx.Set(user(text)) }) }
func delete1(x *Indexer[*thing], k string) { x.Update(func(tx Tx[*thing]) { tx.Delete(k) }) }

// keysBy returns the keys of the objects with a value in an index, sorted.
func keysBy(t *testing.T, x *Indexer[*thing], name, value string) []string {
	t.Helper()
	found, err := x.ByIndex(name, value)
	if err != nil {
		t.Fatal(err)
	}
	return keys(found)
}

// wantIndex compares an index as a whole: "bar=key2 foo=key1,key2", counts included.
func wantIndex(t *testing.T, x *Indexer[*thing], want string) {
	t.Helper()
	var got []string
	for v, under := range x.state.indexes["by"].values {
		all := keysBy(t, x, "by", v)
		if len(all) != under.Len() {
			t.Fatal(all, v, under.Len())
		}
		got = append(got, v+"="+strings.Join(all, ","))
	}
	slices.Sort(got)
	if strings.Join(got, " ") != want {
		t.Fatalf("want %s\ngot  %s", want, strings.Join(got, " "))
	}
}

func TestThreadSafeStoreDeleteRemovesEmptySetsFromIndex(t *testing.T) {
	t.Run("kubernetes-84959 an index value goes with its last object", func(t *testing.T) {
		x := New(key, Indexers[*thing]{"by": by})
		set1(x, "a: v")
		wantIndex(t, x, "v=a")
		delete1(x, "a")
		wantIndex(t, x, "")
	})
}

func TestThreadSafeStoreAddKeepsNonEmptySetPostDeleteFromIndex(t *testing.T) {
	x := New(key, Indexers[*thing]{"by": by})
	set1(x, "retain: v")
	set1(x, "delete: v")
	delete1(x, "delete")
	wantIndex(t, x, "v=retain")
}

func TestThreadSafeStoreIndexingFunctionsWithMultipleValues(t *testing.T) {
	x := New(key, Indexers[*thing]{"by": by})
	for _, c := range []struct{ change, want string }{
		{"1: foo", "foo=1"},
		{"2: bar", "bar=2 foo=1"},
		{"2: foo,bar", "bar=2 foo=1,2"},
		{"1: foo,bar", "bar=1,2 foo=1,2"},
		{"3: foo,bar,baz", "bar=1,2,3 baz=3 foo=1,2,3"},
		{"1: foo", "bar=2,3 baz=3 foo=1,2,3"},
		{"2: bar", "bar=2,3 baz=3 foo=1,3"},
		{"1", "bar=2,3 baz=3 foo=3"},
		{"3", "bar=2"},
	} {
		if strings.Contains(c.change, ":") {
			set1(x, c.change)
		} else {
			delete1(x, c.change)
		}
		wantIndex(t, x, c.want)
	}
}

func TestGetIndexFuncValues(t *testing.T) {
	x := New(key, Indexers[*thing]{"by": by})
	for _, u := range []string{"one: ernie,bert", "two: bert,oscar", "tre: ernie,elmo"} {
		set1(x, u)
	}
	wantIndex(t, x, "bert=one,two elmo=tre ernie=one,tre oscar=two")
}

func TestMultiIndexKeys(t *testing.T) {
	x := New(key, Indexers[*thing]{"by": by})
	for _, u := range []string{"one: ernie,bert", "two: bert,oscar", "tre: ernie,elmo"} {
		set1(x, u)
	}
	delete1(x, "tre")
	wantIndex(t, x, "bert=one,two ernie=one oscar=two")
	set1(x, "two: oscar")
	wantIndex(t, x, "bert=one ernie=one oscar=two")
}

// TestThreadSafeStoreRV: the version of a store is that of its last settling, and
// neither of an object nor of a deletion.
func TestThreadSafeStoreRV(t *testing.T) {
	x := New(key, Indexers[*thing]{"by": by})
	if x.Version() != "" {
		t.Fatal(x.Version())
	}
	x.Update(func(tx Tx[*thing]) { tx.Set(user("a: v")); tx.Settle("10") })
	delete1(x, "a")
	if x.Version() != "10" {
		t.Fatal(x.Version())
	}
	x.Update(func(tx Tx[*thing]) { tx.Settle("12") }) // a bookmark
	r := x.Replace()
	if x.Version() != "12" {
		t.Fatal(x.Version())
	}
	r.Commit("20")
	if x.Version() != "20" {
		t.Fatal(x.Version())
	}
}
