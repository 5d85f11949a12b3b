package object

import (
	_ "embed"
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
