package object

import (
	_ "embed"
	"slices"
	"testing"
)

// sentPod is a realistic pod, as the apiserver sends it.
//
//go:embed testdata/pod.pb
var sentPod []byte

// BenchmarkDecodePod decodes a realistic pod: ours into the row, index values and packed bytes
// that a tab needs, client-go's into a corev1.Pod.
func BenchmarkDecodePod(b *testing.B) {
	kind, _ := Builtin("pods")
	b.Run("ours", func(b *testing.B) {
		d := NewDecoder(kind, true).Share(new(CodeTable))
		b.SetBytes(int64(len(sentPod)))
		b.ReportAllocs()
		for b.Loop() {
			if _, err := d.Decode(sentPod); err != nil {
				b.Fatal(err)
			}
		}
	})
	theirDecode(b)
}

// BenchmarkComputed measures what a computed cell costs: the first time, and again.
func BenchmarkComputed(b *testing.B) {
	kind, _ := Builtin("pods")
	d := NewDecoder(kind, true).Share(new(CodeTable))
	columns := slices.Concat(d.Columns(), kind.ComputedColumns())
	at := slices.IndexFunc(columns, func(c Column) bool { return c.Name == "Exit" })
	objects := make([]*Object, 1000)
	for i := range objects {
		objects[i], _ = d.Decode(sentPod)
	}
	b.Run("first", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			o := objects[i%len(objects)]
			o.excerpt.Store(0)
			o.Cell(columns, at)
		}
	})
	b.Run("again", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			objects[i%len(objects)].Cell(columns, at)
		}
	})
}
