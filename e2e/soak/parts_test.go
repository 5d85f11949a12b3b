package soak

import (
	"bytes"
	"io"
	"net"
	"strings"
	"testing"
	"time"
)

// TestClasses checks that there are enough classes, that each has what it needs, and that a seed draws
// every one of them once before any comes again.
func TestClasses(t *testing.T) {
	all := classes()
	if len(all) < longForm.least {
		t.Errorf("%d classes", len(all))
	}
	quick := 0
	for _, c := range all {
		if c.begin == nil || c.clear == nil || c.promises == "" {
			t.Errorf("%s lacks something", c.name)
		}
		if !c.slow {
			quick++
		}
	}
	if quick < shortForm.least {
		t.Errorf("%d classes are quick", quick)
	}
	draw := func(seed uint64) (names []string) {
		q := newQueue(seed, all, false)
		for range 2 * len(all) {
			c, _ := q.next(true)
			names = append(names, c.name)
		}
		return names
	}
	spared := newQueue(1, all, false)
	spared.next(true)
	spared.spare()
	for range 2 * len(all) {
		if c, _ := spared.next(true); c.renews() {
			t.Errorf("%s starts anew what is measured", c.name)
		}
	}
	one := draw(1)
	for _, c := range all {
		if n := strings.Count(strings.Join(one[:len(all)], "\n")+"\n", c.name+"\n"); n != 1 {
			t.Errorf("%s came up %d times in the first round", c.name, n)
		}
	}
	if again := draw(1); strings.Join(one, "\n") != strings.Join(again, "\n") {
		t.Error("a seed drew two orders")
	}
	if other := draw(2); strings.Join(one, "\n") == strings.Join(other, "\n") {
		t.Error("two seeds drew one order")
	}
}

// TestDifference checks that objects that are lost, deleted or old are told apart.
func TestDifference(t *testing.T) {
	want := []string{"a/1 u 5", "a/2 u 6", "a/3 u 7"}
	for _, c := range []struct {
		have []string
		says string
	}{
		{want, ""},
		{want[1:], "1 lost, 0 ghosts, 0 stale of 3, such as a/1"},
		{append([]string{"a/0 u 1"}, want...), "0 lost, 1 ghosts, 0 stale of 3, such as a/0"},
		{[]string{"a/1 u 5", "a/2 u 4", "a/3 u 7"}, "0 lost, 0 ghosts, 1 stale of 3, such as a/2 is u 4 instead of u 6"},
	} {
		if says := difference(c.have, want); says != c.says {
			t.Errorf("%v: %q", c.have, says)
		}
	}
}

// TestLedger checks that a version is missed from when the next was written.
func TestLedger(t *testing.T) {
	var l ledger
	begin := time.Now()
	for _, v := range []int64{5, 9, 7} {
		l.add(v, begin.Add(time.Duration(v)*time.Second))
	}
	for version, want := range map[int64]int64{4: 5, 5: 7, 6: 7, 8: 9} {
		if at, ok := l.after(version); !ok || !at.Equal(begin.Add(time.Duration(want)*time.Second)) {
			t.Errorf("after %d: %v %v", version, at.Sub(begin), ok)
		}
	}
	if _, ok := l.after(9); ok {
		t.Error("something was written after the last")
	}
}

// TestGoesBack checks that a version which falls is noticed while a tab is live, in one history of the server.
func TestGoesBack(t *testing.T) {
	live := func(version string) look { return look{State: "live", Version: version} }
	b := &tab{}
	for i, c := range []struct {
		look    look
		history int64
		from    int64
	}{
		{live("10"), 0, 0}, {live("9"), 0, 10}, {live("11"), 0, 0}, {look{State: "stale", Version: "8"}, 0, 0}, {live("5"), 2, 0}, {live("4"), 2, 5}, {live("4"), 2, 0},
	} {
		if from := b.goesBack(c.look, c.history); from != c.from {
			t.Errorf("%d: went back from %d, want %d", i, from, c.from)
		}
	}
}

// TestGate checks that what passes a gate comes whole, late, in slices, in part or not at all.
func TestGate(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() { // an echo
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() { _, _ = io.Copy(c, c); c.Close() }()
		}
	}()
	g := newGate(t, 1, dialing("tcp", l.Addr().String()))
	text := bytes.Repeat([]byte("watchglass"), 5000)
	send := func() (int, time.Duration) {
		begin := time.Now()
		c, err := net.Dial("tcp", g.address)
		if err != nil {
			return -1, 0
		}
		defer c.Close()
		go func() { _, _ = c.Write(text) }()
		got := make([]byte, len(text))
		n, _ := io.ReadFull(c, got)
		if !bytes.Equal(got[:n], text[:n]) {
			t.Error("it came changed")
		}
		return n, time.Since(begin)
	}
	set := func(m manner) {
		if err := g.set(m); err != nil {
			t.Fatal(err)
		}
	}
	for name, m := range map[string]manner{"whole": {}, "in slices": {slices: 64}, "late": {latency: 50 * time.Millisecond}} {
		set(m)
		n, took := send()
		if n != len(text) || took < 2*m.latency {
			t.Errorf("%s: %d bytes came in %s", name, n, took)
		}
	}
	set(manner{cut: 1000})
	if n, _ := send(); n > 1000 || n < 0 {
		t.Errorf("cut: %d bytes came", n)
	}
	set(manner{refuse: true})
	if n, _ := send(); n != -1 {
		t.Errorf("refused: %d bytes came", n)
	}
	set(manner{stall: true})
	stalled := make(chan int, 1)
	go func() { n, _ := send(); stalled <- n }()
	select {
	case n := <-stalled:
		t.Errorf("stalled: %d bytes came", n)
	case <-time.After(200 * time.Millisecond):
	}
	set(manner{})
	if n := <-stalled; n != len(text) {
		t.Errorf("no longer stalled: %d bytes came", n)
	}
}
