//go:build !js

package deltafifo

import (
	"testing"

	"k8s.io/client-go/tools/cache"
)

// benchTheirs is the same work by client-go: by its DeltaFIFO, and by the queue
// that its informers use now.
func benchTheirs(b *testing.B, frame int, objects []*bench) {
	key := func(o any) (string, error) { return o.(*bench).key, nil }
	sum := 0
	b.Run("client-go", func(b *testing.B) {
		f := cache.NewDeltaFIFOWithOptions(cache.DeltaFIFOOptions{KeyFunction: key, EmitDeltaTypeReplaced: true})
		b.ReportAllocs()
		for i := 0; i < b.N; i += frame {
			for j := range frame {
				_ = f.Update(objects[(i+j)%len(objects)])
			}
			for range frame {
				_, _ = f.Pop(func(o any, _ bool) error { sum += len(o.(cache.Deltas)); return nil })
			}
		}
	})
	b.Run("client-go-realfifo", func(b *testing.B) {
		f := cache.NewRealFIFOWithOptions(cache.RealFIFOOptions{KeyFunction: key, AtomicEvents: true, UnlockWhileProcessing: true})
		b.ReportAllocs()
		for i := 0; i < b.N; i += frame {
			for j := range frame {
				_ = f.Update(objects[(i+j)%len(objects)])
			}
			for n := 0; n < frame; {
				_ = f.PopBatch(
					func(deltas []cache.Delta, _ bool) error { n += len(deltas); return nil },
					func(o any, _ bool) error { n += len(o.(cache.Deltas)); return nil })
			}
		}
	})
}
