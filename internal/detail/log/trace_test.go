package log

import (
	"fmt"
	"strings"
	"testing"
)

// TestFar folds no line under one that is far before it: it is a line of its own, and what continues it
// is folded there.
func TestFar(t *testing.T) {
	s := NewStore(Default)
	v := NewView(s)
	_, write := dated(s, "p")
	_, other := dated(s, "q")
	write(1, "ERROR one")
	for i := range farthest - 1 {
		other(2, fmt.Sprint("other ", i))
	}
	write(3, "\tat near")
	write(4, "\tat far")
	write(5, "\tat farther")
	s.Merge(start)
	v.Step(1 << 30)
	last := v.Window(farthest, 10)
	if len(last) != 1 || last[0].Text() != "        at far" || last[0].Folded != 1 {
		t.Errorf("%+v", last)
	}
	if first := v.Window(0, 1)[0]; first.Folded != 1 {
		t.Errorf("%+v", first)
	}
	v.Ask(Query{Filter: filterOf(t, "far")})
	v.Step(1 << 30)
	if rows := v.Window(0, 10); len(rows) != 1 || rows[0].Text() != "        at far" {
		t.Errorf("%+v", rows)
	}
	v.Expand([]uint64{s.at(0).id()})
	v.Ask(Query{})
	v.Step(1 << 30)
	if rows := v.Window(1, 1); rows[0].Kind != TraceRow || rows[0].Text() != "        at near" || v.Window(2, 1)[0].Text() != "other 0" {
		t.Errorf("%+v", rows)
	}
}

// TestLooked pins how often a line is looked at when the filter changes, also if each trace is shown
// because of its last line, and when a line is inserted.
func TestLooked(t *testing.T) {
	const traces, pods = 300, 5
	s := NewStore(Default)
	v := NewView(s)
	var write []func(string)
	for i := range pods {
		_, w := dated(s, fmt.Sprint(i))
		write = append(write, func(text string) { w(0, text) })
	}
	lines := 0
	for range traces { // the traces of all pods are mixed
		for _, text := range append(append([]string{"ERROR failed"}, strings.Split(strings.Repeat("\tat x,", 20), ",")[:20]...), "\tat found") {
			for _, w := range write {
				w(text)
				lines++
			}
		}
	}
	s.Merge(start)
	v.Step(1 << 30)
	for filter, most := range map[string]int{"failed": 1, "none": 1, "level:error": 1, "found": 7} {
		before := v.looked
		v.Ask(Query{Filter: filterOf(t, filter)})
		v.Step(1 << 30)
		if looked := int(v.looked - before); looked > most*lines {
			t.Errorf("%s: %d looks at %d lines", filter, looked, lines)
		}
		if shown, _, _ := v.Count(); filter != "none" && shown != lines {
			t.Errorf("%s: %d lines are shown, want %d", filter, shown, lines)
		}
	}
	before := v.looked
	write[0]("one more")
	s.Merge(start)
	if v.Step(1 << 30); v.looked-before != 1 {
		t.Errorf("%d looks at one new line", v.looked-before)
	}
}

// TestOpenTrace begins a stream of another run with a line of its own, and goes on with a trace that
// broke off.
func TestOpenTrace(t *testing.T) {
	for again, want := range map[bool]int{false: 2, true: 1} {
		s := NewStore(Default)
		v := NewView(s)
		a, write := dated(s, "p")
		write(0, "panic: no")
		write(1, "goroutine 1 [running]:")
		a.Break()
		a.Open(start, again)
		if again {
			write(1, "goroutine 1 [running]:")
		}
		write(2, "main.run(...)")
		write(3, "\tat the beginning")
		s.Merge(start)
		v.Step(1 << 30)
		if _, rows, _ := v.Count(); rows != want {
			t.Errorf("again %t: %d rows, want %d", again, rows, want)
		}
	}
}
