package recorder

import (
	"slices"
	"sync"
	"time"

	"watchglass/internal/history"
	"watchglass/internal/hub/loop"
	"watchglass/internal/informer"
	"watchglass/internal/object"
	"watchglass/internal/wire"
)

// asleep is how long no step was taken if the tab slept, or had no time for anything.
const asleep = 15 * time.Second

// tidyAgain is the wait between two slices of tidying.
const tidyAgain = 20 * time.Millisecond

// Options of a Recorder.
type Options struct {
	History *history.Store
	Loop    *loop.Loop
	// Link returns the state of the connection to the proxy.
	Link func() informer.Link
	// Restores reports whether the bodies of a list are being read from disk.
	Restores func(*informer.Informer[*object.Object]) bool
}

// Recorder tells the history of a cluster what happens in its sources. Any goroutine may call Add and Len; Step is for
// the loop.
type Recorder struct {
	Options

	mu     sync.Mutex
	all    []*Source
	looked time.Time
}

// New returns a recorder without sources.
func New(o Options) *Recorder { return &Recorder{Options: o} }

// Add records the changes of a source from now on.
func (c *Recorder) Add(r wire.Request, kind object.Kind, decoder *object.Decoder, i *informer.Informer[*object.Object]) *Source {
	of := history.Source{
		Kind: kind, Decoder: decoder, Namespace: r.Namespace, Partial: r.Encoding == wire.EncodingTable,
		Unread: func(key string) bool { return !i.Unread(key).IsZero() },
		Held:   func(f func(history.Objects)) { i.Reported(func() { f(i.Store()) }) },
	}
	m := &Source{recorder: c, informer: i, kind: kind, scope: r.LabelSelector + " " + r.FieldSelector}
	if m.scope != " " {
		of.Scope = m.scope
	}
	m.input = c.History.NewInput(of)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.all = append(c.all, m)
	return m
}

func (c *Recorder) remove(m *Source) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.all = slices.DeleteFunc(c.all, func(other *Source) bool { return other == m })
}

// Len returns how many sources are recorded.
func (c *Recorder) Len() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.all)
}

// Step tells the history which sources are up to date, and which may have missed changes.
func (c *Recorder) Step(now time.Time) {
	now = now.Round(0) // the clock that goes on while the machine sleeps
	c.mu.Lock()
	all, looked := slices.Clone(c.all), c.looked
	c.looked = now
	c.mu.Unlock()
	link := c.Link()
	for _, m := range all {
		if !looked.IsZero() && now.Sub(looked) > asleep {
			m.input.Miss(looked, history.Away)
		}
		m.refresh(link, now)
	}
	if c.History.Tidy(now) {
		c.Loop.WakeAt(now.Add(tidyAgain))
	}
}
