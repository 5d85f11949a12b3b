package past

import (
	"encoding/json"
	"runtime/debug"
	"testing"
	"time"

	"watchglass/internal/history"
	"watchglass/internal/history/historytest"
	"watchglass/internal/port"
)

// TestRelaxed holds that the garbage collector is set back once nobody reads any more, whoever ends first.
func TestRelaxed(t *testing.T) {
	before := debug.SetGCPercent(123)
	defer debug.SetGCPercent(before)
	var g gcRelaxation
	for range 2 { // begin both, and end the first before the second
		g.relax()
	}
	g.restore()
	g.restore()
	g.relax()
	g.restore()
	if got := debug.SetGCPercent(123); got != 123 {
		t.Errorf("%d %%", got)
	}
}

// TestSpan checks that a recording which began after the last tick of the history can be saved, and that nothing can
// where there is no history.
func TestSpan(t *testing.T) {
	begun := time.Date(2026, 11, 27, 12, 0, 0, 0, time.UTC)
	record := historytest.New(begun)
	if err := new(span).of(record, port.Ask{Args: json.RawMessage(`[{}]`)}); err == nil {
		t.Error("there is nothing to save")
	}
	pods := record.Open(history.Stream{Version: "v1", Resource: "pods", Kind: "Pod", Namespaced: true})
	record.Put(pods, begun.Add(time.Minute), "a/p", "u", []byte(`{}`))
	_, end := record.Span()
	args, _ := json.Marshal([]any{map[string]any{"from": end.Add(time.Second)}})
	var s span
	if err := s.of(record, port.Ask{Args: args}); err != nil || !s.From.Equal(end) || !s.To.Equal(end) {
		t.Errorf("from %v to %v: %v; want %v", s.From, s.To, err, end)
	}
}
