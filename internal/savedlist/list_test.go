package savedlist_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/encoding/protowire"

	"watchglass/internal/object"
	"watchglass/internal/savedlist"
	"watchglass/internal/savedlist/savedlisttest"
)

var pods = func() object.Kind {
	k, _ := object.Builtin("pods")
	return k
}()

// message returns a pod as the apiserver encodes it, with some bytes that the tab does not read.
func message(namespace, name, version string, extra int) []byte {
	var meta []byte
	for _, f := range []struct {
		number protowire.Number
		text   string
	}{{1, name}, {3, namespace}, {5, "u-" + name}, {6, version}} {
		meta = protowire.AppendString(protowire.AppendTag(meta, f.number, protowire.BytesType), f.text)
	}
	out := protowire.AppendBytes(protowire.AppendTag(nil, 1, protowire.BytesType), meta)
	return protowire.AppendBytes(protowire.AppendTag(out, 100, protowire.BytesType), bytes.Repeat([]byte("x"), extra))
}

// some returns pods in random order. Every fifth has lost its bytes, as of a full memory.
func some(t testing.TB, d *object.Decoder, n, extra int) []*object.Object {
	t.Helper()
	budget := object.NewBudget(0)
	out := make([]*object.Object, n)
	for i := range out {
		o, err := d.Decode(pods.Wrap(nil, message(fmt.Sprint("ns", i%7), fmt.Sprint("pod-", i), fmt.Sprint(i+1), extra)))
		if err != nil {
			t.Fatal(err)
		}
		if out[i] = o; i%5 == 4 {
			budget.Keep(o)
		}
	}
	rand.Shuffle(n, func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}

func opened(t testing.TB, disk *savedlisttest.Disk) savedlist.Folder {
	t.Helper()
	f, err := disk.Open(t.Context(), "", "key", "")
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// kept returns a disk with a saved list of some objects.
func kept(t testing.TB, objects []*object.Object) *savedlisttest.Disk {
	t.Helper()
	disk := &savedlisttest.Disk{}
	w, err := opened(t, disk).Create(t.Context(), "pods")
	if err == nil {
		_, err = savedlist.Write(t.Context(), w, savedlist.About{Version: "77", Cluster: "A", At: time.Unix(5, 0)}, slices.Clone(objects), func() {})
	}
	if err == nil {
		err = w.Commit(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	return disk
}

// read reads the saved list of a disk: its objects, the number of their bodies, and the first error.
func read(t testing.TB, disk *savedlisttest.Disk) (v *savedlist.List, objects []*object.Object, bodies int, err error) {
	t.Helper()
	r, err := opened(t, disk).Read(t.Context(), "pods")
	if err != nil {
		t.Fatal(err)
	}
	v, err = savedlist.Read(t.Context(), r, object.NewDecoder(pods, true).Share(new(object.CodeTable)))
	if err != nil {
		return nil, nil, 0, err
	}
	defer v.Close()
	for o, failed := range v.All(t.Context()) {
		if failed != nil {
			return v, objects, 0, failed
		}
		objects = append(objects, o)
	}
	for batch, failed := range v.Bodies(t.Context()) {
		if failed != nil {
			return v, objects, bodies, failed
		}
		for _, b := range batch {
			b.Object.Restore(b.Raw)
			bodies++
		}
	}
	return v, objects, bodies, nil
}

// TestVisit checks that a saved list comes back as it was, in the order of its keys, with the bodies that
// were there. 30,000 objects are sorted in several pieces, and written in several blocks.
func TestVisit(t *testing.T) {
	for _, n := range []int{0, 1, 10, 30_000} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			want := some(t, object.NewDecoder(pods, true).Share(new(object.CodeTable)), n, 100)
			disk := kept(t, want)
			v, got, bodies, err := read(t, disk)
			if err != nil || v.Version != "77" || v.Cluster != "A" || !v.At.Equal(time.Unix(5, 0)) || len(got) != n || bodies != n-n/5 {
				t.Fatalf("%v: %+v, %d objects, %d bodies", err, v.About, len(got), bodies)
			}
			slices.SortFunc(want, func(a, b *object.Object) int { return strings.Compare(a.Key(), b.Key()) })
			for i, o := range got {
				if o.Text(true) != want[i].Text(true) || o.Version() != want[i].Version() || !bytes.Equal(o.Packed(), want[i].Packed()) {
					t.Fatalf("%d: %s, not %s", i, o.Key(), want[i].Key())
				}
			}
		})
	}
}

// TestBroken checks that a saved list which lacks a block, or has another, is an error: before the objects,
// or after some of them, but never a whole saved list that is not.
func TestBroken(t *testing.T) {
	objects := some(t, object.NewDecoder(pods, true).Share(new(object.CodeTable)), 8000, 100)
	for name, c := range map[string]struct {
		change func(b [][]byte) [][]byte
		bodies bool // all objects come, and only bodies are missing
	}{
		"no blocks":            {func([][]byte) [][]byte { return nil }, false},
		"no head":              {func(b [][]byte) [][]byte { return b[1:] }, false},
		"only a head":          {func(b [][]byte) [][]byte { return b[:1] }, false},
		"rows are missing":     {func(b [][]byte) [][]byte { return slices.Delete(b, 1, 2) }, false},
		"rows twice":           {func(b [][]byte) [][]byte { return slices.Insert(b, 1, b[1]) }, false},
		"an empty block":       {func(b [][]byte) [][]byte { return slices.Insert(b, 2, nil) }, false},
		"half a block":         {func(b [][]byte) [][]byte { b[1] = b[1][:len(b[1])/2]; return b }, false},
		"a block of no kind":   {func(b [][]byte) [][]byte { b[1] = append([]byte("?"), b[1][1:]...); return b }, false},
		"half a body":          {func(b [][]byte) [][]byte { b[len(b)-1] = b[len(b)-1][:50]; return b }, true},
		"rows after bodies":    {func(b [][]byte) [][]byte { return append(b, b[1]) }, true},
		"bodies of no objects": {func(b [][]byte) [][]byte { return append(b, []byte("b\xff\xff\x7f\x01x")) }, true},
	} {
		t.Run(name, func(t *testing.T) {
			disk := kept(t, objects)
			disk.Change("", "pods", func(b [][]byte) [][]byte { return c.change(slices.Clone(b)) })
			_, got, _, err := read(t, disk)
			if err == nil || c.bodies != (len(got) == len(objects)) {
				t.Errorf("%d objects, %v", len(got), err)
			}
		})
	}
}

// TestPutFails checks that an error of the disk ends the writing.
func TestPutFails(t *testing.T) {
	disk := &savedlisttest.Disk{}
	disk.Fail(errors.New("the disk is full"))
	w, _ := opened(t, disk).Create(t.Context(), "pods")
	if _, err := savedlist.Write(t.Context(), w, savedlist.About{Version: "1"}, nil, func() {}); err == nil {
		t.Error("it was written")
	}
}
