package problems

import (
	"testing"
	"time"

	"watchglass/internal/hub/source"
	"watchglass/internal/informer"
	"watchglass/internal/port"
	"watchglass/internal/reflector"
)

// TestRead shows when the rows are those of a list: once all that it held when it became live has been
// read, and so again whenever it has not been live, also if nobody saw that.
func TestRead(t *testing.T) {
	at := func(fresh informer.Freshness, listed int, behind bool) source.Status {
		return source.Status{Fresh: fresh, State: informer.State{State: reflector.State{Synced: true, Relists: listed}, Behind: behind}}
	}
	f := new(input)
	r := &reading{resource: "pods", wide: f, gap: port.Gap{Resource: "pods", State: port.Live}}
	for i, step := range []struct {
		status source.Status
		queued int
		want   informer.Freshness
	}{
		{at(informer.Syncing, 0, false), 0, informer.Syncing},
		{at(informer.Live, 1, true), 0, informer.Syncing},  // not all has come
		{at(informer.Live, 1, false), 3, informer.Syncing}, // not all has been read
		{at(informer.Live, 1, false), 0, informer.Live},
		{at(informer.Live, 1, true), 3, informer.Live}, // changes come all the time
		{at(informer.Live, 2, false), 3, informer.Syncing},
		{at(informer.Live, 2, false), 0, informer.Live},
		{at(informer.Stale, 2, false), 0, informer.Stale},
		{at(informer.Live, 2, false), 3, informer.Syncing},
		{at(informer.Live, 2, false), 0, informer.Live},
	} {
		f.see(step.status)
		r.drained(step.queued)
		got := f.rows(r.lost)
		if got.Fresh != step.want || got.State.Synced != (step.want != informer.Syncing) && step.status.Fresh == informer.Live {
			t.Errorf("step %d: %s, synced %v; want %s", i, got.Fresh, got.State.Synced, step.want)
		}
		if gap := r.rows().State; step.status.Fresh == informer.Live && gap != string(step.want) {
			t.Errorf("step %d: the gap is %s, want %s", i, gap, step.want)
		}
	}
}

// TestReadWatchEnds checks that the rows stay those of a list when its watch ends and another follows on,
// which it does every few minutes.
func TestReadWatchEnds(t *testing.T) {
	at := func(second int64) source.Status {
		return source.Status{Fresh: informer.Live, State: informer.State{State: reflector.State{Synced: true, Listed: time.Unix(second, 0)}}}
	}
	f := new(input)
	r := &reading{resource: "pods", wide: f, gap: port.Gap{Resource: "pods", State: port.Live}}
	f.see(at(1))
	r.drained(0)
	if unread := f.see(at(300)); unread || f.rows(0).Fresh != informer.Live {
		t.Errorf("unread %v, %s", unread, f.rows(0).Fresh)
	}
}
