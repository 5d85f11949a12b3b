package hub

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"watchglass/internal/history"
	"watchglass/internal/history/replay"
	"watchglass/internal/port"
	"watchglass/internal/socket"
	"watchglass/internal/view"
	"watchglass/internal/wire"
)

// benchPage notes when what it waits for comes.
type benchPage struct {
	in    chan port.Message
	seq   atomic.Uint32
	first chan time.Time // a patch
	told  chan port.Past
	live  chan struct{}
}

func (p *benchPage) Receive() <-chan port.Message { return p.in }

func (p *benchPage) Send(m port.Message) {
	switch m := m.(type) {
	case port.Patch:
		if len(m.Patch.Rows) > 0 {
			select {
			case p.first <- time.Now():
			default:
			}
		}
		p.in <- port.Painted{ID: m.ID}
	case port.State:
		if m.Source.State == "live" {
			select {
			case p.live <- struct{}{}:
			default:
			}
		}
	case port.Past:
		if m.Seq == p.seq.Load() && m.Seq > 0 {
			select {
			case p.told <- m:
			default:
			}
		}
	}
}

// BenchmarkTravel goes to random moments between which all of 10,000 pods changed, and reports the time to
// the last row and its parts: what the history and the relay need, and how much is sent.
func BenchmarkTravel(b *testing.B) {
	const pods, rounds = 10_000, 6
	p, padding := &proxy{}, strings.Repeat("x", 1600)
	add := func(kind wire.EventType, i, round int) { // as proxy.change, which looks for the object first
		o := pod(fmt.Sprint("team-", i%50), fmt.Sprintf("web-%05d", i), []string{"Running", "Pending", "Failed", "Succeeded", "Unknown", "Error"}[(i+round)%6])
		o.containers = []string{padding}
		p.mu.Lock()
		defer p.mu.Unlock()
		p.version++
		if o.resource, o.version = "pods", p.version; kind == wire.Added {
			p.things = append(p.things, o)
		} else {
			p.things[i] = o
		}
		for id := range p.open {
			p.sendIfSelected(id, event{kind, o})
		}
	}
	for i := range pods {
		add(wire.Added, i, 0)
	}
	ctx, cancel := context.WithCancel(b.Context())
	h := New(ctx, Options{Dial: func(ctx context.Context, _ string) (socket.Connection, error) { return p.dial(ctx) }})
	ended := make(chan struct{})
	go func() { h.Run(); close(ended) }()
	defer func() { cancel(); <-ended }()
	page := &benchPage{in: make(chan port.Message, 256), first: make(chan time.Time, 1), told: make(chan port.Past, 1), live: make(chan struct{}, 1)}
	h.Connect(Connection{Port: page})
	page.in <- port.ListQuery{ID: listID, Resource: "pods", Query: view.Query{Seq: 1, Sort: "name", Limit: 50}}
	<-page.live
	var moments []time.Time
	for round := range rounds {
		for i := range pods {
			add(wire.Modified, i, round+1)
			if i%100 == 0 {
				time.Sleep(time.Millisecond)
			}
		}
		time.Sleep(300 * time.Millisecond)
		moments = append(moments, time.Now())
		time.Sleep(50 * time.Millisecond)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	at, seq := -1, uint32(0)
	travel := func() (patch, all time.Duration) {
		next := rng.IntN(rounds - 1)
		if next >= at {
			next++
		}
		at = next % rounds
		select {
		case <-page.first:
		default:
		}
		seq++
		page.seq.Store(seq)
		began := time.Now()
		page.in <- port.Travel{At: moments[at], Seq: seq}
		patch = (<-page.first).Sub(began)
		<-page.told
		return patch, time.Since(began)
	}
	travel() // opens the past
	var store *history.Store
	got := make(chan struct{})
	h.loop.Post(ctx, func() { store = h.pages[0].past.Own().History; close(got) })
	<-got
	b.ResetTimer()
	var patches, alls time.Duration
	for range b.N {
		patch, all := travel()
		patches, alls = patches+patch, alls+all
	}
	b.StopTimer()
	n := float64(b.N)
	b.ReportMetric(float64(patches.Microseconds())/1000/n, "ms/first-patch")
	b.ReportMetric(float64(alls.Microseconds())/1000/n, "ms/all-rows")
	b.ReportMetric(0, "ns/op")
	began, bytes := time.Now(), 0
	for i := range 5 {
		store.Moved(0, moments[i], moments[i+1], nil, func(c history.Change) bool { bytes += len(c.After); return true })
	}
	b.ReportMetric(float64(time.Since(began).Microseconds())/5000, "ms/moved")
	b.ReportMetric(float64(bytes)/5e6, "MB/moved")
	b.ReportMetric(relayed(ctx, store, moments), "ms/relayed")
}

// relayed returns how long a relay takes to write the frames of a seek, in milliseconds.
func relayed(ctx context.Context, record history.Record, moments []time.Time) float64 {
	r := replay.New(record, replay.Options{})
	r.Seek(moments[0])
	d, _ := r.Dial(ctx)
	defer d.Close()
	_ = d.Write(ctx, wire.JSONFrame(wire.KindOpen, 1, wire.InitialWatch("", "v1", "pods", "")))
	drain := func() {
		for {
			within, cancel := context.WithTimeout(ctx, 10*time.Millisecond)
			msg, err := d.Read(within)
			cancel()
			if err != nil {
				return
			}
			if f, _ := wire.ParseFrame(msg); f.Kind == wire.KindData {
				_ = d.Write(ctx, wire.CreditFrame(1, len(msg)))
			}
		}
	}
	drain()
	began := time.Now()
	for _, at := range moments[1:] {
		r.Seek(at)
		drain()
	}
	n := float64(len(moments) - 1)
	return float64(time.Since(began).Microseconds())/1000/n - 10 // drain waits that long at its end
}
