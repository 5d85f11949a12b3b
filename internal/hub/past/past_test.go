package past

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"watchglass/internal/history"
	"watchglass/internal/history/historytest"
	"watchglass/internal/object"
	"watchglass/internal/port"
	"watchglass/internal/view"
)

// TestPastStepAllTime asks for changes in a recording that claims to span all of time and has none there: the search ends.
func TestPastStepAllTime(t *testing.T) {
	first, last := time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC)
	record := historytest.New(first)
	record.Put(record.Open(history.Stream{Version: "v1", Resource: "nodes", Kind: "Node"}), last, "/n", "u", []byte(`{}`))
	s := &stepper{record: record, kind: object.Kind{Resource: "pods"}}
	middle := time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC)
	for _, direction := range []int{-1, 1} {
		if found, err := s.find(t.Context(), middle, direction); err != nil || !found.At.IsZero() || !found.Unwatched {
			t.Errorf("%d: %v %v", direction, found, err)
		}
	}
}

// TestPastStepMissed checks that a step says in which part of the time that it passes over changes may be missing, of the
// whole cluster or of the namespaces of the list, and that a list is said to be not watched only if nobody watched it.
func TestPastStepMissed(t *testing.T) {
	began := time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC)
	at := func(second int) time.Time { return began.Add(time.Duration(second) * time.Second) }
	kind, _ := object.Builtin("pods")
	record := historytest.New(began)
	stream := func(namespace string, gaps ...[2]int) int {
		n := record.Open(history.Stream{Version: "v1", Resource: "pods", Kind: "Pod", Namespaced: true, Namespace: namespace})
		for _, g := range gaps {
			record.Miss(n, history.Gap{From: at(g[0]), To: at(g[1]), Why: history.Closed})
		}
		return n
	}
	all := stream("", [2]int{0, 10}, [2]int{30, 40}, [2]int{60, 100})
	stream("a", [2]int{0, 5}, [2]int{35, 70})
	stream("b", [2]int{0, 100})
	for resource, why := range map[string]history.Why{"services": history.Dropped, "secrets": history.Unread, "jobs": history.Relisted, "configmaps": history.Away} {
		of, _ := object.Builtin(resource)
		n := record.Open(history.Stream{Group: of.Group, Version: of.Version, Resource: resource, Kind: of.Name, Namespaced: true})
		record.Miss(n, history.Gap{From: began, To: at(20), Why: history.Closed})
		record.Miss(n, history.Gap{From: at(20), To: at(50), Why: why})
	}
	shown := view.New()
	shown.SetShape(view.Shape{Columns: object.NewDecoder(kind, true).Columns(), Namespaced: true})
	record.Put(all, at(20), "a/n", "u", []byte(`{"kind":"Pod","apiVersion":"v1","metadata":{"name":"n","namespace":"a"}}`))
	record.Put(all, at(100), "a/n", "u", []byte(`{"kind":"Pod","apiVersion":"v1","metadata":{"name":"n","namespace":"a"}}`))
	for _, c := range []struct {
		resource   string
		namespaces []string
		from       int
		direction  int
		to         int // seconds; -1: there is no change
		want       string
	}{
		{"pods", nil, 25, -1, 20, ""},
		{"pods", nil, 50, -1, 20, "30-40"},
		{"pods", nil, 19, -1, -1, "0-10"},
		{"pods", nil, 25, 1, 100, "30-40 of 2"},
		{"pods", nil, 100, 1, -1, ""},
		{"pods", []string{"a"}, 25, 1, 100, "35-40 of 2"},
		{"pods", []string{"a"}, 45, 1, 100, "60-70"},
		{"pods", []string{"a", "b"}, 25, 1, 100, "30-40 of 2"},
		{"pods", []string{"a", "b"}, 45, 1, 100, "60-100"},
		{"pods", []string{"a", "none"}, 19, -1, -1, "0-10"},
		{"pods", nil, 10, -1, -1, "0-10 all"},
		{"services", nil, 50, -1, -1, "0-50"},
		{"secrets", nil, 50, -1, -1, "0-50"}, // watched from 20 on, but for one object
		{"secrets", nil, 20, -1, -1, "0-20 all"},
		{"jobs", nil, 50, -1, -1, "0-50"},
		{"configmaps", nil, 50, -1, -1, "0-50 all"},
		{"nodes", nil, 50, -1, -1, "0-50 all"},
		{"nodes", nil, 50, 1, -1, "50-100 all"},
		{"nodes", nil, 100, 1, -1, ""}, // an end of history
		{"nodes", nil, 0, -1, -1, ""},
	} {
		of, _ := object.Builtin(c.resource)
		s := &stepper{record: record, kind: of, view: shown, namespaces: c.namespaces, codes: new(object.CodeTable)}
		found, err := s.find(t.Context(), at(c.from), c.direction)
		if err != nil {
			t.Fatal(err)
		}
		missed := ""
		if m := found.Missed; m != nil {
			missed = fmt.Sprintf("%d-%d", int(m.From.Sub(began).Round(time.Second).Seconds()), int(m.To.Sub(began).Seconds()))
		}
		if found.Gaps > 1 {
			missed += fmt.Sprint(" of ", found.Gaps)
		}
		if found.Unwatched {
			missed += " all"
		}
		to := -1
		if !found.At.IsZero() {
			to = int(found.At.Sub(began).Round(time.Second).Seconds())
		}
		if to != c.to || missed != c.want {
			t.Errorf("%+v: to %d, missed %q", c, to, missed)
		}
	}
}

// TestMissedMost checks that the times in which changes may be missing are no more than can be told apart, however many
// gaps a file has, and that none of them is left out.
func TestMissedMost(t *testing.T) {
	began := time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC)
	at := func(second int) time.Time { return began.Add(time.Duration(second) * time.Second) }
	for _, n := range []int{3, mostMissed, 20 * mostMissed} {
		record := historytest.New(began)
		pods := record.Open(history.Stream{Version: "v1", Resource: "pods", Kind: "Pod"})
		for i := range n {
			record.Miss(pods, history.Gap{From: at(10 * i), To: at(10*i + 1), Why: history.Away})
		}
		got := missed(record, nil, nil)
		if n <= mostMissed && len(got) != n || len(got) > mostMissed+1 {
			t.Errorf("%d of %d", len(got), n)
		}
		for i := range n {
			if !slices.ContainsFunc(got, func(m port.Interruption) bool { return !m.From.After(at(10*i)) && !m.To.Before(at(10*i+1)) }) {
				t.Fatalf("gap %d of %d is left out", i, n)
			}
		}
	}
}
