//go:build !js

package object

import (
	"bytes"
	"fmt"
	"reflect"
	"testing"
)

// frozen returns objects of every kind that is printed, with their decoder, and all of them frozen.
func frozen(t testing.TB, kind Kind, table *CodeTable) (d *Decoder, objects []*Object, b []byte) {
	t.Helper()
	d = NewDecoder(kind, true).Share(table)
	var f Freezer
	for seed := range 12 {
		o, err := d.Decode(payload(t, randomOf(t, kind, int64(seed/2)))) // each twice
		if err != nil {
			continue // its random name is empty
		}
		objects = append(objects, o)
		b = f.Append(b, o)
	}
	return d, objects, b
}

// TestThaw checks that frozen objects of every kind thaw to what was decoded: every field, with the
// codes and excerpts of the cluster that they come to.
func TestThaw(t *testing.T) {
	for _, kind := range builtin {
		t.Run(kind.ID(), func(t *testing.T) {
			table := new(CodeTable)
			_, objects, b := frozen(t, kind, table)
			if len(objects) < 4 {
				t.Fatalf("only %d objects", len(objects))
			}
			thawer := NewThawer(NewDecoder(kind, true).Share(table))
			for i, want := range objects {
				var o *Object
				var err error
				if o, b, err = thawer.Next(b); err != nil {
					t.Fatal(err)
				}
				if o.Packed() != nil || o.PackedLen() != len(want.Packed()) {
					t.Fatalf("%d: %d packed bytes of %d", i, len(o.Packed()), o.PackedLen())
				}
				if a, b := fields(o), fields(want); a != b { // before its bytes could make up for an excerpt
					t.Fatalf("%d:\n%s\nwant\n%s", i, a, b)
				}
				o.Restore(want.Packed()[:1])
				if o.Restore(want.Packed()); !bytes.Equal(o.Packed(), want.Packed()) {
					t.Fatal("the packed bytes are others")
				}
			}
			if len(b) > 0 {
				t.Fatalf("%d bytes are left", len(b))
			}
		})
	}
}

// fields returns all fields of an object but where its packed bytes are and who decoded it.
func fields(o *Object) string {
	out := ""
	for v, i := reflect.ValueOf(o).Elem(), 0; i < v.NumField(); i++ {
		switch name := v.Type().Field(i).Name; name {
		case "packed", "source":
		case "excerpt":
			out += fmt.Sprintln(name, o.Excerpt())
		default:
			out += fmt.Sprintf("%s %q\n", name, fmt.Sprint(v.Field(i)))
		}
	}
	return out
}

// TestThawElsewhere checks that excerpts and codes are those of another table, such as that of the
// next visit.
func TestThawElsewhere(t *testing.T) {
	kind := podKind(t)
	_, _, b := frozen(t, kind, new(CodeTable))
	other := new(CodeTable)
	d := NewDecoder(kind, true).Share(other)
	if _, err := d.Decode(payload(t, randomOf(t, kind, 77))); err != nil {
		t.Fatal(err)
	}
	thawer := NewThawer(d)
	for seed := 0; len(b) > 0; seed++ {
		var o *Object
		var err error
		if o, b, err = thawer.Next(b); err != nil {
			t.Fatal(err)
		}
		want, _ := NewDecoder(kind, true).Share(other).Decode(payload(t, randomOf(t, kind, int64(seed/2))))
		if a, b := fields(o), fields(want); a != b {
			t.Fatalf("%s\nwant\n%s", a, b)
		}
	}
}

// FuzzThaw reads any bytes: an object or an error comes of them.
func FuzzThaw(f *testing.F) {
	kind := podKind(f)
	_, _, b := frozen(f, kind, new(CodeTable))
	f.Add(b)
	f.Add(b[:len(b)/2])
	f.Add([]byte{})
	d := NewDecoder(kind, true).Share(new(CodeTable))
	columns := d.Columns()
	f.Fuzz(func(t *testing.T, b []byte) {
		thawer := NewThawer(d)
		for len(b) > 0 {
			o, rest, err := thawer.Next(b)
			if err != nil {
				return
			}
			_, _, _, _ = o.Key(), o.Name(), o.Namespace(), o.UID()
			_, _, _, _, _ = o.Version(), o.Text(false), o.Owners(), o.Health(), o.Excerpt()
			for i := range columns {
				_ = o.Cell(columns, i)
			}
			for range o.Labels().All() {
			}
			b = rest
		}
	})
}

// BenchmarkThaw thaws a realistic pod, against decoding it.
func BenchmarkThaw(b *testing.B) {
	kind, _ := Builtin("pods")
	d := NewDecoder(kind, true).Share(new(CodeTable))
	o, err := d.Decode(sentPod)
	if err != nil {
		b.Fatal(err)
	}
	var f Freezer
	first := f.Append(nil, o)
	next := f.Append(nil, o)
	thawer := NewThawer(d)
	if _, _, err := thawer.Next(first); err != nil {
		b.Fatal(err)
	}
	b.Run("freeze", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			next = f.Append(next[:0], o)
		}
	})
	b.Run("thaw", func(b *testing.B) {
		b.ReportAllocs()
		b.SetBytes(int64(len(next)))
		for b.Loop() {
			if _, _, err := thawer.Next(next); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("decode", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := d.Decode(sentPod); err != nil {
				b.Fatal(err)
			}
		}
	})
}
