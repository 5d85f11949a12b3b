package deltafifo

import (
	"fmt"
	"testing"
)

// bench is what the benchmarks' queue holds.
type bench struct{ key string }

func benchKey(o *bench) string { return o.key }

// benches are the objects of the benchmarks.
func benches(n int) []*bench {
	out := make([]*bench, n)
	for i := range out {
		out[i] = &bench{key: fmt.Sprintf("namespace-%02d/pod-%06d", i%40, i)}
	}
	return out
}

// BenchmarkAddPop adds a frame's worth of objects and pops them, as in a watch;
// one operation is one object.
func BenchmarkAddPop(b *testing.B) {
	const frame = 100
	objects := benches(10_000)
	b.Run("ours", func(b *testing.B) {
		f := New(Options[*bench]{KeyFunc: benchKey})
		b.ReportAllocs()
		sum := 0
		for i := 0; i < b.N; i += frame {
			for j := range frame {
				f.Update(objects[(i+j)%len(objects)])
			}
			_ = f.Pop(b.Context(), func(batch *Batch[*bench]) error {
				for batch.Next() {
					for _, item := range batch.Items {
						sum += len(item.Deltas)
					}
				}
				return nil
			})
		}
	})
	benchTheirs(b, frame, objects)
}
