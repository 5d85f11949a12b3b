package object

import (
	_ "embed"
	"testing"
)

// sentPod is a realistic pod, as the apiserver sends it.
//
//go:embed testdata/pod.pb
var sentPod []byte

// BenchmarkDecodePod decodes a realistic pod: ours to the row, index values and
// packed bytes of a tab, client-go to a corev1.Pod.
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
