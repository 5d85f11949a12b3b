package main

import (
	"slices"
	"testing"
	"time"

	"watchglass/e2e/cluster"
)

func TestStep(t *testing.T) {
	for _, tc := range []struct {
		status, restarts string
		want             int
	}{{"Running", "0", 0}, {"CrashLoopBackOff", "1 (0s ago)", 1}, {"Running", "1 (3s ago)", 2}, {"CrashLoopBackOff", "2 (0s ago)", 3}} {
		if got, err := (change{Status: tc.status, Restarts: tc.restarts}).step(); err != nil || got != tc.want {
			t.Errorf("%s with %s is step %d (%v), want %d", tc.status, tc.restarts, got, err, tc.want)
		}
	}
	for _, c := range []change{{Status: "Running", Restarts: ""}, {Status: "Pending", Restarts: "0"}} {
		if _, err := c.step(); err == nil {
			t.Errorf("%+v is a step", c)
		}
	}
}

// TestLatencies has a frame show two writes at once.
func TestLatencies(t *testing.T) {
	at := func(ms int64) cluster.Write {
		return cluster.Write{Sent: time.UnixMilli(ms - 1), Answered: time.UnixMilli(ms)}
	}
	writes := map[string][]cluster.Write{"a/b": {at(100), at(110), at(200)}}
	seen := []change{
		{Key: "a/b", Status: "Running", Restarts: "1", Changed: 120, Painted: 125},
		{Key: "a/b", Status: "CrashLoopBackOff", Restarts: "2", Changed: 210, Painted: 217},
		{Key: "a/b", Status: "CrashLoopBackOff", Restarts: "2 (1s ago)", Changed: 999, Painted: 999},
	}
	var r report
	if err := r.latencies(nil, writes, seen, 5); err != nil {
		t.Fatal(err)
	}
	if want := (sample{20, 10, 12}); !slices.Equal(r.painted, want) {
		t.Errorf("painted after %v, want %v", r.painted, want)
	}
	if want := (sample{15, 5, 5}); !slices.Equal(r.changed, want) {
		t.Errorf("changed after %v, want %v", r.changed, want)
	}
	if err := r.latencies(nil, writes, seen[:1], 5); err == nil {
		t.Error("a write that was never painted is no error")
	}

	// A tab that comes later sees the writes from before, and waits for its own.
	var later report
	last := map[string][]cluster.Write{"a/b": {at(200)}}
	if err := later.latencies(map[string]int{"a/b": 2}, last, seen, 5); err != nil || !slices.Equal(later.painted, sample{12}) {
		t.Errorf("%v, %v", later.painted, err)
	}
}
