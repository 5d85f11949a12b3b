package loop

import (
	"testing"
	"time"
)

// waker notes when it was asked to wake.
type waker []time.Time

func (w *waker) WakeAt(at time.Time) { *w = append(*w, at) }

// TestPace checks that nothing is due too soon, that a wake is asked for then and only then, and that a pause can be
// skipped.
func TestPace(t *testing.T) {
	var p Pace
	var w waker
	now := time.Now()
	if !p.Due(&w, now) {
		t.Error("the first has to wait")
	}
	p.Rest(now, time.Second)
	if p.Due(&w, now.Add(time.Second-1)) || len(w) != 1 || !w[0].Equal(now.Add(time.Second)) {
		t.Errorf("it is due too soon, or woken at %v", w)
	}
	if !p.Due(&w, now.Add(time.Second)) {
		t.Error("it is not due after its pause")
	}
	p.Rest(now, time.Hour)
	if p.Skip(); !p.Due(&w, now) || len(w) != 1 {
		t.Errorf("the pause is not skipped, or it is woken at %v", w)
	}
}

// TestSender checks that a document is dropped if it equals the one before, and only that one.
func TestSender(t *testing.T) {
	var s Sender
	for i, c := range []struct {
		value any
		want  string
	}{{1, "1"}, {1, ""}, {"a", `"a"`}, {1, "1"}, {func() {}, ""}} {
		if got := string(s.Encode(c.value)); got != c.want {
			t.Errorf("%d: %q, want %q", i, got, c.want)
		}
	}
	if s.Next([]byte(`"a"`)) == nil || s.Next([]byte(`"a"`)) != nil {
		t.Error("bytes are not dropped like values")
	}
}
