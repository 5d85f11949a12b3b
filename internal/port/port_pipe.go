package port

import "sync"

// pipe is one end of a pipe in memory. Messages cross as bytes, as they do between page and
// worker.
type pipe struct {
	other *pipe
	in    chan Message
	mu    sync.Mutex
	queue [][]byte
	busy  bool
}

// Pipe returns the two ends of a pipe.
func Pipe() (a, b Port) {
	x, y := &pipe{in: make(chan Message)}, &pipe{in: make(chan Message)}
	x.other, y.other = y, x
	return x, y
}

func (p *pipe) Receive() <-chan Message { return p.in }

func (p *pipe) Send(m Message) {
	b, err := Encode(m)
	if err != nil {
		panic(err) // a bug of ours: not a message
	}
	p.other.deliver(b)
}

// deliver queues bytes, and starts hand unless it is running.
func (p *pipe) deliver(b []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.queue = append(p.queue, b)
	if !p.busy {
		p.busy = true
		go p.hand()
	}
}

// hand delivers what is queued, until the queue is empty.
func (p *pipe) hand() {
	for {
		p.mu.Lock()
		if len(p.queue) == 0 {
			p.busy = false
			p.mu.Unlock()
			return
		}
		b := p.queue[0]
		p.queue = p.queue[1:]
		p.mu.Unlock()
		m, err := Decode(b)
		if err != nil {
			panic(err)
		}
		p.in <- m
	}
}
