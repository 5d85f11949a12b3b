//go:build js && wasm

package main

import (
	"sync"
	"syscall/js"
)

// rester lets the worker rest until the browser has delivered its pending events. It sends itself a
// message, which arrives after them. A timer would take at least 4 ms.
type rester struct {
	port  js.Value
	mu    sync.Mutex
	waits []chan struct{} // one for each message in flight
}

func newRester() *rester {
	channel := js.Global().Get("MessageChannel").New()
	r := &rester{port: channel.Get("port1")}
	channel.Get("port2").Set("onmessage", js.FuncOf(func(js.Value, []js.Value) any {
		r.mu.Lock()
		defer r.mu.Unlock()
		close(r.waits[0])
		r.waits = r.waits[1:]
		return nil
	}))
	return r
}

// rest is a timeslice.Rest. Any goroutine may call it: there is one thread, but append may allocate, and whoever allocates
// may have to wait for the garbage collector.
func (r *rester) rest() {
	back := make(chan struct{})
	r.mu.Lock()
	r.waits = append(r.waits, back)
	r.mu.Unlock()
	r.port.Call("postMessage", nil)
	<-back
}
