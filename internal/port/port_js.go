//go:build js && wasm

package port

import (
	"sync"
	"syscall/js"
)

// jsPort is an end that speaks through an object with postMessage and
// onmessage: the worker's global scope, a Worker, a MessagePort.
type jsPort struct {
	peer  js.Value
	array js.Value // Uint8Array
	in    chan Message

	mu    sync.Mutex
	queue [][]byte
	more  chan struct{}
}

// JS returns the end of a JavaScript port. It is there for as long as the
// program.
func JS(peer js.Value) Port {
	p := &jsPort{peer: peer, array: js.Global().Get("Uint8Array"), in: make(chan Message), more: make(chan struct{}, 1)}
	peer.Set("onmessage", js.FuncOf(func(_ js.Value, args []js.Value) any {
		p.take(args[0].Get("data"))
		return nil
	}))
	go p.hand()
	return p
}

func (p *jsPort) Receive() <-chan Message { return p.in }

// Send copies the bytes into a buffer and hands that over, not a copy of it.
func (p *jsPort) Send(m Message) {
	b, err := Encode(m)
	if err != nil {
		panic(err) // a message that is none is a mistake of ours
	}
	array := p.array.New(len(b))
	js.CopyBytesToJS(array, b)
	buffer := array.Get("buffer")
	p.peer.Call("postMessage", buffer, []any{buffer})
}

// take queues what came. It runs in the browser's callback, which must not wait.
func (p *jsPort) take(data js.Value) {
	array := p.array.New(data)
	b := make([]byte, array.Length())
	js.CopyBytesToGo(b, array)
	p.mu.Lock()
	p.queue = append(p.queue, b)
	p.mu.Unlock()
	select {
	case p.more <- struct{}{}:
	default:
	}
}

func (p *jsPort) hand() {
	for range p.more {
		p.mu.Lock()
		queue := p.queue
		p.queue = nil
		p.mu.Unlock()
		for _, b := range queue {
			m, err := Decode(b)
			if err != nil {
				js.Global().Get("console").Call("error", err.Error())
				continue
			}
			p.in <- m
		}
	}
}
