package port

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
)

// slow is a port that loses nothing and delivers when the test says so: it is what was sent and has not arrived.
type slow struct{ queue []Message }

func (s *slow) Send(m Message) { s.queue = append(s.queue, m) }

// take returns the oldest message that has not arrived.
func (s *slow) take() Message {
	m := s.queue[0]
	s.queue = s.queue[1:]
	return m
}

// chunks returns how many chunks are on their way.
func (s *slow) chunks() (n int) {
	for _, m := range s.queue {
		if _, ok := m.(Chunk); ok {
			n++
		}
	}
	return n
}

// source sends numbered chunks, one for each pull.
type source struct {
	to    Sender
	id    uint32
	n     byte
	sent  byte
	ended func() // all has been sent
}

func (s *source) pull() {
	if s.sent < s.n {
		s.to.Send(Chunk{ID: s.id, Data: []byte{s.sent}})
		s.sent++
	}
	if s.sent == s.n && s.ended != nil {
		s.ended()
	}
}

// sink takes chunks one after another, and pulls one for each.
type sink struct {
	to   Sender
	id   uint32
	held []byte // arrived, and not taken
	got  []byte
}

func (s *sink) begin() {
	for range Window {
		s.to.Send(Pull{s.id})
	}
}

func (s *sink) take() {
	s.got, s.held = append(s.got, s.held[0]), s.held[1:]
	s.to.Send(Pull{s.id})
}

// transferModel is a transfer between the two ends of a slow port, with what it has done so far.
type transferModel struct {
	toHub, toPage   slow
	hub             *Transfers
	ask             Ask
	source          *source
	sink            *sink
	page            Transfer
	answers         []Answer
	canceled, ended bool
}

// newTransferModel begins a transfer of n chunks to the page or from it. If fails, it fails halfway.
func newTransferModel(n byte, upload, fails bool) *transferModel {
	m := &transferModel{ask: Ask{ID: 7}}
	m.hub = NewTransfers(&m.toPage)
	cancel := func() { m.ended = true }
	if upload {
		m.source, m.sink = &source{to: &m.toHub, id: 7, n: n}, &sink{to: &m.toPage, id: 7}
		m.page.Pull = m.source.pull
		m.hub.Begin(m.ask, Transfer{Chunk: func(b []byte) { m.sink.held = append(m.sink.held, b...) }, Cancel: cancel})
	} else {
		m.source, m.sink = &source{to: &m.toPage, id: 7, n: n}, &sink{to: &m.toHub, id: 7}
		m.page.Chunk = func(b []byte) { m.sink.held = append(m.sink.held, b...) }
		m.source.ended = func() { m.hub.End(m.ask, nil, nil) }
		m.hub.Begin(m.ask, Transfer{Pull: func() {
			if m.source.pull(); fails && m.source.sent >= n/2 {
				m.hub.End(m.ask, nil, errors.New("failed"))
			}
		}, Cancel: cancel})
	}
	m.sink.begin()
	return m
}

// step does something that can happen next, and reports whether there was anything.
func (m *transferModel) step(r *rand.Rand, upload bool) bool {
	var can []func()
	if len(m.toHub.queue) > 0 {
		can = append(can, func() { m.hub.Receive(m.toHub.take()) })
	}
	if len(m.toPage.queue) > 0 {
		can = append(can, func() {
			switch a := m.toPage.take().(type) {
			case Answer:
				m.answers = append(m.answers, a)
			default:
				if len(m.answers) > 0 && !upload {
					panic("a chunk after the answer")
				}
				m.page.Receive(a)
			}
		})
	}
	if len(m.sink.held) > 0 {
		can = append(can, func() {
			if m.sink.take(); upload && len(m.sink.got) == int(m.source.n) {
				m.hub.End(m.ask, nil, nil)
			}
		})
	}
	if len(can) > 0 {
		can[r.IntN(len(can))]()
	}
	return len(can) > 0
}

// TestTransfer checks, over ports of any slowness, that nothing is lost or out of order, that no end ever has more than
// Window chunks to keep, and that there is exactly one answer, also if the transfer fails or is canceled.
func TestTransfer(t *testing.T) {
	for seed := range uint64(3000) {
		r := rand.New(rand.NewPCG(seed, 1))
		n, upload, fails := byte(1+r.IntN(20)), seed%2 == 0, r.IntN(3) == 0
		m, cancelAt := newTransferModel(n, upload, fails), r.IntN(100)
		name := fmt.Sprintf("seed %d: %d chunks, upload %v, fails %v", seed, n, upload, fails)
		for i := 0; m.step(r, upload); i++ {
			if kept := m.toHub.chunks() + m.toPage.chunks() + len(m.sink.held); kept > Window {
				t.Fatalf("%s: %d chunks are kept", name, kept)
			}
			if i == cancelAt && len(m.answers) == 0 {
				m.canceled = true
				m.toHub.Send(Cancel{m.ask.ID})
			}
		}
		for i, b := range m.sink.got {
			if int(b) != i {
				t.Fatalf("%s: got %v", name, m.sink.got)
			}
		}
		if len(m.answers) != 1 || m.ended && m.answers[0].Error != errCanceled.Error() {
			t.Fatalf("%s: answers %v", name, m.answers)
		}
		if m.answers[0].Error == "" && len(m.sink.got) != int(n) || !fails && !m.canceled && m.answers[0].Error != "" {
			t.Fatalf("%s: %d chunks came, %v", name, len(m.sink.got), m.answers)
		}
		m.hub.Receive(Pull{m.ask.ID}) // what comes late changes nothing
		m.hub.End(m.ask, nil, nil)
		if len(m.toPage.queue) > 0 {
			t.Fatalf("%s: after the end: %v", name, m.toPage.queue)
		}
	}
}

// TestTransfersClose checks that the end of a page cancels what it has open, and answers nobody.
func TestTransfersClose(t *testing.T) {
	var page slow
	all, canceled := NewTransfers(&page), 0
	for id := range uint32(3) {
		all.Begin(Ask{ID: id}, Transfer{Cancel: func() { canceled++ }})
	}
	all.Begin(Ask{ID: 2}, Transfer{}) // an ID that is in use
	if canceled != 1 || len(page.queue) != 1 {
		t.Errorf("%d canceled, %v", canceled, page.queue)
	}
	all.Close()
	if canceled != 3 || len(page.queue) != 1 {
		t.Errorf("%d canceled, %v", canceled, page.queue)
	}
}
