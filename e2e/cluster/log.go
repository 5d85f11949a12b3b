package cluster

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// Script is a log whose lines a test writes.
type Script struct {
	mu    sync.Mutex
	lines []scripted
	ended bool
	more  chan struct{} // closed at the next line, and at the end
}

type scripted struct {
	at   time.Time
	text string
}

// NewScript returns a log that begins with some lines, all of the same time.
func NewScript(at time.Time, lines ...string) *Script {
	s := &Script{more: make(chan struct{})}
	for _, text := range lines {
		s.lines = append(s.lines, scripted{at, text})
	}
	return s
}

// Write adds a line, without its end.
func (s *Script) Write(at time.Time, text string) {
	s.change(func() { s.lines = append(s.lines, scripted{at, text}) })
}

// End ends the container.
func (s *Script) End() { s.change(func() { s.ended = true }) }

func (s *Script) change(what func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	what()
	close(s.more)
	s.more = make(chan struct{})
}

// Written is how many lines there are.
func (s *Script) Written() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.lines)
}

// Line is one of them.
func (s *Script) Line(n int) (at time.Time, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.lines[n].at, s.lines[n].text
}

// Await waits for a line.
func (s *Script) Await(ctx context.Context, n int) bool {
	for {
		s.mu.Lock()
		there, ended, more := len(s.lines) > n, s.ended, s.more
		s.mu.Unlock()
		if there || ended {
			return there
		}
		select {
		case <-more:
		case <-ctx.Done():
			return false
		}
	}
}

// gushLine is how long a line of a Gush is, its end included.
const gushLine = 100

// Gush is a log that is written at a pace for a while, by the clock: whoever reads it
// slower finds more of it later, as in a file.
type Gush struct {
	perSecond  int // lines
	lines      int
	structured bool

	mu    sync.Mutex
	began time.Time
	begin chan struct{} // closed then
}

// NewGush returns a log of some bytes a second, for some time after Begin.
func NewGush(bytesPerSecond int, lasts time.Duration) *Gush {
	perSecond := max(1, bytesPerSecond/gushLine)
	return &Gush{perSecond: perSecond, lines: int(lasts.Seconds() * float64(perSecond)), begin: make(chan struct{})}
}

// Structured makes its lines JSON, of which a hundredth are errors and a tenth took 900 ms or more.
// They are as long.
func (g *Gush) Structured() *Gush {
	g.structured = true
	return g
}

// Begin begins it, once.
func (g *Gush) Begin() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.began = time.Now()
	close(g.begin)
}

// Lines is how many lines there are going to be.
func (g *Gush) Lines() int { return g.lines }

// Text is one of its lines: its number, and as much again as makes it long.
func (g *Gush) Text(n int) string {
	if g.structured {
		level := "info"
		if n%100 == 0 {
			level = "error"
		}
		text := fmt.Sprintf(`{"level":%q,"msg":"request","path":"/v1/items/%d","status":200,"ms":%d,"id":"`, level, n, n%1000)
		return fmt.Sprintf(`%s%0*d"}`, text, gushLine-1-len(text)-2, n)
	}
	return fmt.Sprintf("%010d %0*d", n, gushLine-12, n)
}

// Written is how many there are by now.
func (g *Gush) Written() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.began.IsZero() {
		return 0
	}
	return min(g.lines, int(time.Since(g.began).Seconds()*float64(g.perSecond)))
}

// Line is one of them.
func (g *Gush) Line(n int) (at time.Time, text string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.due(n), g.Text(n)
}

func (g *Gush) due(n int) time.Time {
	return g.began.Add(time.Duration(float64(n+1) / float64(g.perSecond) * float64(time.Second)))
}

// Await waits for a line, and some more: a container's pipe is read in pieces.
func (g *Gush) Await(ctx context.Context, n int) bool {
	select {
	case <-g.begin:
	case <-ctx.Done():
		return false
	}
	for g.Written() <= n {
		if n >= g.lines {
			return false
		}
		select {
		case <-time.After(time.Until(g.due(n)) + time.Millisecond):
		case <-ctx.Done():
			return false
		}
	}
	return true
}
