package list

import (
	"testing"
	"time"

	"watchglass/internal/hub/source"
	"watchglass/internal/informer"
	"watchglass/internal/port"
	"watchglass/internal/reflector"
)

// TestFilled checks which parts a list must have before a pause begins.
func TestFilled(t *testing.T) {
	in, out := informer.State{State: reflector.State{Synced: true}}, informer.State{}
	for _, c := range []struct {
		parts []source.Status
		want  bool
	}{
		{nil, false},
		{[]source.Status{{Fresh: informer.Live, State: in}, {Fresh: informer.Denied, State: out}}, true},
		{[]source.Status{{Fresh: informer.Live, State: in}, {Fresh: informer.Syncing, State: out}}, false},
		{[]source.Status{{Fresh: informer.Denied, State: out}}, false},
		{[]source.Status{{Fresh: informer.Denied, State: in}}, true},
		{[]source.Status{{Fresh: informer.Offline, State: in}}, true},
	} {
		if l := (&listing{status: c.parts}); l.filled() != c.want {
			t.Errorf("%+v: filled %v", c.parts, !c.want)
		}
	}
}

// TestWorstOf checks that a list made from others is as old as the oldest of them that is restored.
func TestWorstOf(t *testing.T) {
	saved := func(hour int64) source.Status {
		return source.Status{Fresh: informer.Stale, State: informer.State{State: reflector.State{AsOf: time.Unix(hour*3600, 0)}}}
	}
	got := worstOf(source.Status{Fresh: informer.Live}, []source.Status{saved(3), {Fresh: informer.Live}, saved(2), saved(4)})
	if got.Fresh != informer.Stale || !got.State.AsOf.Equal(time.Unix(7200, 0)) {
		t.Errorf("%s as of %v", got.Fresh, got.State.AsOf)
	}
}

// TestAuditedParts checks that a list counts as compared since all of its parts were.
func TestAuditedParts(t *testing.T) {
	hour := func(n int) source.Status {
		return source.Status{Fresh: informer.Live, State: informer.State{State: reflector.State{Audited: time.Unix(int64(n)*3600, 0)}}}
	}
	never, denied := source.Status{Fresh: informer.Live}, source.Status{Fresh: informer.Denied}
	for _, c := range []struct {
		parts []source.Status
		want  time.Time
	}{
		{nil, time.Time{}},
		{[]source.Status{hour(1)}, time.Unix(3600, 0)},
		{[]source.Status{hour(2), hour(1), hour(3)}, time.Unix(3600, 0)},
		{[]source.Status{hour(1), never}, time.Time{}},
		{[]source.Status{denied, hour(2)}, time.Unix(7200, 0)},
	} {
		l, out := listing{status: c.parts, scopes: []string{"a", "b", "c"}}, port.Source{}
		if l.sum(&out); !out.Audited.Equal(c.want) {
			t.Errorf("%+v: %v", c.parts, out.Audited)
		}
	}
}
