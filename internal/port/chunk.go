package port

import "errors"

// Chunk is a part of something that is too long for one message: a file, the rows to export, the lines of a log. Its ID is
// that of the page's Ask for it. Some Asks bring something long to the page, others from the page to the hub.
//
// The receiver sends a Pull for each Chunk that it has room for, and never has more than Window of them out. The sender
// sends one Chunk for each Pull, in order. The hub's Answer to the Ask ends all, exactly once, and says why if it failed.
type Chunk struct {
	ID   uint32
	Data []byte
}

// Pull asks for one more Chunk.
type Pull struct{ ID uint32 }

// Cancel ends an Ask for something long, since the page no longer wants it. The hub answers that it was canceled, unless
// its Answer is already on its way.
type Cancel struct{ ID uint32 }

// Window is the most Pulls that a receiver has out, so that neither end has to keep more Chunks.
const Window = 4

// Transfer says what one end does with the messages about something long. What never comes is nil.
type Transfer struct {
	Chunk  func(data []byte)
	Pull   func()
	Cancel func()
}

// Receive handles a Chunk, a Pull or a Cancel.
func (t Transfer) Receive(m Message) {
	switch m := m.(type) {
	case Chunk:
		if t.Chunk != nil {
			t.Chunk(m.Data)
		}
	case Pull:
		if t.Pull != nil {
			t.Pull()
		}
	case Cancel:
		if t.Cancel != nil {
			t.Cancel()
		}
	}
}

// Transfers are the transfers of a page that the hub has not answered yet.
type Transfers struct {
	page Sender
	open map[uint32]Transfer // by the ID of their Ask
}

// NewTransfers returns the transfers of a page, of which there are none yet.
func NewTransfers(page Sender) *Transfers { return &Transfers{page, make(map[uint32]Transfer)} }

// Begin begins a transfer, which End ends.
func (t *Transfers) Begin(a Ask, one Transfer) {
	t.Receive(Cancel{a.ID}) // the ID is in use only if the page is wrong
	t.open[a.ID] = one
}

// ErrReloaded is in the Answer if what was to be sent was replaced before all of it was sent.
var ErrReloaded = errors.New("reloaded")

var errCanceled = errors.New("canceled")

// End answers the Ask of a transfer, unless it has been answered.
func (t *Transfers) End(a Ask, value any, err error) {
	if _, open := t.open[a.ID]; open {
		delete(t.open, a.ID)
		t.page.Send(a.Answer(value, err))
	}
}

// Receive handles a Chunk, a Pull or a Cancel. One of a transfer that has ended is ignored.
func (t *Transfers) Receive(m Message) {
	switch m := m.(type) {
	case Chunk:
		t.open[m.ID].Receive(m)
	case Pull:
		t.open[m.ID].Receive(m)
	case Cancel:
		t.open[m.ID].Receive(m)
		t.End(Ask{ID: m.ID}, nil, errCanceled)
	}
}

// Close cancels all, without answers: the page is gone.
func (t *Transfers) Close() {
	for _, one := range t.open {
		one.Receive(Cancel{})
	}
	clear(t.open)
}
