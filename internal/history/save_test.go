package history_test

import (
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"watchglass/internal/history"
	"watchglass/internal/history/recording"
)

// TestSaveWhileDropping saves a stream at its memory limit from its oldest change on, while changes go on, and
// holds that the file ends with the objects that there were.
func TestSaveWhileDropping(t *testing.T) {
	store := history.NewStore(history.NewMemory(1_000_000, nil))
	s, f := joined(t, store, "configmaps", 400)
	second := 0
	churn := func(n int) { // most objects change; some come, and go 200 seconds later
		for range n {
			second++
			s.change(f, second, fmt.Sprint("o", 300+second%100), second, strings.Repeat(fmt.Sprint(second), 30))
			if second%5 == 0 {
				s.change(f, second, fmt.Sprint("tmp", second), second, "x")
			}
			if second%5 == 4 && second > 200 {
				s.remove(f, second, fmt.Sprint("tmp", second-199))
			}
		}
	}
	churn(6000)
	from, to := store.Span()
	var r recording.Reader
	n := 0
	if _, err := recording.Write(store, recording.Header{From: from, To: to}, recording.Choices{}, func(p []byte) error {
		if n++; n < 60 {
			churn(5)
		}
		return r.Write(p)
	}); err != nil {
		t.Fatal(err)
	}
	file, err := r.Close("")
	if err != nil || file.Damage != "" {
		t.Fatal(err, file.Damage)
	}
	since, _ := store.Span()
	if !since.After(from) {
		t.Fatal("nothing was dropped")
	}
	known := since
	for _, g := range file.Gaps(0) {
		if g.Why == history.Dropped && g.To.After(known) {
			known = g.To
		}
	}
	if known.Sub(since) > to.Sub(from)/100 {
		t.Errorf("memory knows the objects since %v, the file since %v", since, known)
	}
	for at := known; !at.After(to); at = at.Add(to.Sub(known)/4 + 1) {
		if got, want := allAt(file, at), allAt(store, at); !maps.Equal(got, want) {
			t.Errorf("at %v: %d objects, want %d", at, len(got), len(want))
		}
	}
	if got, want := allAt(file, to), allAt(store, to); !maps.Equal(got, want) {
		t.Errorf("at the end: %d objects, want %d", len(got), len(want))
	}
}

// allAt returns the payloads of the first stream's objects at a moment.
func allAt(record history.Record, at time.Time) map[string]string {
	all := make(map[string]string)
	record.At(0, at, func(o history.Object) bool { all[o.Key] = string(o.Payload); return true })
	return all
}
