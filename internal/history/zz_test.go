//go:build !js

package history_test
import ("testing";"time";"watchglass/internal/history")
func BenchmarkScrub(b *testing.B) {
	h, _ := newHour(b, 10_000, history.Limit)
	for range 3600 * 100 { h.step() }
	low := h.now.Add(-50*time.Minute)
	b.Run("at", func(b *testing.B) { b.ReportAllocs(); for b.Loop() { h.store.At(0, low, func(history.Object) bool { return true }) } })
	b.Run("moved", func(b *testing.B) { b.ReportAllocs(); for b.Loop() { h.store.Moved(0, low, low.Add(30*time.Minute), func(history.Change) bool { return true }) } })
	b.Run("near", func(b *testing.B) { b.ReportAllocs(); for b.Loop() { h.store.Moved(0, low, low.Add(30*time.Second), func(history.Change) bool { return true }) } })
	b.Run("back", func(b *testing.B) { b.ReportAllocs(); for b.Loop() { h.store.Moved(0, low, low.Add(-30*time.Second), func(history.Change) bool { return true }) } })
}
