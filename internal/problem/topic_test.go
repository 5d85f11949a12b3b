//go:build !js

package problem

import (
	"fmt"
	"testing"
	"time"

	"watchglass/internal/problem/problemtest"
	"watchglass/internal/problem/rule"
)

// storm returns an event about one object, with a reason and a message.
func storm(t testing.TB, name, reason, message string, before time.Duration) Change {
	at := problemtest.Noon.Add(-before).UTC().Format(time.RFC3339)
	return decode(t, true, fmt.Sprintf(`{"apiVersion":"v1","kind":"Event","metadata":{"name":%q,"namespace":"a","creationTimestamp":%q},"involvedObject":{"kind":"Widget","namespace":"a","name":"w"},"reason":%q,"message":%q,"type":"Warning","firstTimestamp":%[2]q,"lastTimestamp":%[2]q,"count":1}`, name, at, reason, message))
}

// TestEventStorm holds that one more event about an object costs the same, however many there are,
// and that the object has few rows.
func TestEventStorm(t *testing.T) {
	for _, c := range []struct {
		name  string
		event func(i int, more bool) Change
		rows  int
	}{
		{"a reason each", func(i int, _ bool) Change {
			return storm(t, fmt.Sprint("e", i), fmt.Sprint("Reason", i), "m", time.Minute)
		}, mostRows},
		{"one reason", func(i int, _ bool) Change {
			return storm(t, fmt.Sprint("e", i), "Reason", fmt.Sprint("m", i), time.Minute)
		}, 1},
		{"old ones", func(i int, more bool) Change {
			before := rule.News*time.Second - time.Second
			if more {
				before = time.Minute
			}
			return storm(t, fmt.Sprint("e", i), fmt.Sprint("Reason", i), "m", before)
		}, mostRows},
	} {
		t.Run(c.name, func(t *testing.T) {
			few, many := costs(t, 100, c.event, c.rows), costs(t, 3_000, c.event, c.rows)
			t.Logf("%.0f and %.0f allocations", few, many)
			if many > 2*few {
				t.Errorf("one more event among 3,000 takes %.0f allocations, among 100 %.0f", many, few)
			}
		})
	}
}

// costs returns how many allocations it takes to add or change one event of many, and to make the
// rows anew.
func costs(t *testing.T, n int, event func(i int, more bool) Change, rows int) float64 {
	t.Helper()
	var e *Engine
	all, now := make([]Change, n), problemtest.Noon
	for i := range all {
		all[i] = event(i, false)
	}
	apply := func(changes ...Change) {
		e.Apply(changes, now)
		e.Read(now, 0)
		e.Changed(now)
	}
	first := testing.AllocsPerRun(1, func() {
		e = New(Options{})
		apply(all...)
	})
	if first > float64(60*n)+2000 {
		t.Errorf("%d events take %.0f allocations", n, first)
	}
	if len(e.Rows()) != rows {
		t.Errorf("%d rows of %d events", len(e.Rows()), n)
	}
	now = now.Add(time.Second)
	const runs = 100
	more := make([]Change, 0, 2*runs+2)
	for i := range runs + 1 {
		more = append(more, event(n+i, true), Change{Kind: all[0].Kind, Columns: all[0].Columns, Before: all[i%n].After, After: all[i%n].After})
	}
	return testing.AllocsPerRun(runs, func() {
		apply(more[:2]...)
		more = more[2:]
	})
}

// TestTopics checks what a row says of several events with one reason: the words of the newest, since
// the first that is news, whatever the order in which they come and go.
func TestTopics(t *testing.T) {
	const row = "warning widget/a/w/Odd Widget "
	c := newCluster(t)
	put := func(name, message string, before time.Duration) { c.apply(storm(t, name, "Odd", message, before)) }
	put("b", "second", 5*time.Minute)
	c.expect("one", row+"5m0s 1/0 | Odd: second | event Odd | events  ")
	put("a", "first", 10*time.Minute)
	put("c", "third", time.Minute)
	c.expect("three", row+"10m0s 1/0 | Odd: third | event Odd | events  ")
	c.remove("events/a/c")
	c.expect("without the newest", row+"10m0s 1/0 | Odd: second | event Odd | events  ")
	put("c", "third again", 2*time.Minute)
	c.expect("with a new one", row+"10m0s 1/0 | Odd: third again | event Odd | events  ")
	c.now = c.now.Add(6 * time.Minute)
	c.expect("the first is old", row+"5m0s 1/0 | Odd: third again | event Odd | events  ")
	c.remove("events/a/b")
	c.expect("without the first", row+"2m0s 1/0 | Odd: third again | event Odd | events  ")
	c.now = c.now.Add(8 * time.Minute)
	c.expect("all are old")
	c.remove("events/a/c")
	c.remove("events/a/a")
	c.expect("none is left")
	if n := len(c.engine.records); n != 0 {
		t.Errorf("%d records", n)
	}
}

// TestProbes checks that a probe that keeps failing is a row, also if another failed later.
func TestProbes(t *testing.T) {
	c := newCluster(t)
	c.put(eventDoc("Pod", "db-0", "Unhealthy", "Liveness probe failed: 500", 30))
	c.put(eventDoc("Pod", "db-0", "Unhealthy", "Readiness probe failed: timeout", 1), `{"metadata":{"name":"other"},"firstTimestamp":"-10s","lastTimestamp":"-10s"}`)
	c.expect("one that keeps failing", "warning pods/checkout/db-0/Unhealthy Pod 10m0s 1/0 | Unhealthy: Liveness probe failed: 500 (×30) | event Unhealthy | events db-0 ")
}

// TestEventTimes checks events that say nothing, and those that say when they will be.
func TestEventTimes(t *testing.T) {
	const row = "warning widget/a/w/Odd Widget "
	put := func(c *cluster, change string) { c.put(about("a", "e", "Widget", "w"), change) }
	c := newCluster(t)
	put(c, `{"reason":""}`)
	c.expect("without a reason")
	put(c, `{"firstTimestamp":"9999-12-31T23:59:59Z","lastTimestamp":"9999-12-31T23:59:59Z","count":-5}`)
	c.expect("in 9999")
	c.now = c.now.Add(time.Hour)
	c.expect("in 9999, an hour later")
	c.now = problemtest.Noon
	put(c, `{"firstTimestamp":"9999-12-31T23:59:59Z"}`)
	c.expect("first in 9999", row+"1m0s 1/0 | Odd: run this | event Odd | events  ")
	put(c, `{"firstTimestamp":null}`)
	c.expect("no first time", row+"1m0s 1/0 | Odd: run this | event Odd | events  ")
	ahead := func(by time.Duration) string {
		at := problemtest.Noon.Add(by).UTC().Format(time.RFC3339)
		return fmt.Sprintf(`{"firstTimestamp":%q,"lastTimestamp":%[1]q}`, at)
	}
	put(c, ahead(time.Minute))
	c.expect("a minute ahead", row+"-1m0s 1/0 | Odd: run this | event Odd | events  ")
	put(c, ahead(20*time.Minute))
	c.expect("far ahead")
	c.now = problemtest.Noon.Add(5 * time.Minute)
	c.expect("no longer far", row+"-20m0s 1/0 | Odd: run this | event Odd | events  ")
	c.now = problemtest.Noon.Add(35 * time.Minute)
	c.expect("over")
}
