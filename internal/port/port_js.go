//go:build js && wasm

package port

import (
	"sync"
	"syscall/js"
)

// JSPort is a Port over an object with postMessage and onmessage: a MessagePort, or what
// boot.js puts in its place.
type JSPort struct {
	peer   js.Value
	array  js.Value // Uint8Array
	buffer js.Value // ArrayBuffer
	in     chan Message
	done   chan struct{}
	once   sync.Once
	funcs  []js.Func

	mu    sync.Mutex
	queue []Message
	more  chan struct{}
}

// JS returns a Port over a JavaScript port. Close ends it.
func JS(peer js.Value) *JSPort {
	p := &JSPort{peer: peer, array: js.Global().Get("Uint8Array"), buffer: js.Global().Get("ArrayBuffer"), in: make(chan Message), done: make(chan struct{}), more: make(chan struct{}, 1)}
	p.on("onmessage", func(args []js.Value) { p.receive(args[0].Get("data")) })
	p.on("onreset", func([]js.Value) { p.put(Reset{}) })
	go p.hand()
	return p
}

// on calls f with the arguments of each event of the given name.
func (p *JSPort) on(event string, f func(args []js.Value)) {
	callback := js.FuncOf(func(_ js.Value, args []js.Value) any {
		f(args)
		return nil
	})
	p.funcs = append(p.funcs, callback)
	p.peer.Set(event, callback)
}

// Close ends the port. It may be called more than once.
func (p *JSPort) Close() {
	p.once.Do(func() {
		close(p.done)
		p.peer.Set("onmessage", js.Null())
		p.peer.Set("onreset", js.Null())
		p.peer.Call("close")
		for _, f := range p.funcs {
			f.Release()
		}
	})
}

func (p *JSPort) Receive() <-chan Message { return p.in }

// Send copies the message into a buffer, and transfers the buffer instead of copying it
// again.
func (p *JSPort) Send(m Message) {
	b, err := encodeSafely(m)
	if err != nil {
		js.Global().Get("console").Call("error", err.Error())
	}
	if b == nil {
		return
	}
	array := p.array.New(len(b))
	js.CopyBytesToJS(array, b)
	buffer := array.Get("buffer")
	p.peer.Call("postMessage", buffer, []any{buffer})
}

// receive queues a message, and rejects data that is not an ArrayBuffer. It runs in the
// browser's callback, which must not block.
func (p *JSPort) receive(data js.Value) {
	if !data.InstanceOf(p.buffer) {
		js.Global().Get("console").Call("error", "a message on the port is no ArrayBuffer")
		return
	}
	array := p.array.New(data)
	b := make([]byte, array.Length())
	js.CopyBytesToGo(b, array)
	m, err := Decode(b)
	if err != nil {
		js.Global().Get("console").Call("error", err.Error())
		return
	}
	p.put(m)
}

func (p *JSPort) put(m Message) {
	p.mu.Lock()
	p.queue = append(p.queue, m)
	p.mu.Unlock()
	select {
	case p.more <- struct{}{}:
	default:
	}
}

// hand delivers what is queued, until the port is closed.
func (p *JSPort) hand() {
	for {
		select {
		case <-p.more:
		case <-p.done:
			return
		}
		p.mu.Lock()
		queue := p.queue
		p.queue = nil
		p.mu.Unlock()
		for _, m := range queue {
			select {
			case p.in <- m:
			case <-p.done:
				return
			}
		}
	}
}
