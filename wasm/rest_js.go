//go:build js && wasm

package main

import "syscall/js"

// rester lets the worker rest until the browser has delivered its pending events. It sends itself a
// message, which arrives after them. A timer would take at least 4 ms.
type rester struct {
	port  js.Value
	waits []chan struct{} // one for each message in flight
}

func newRester() *rester {
	channel := js.Global().Get("MessageChannel").New()
	r := &rester{port: channel.Get("port1")}
	channel.Get("port2").Set("onmessage", js.FuncOf(func(js.Value, []js.Value) any {
		close(r.waits[0])
		r.waits = r.waits[1:]
		return nil
	}))
	return r
}

// rest is a breath.Rest. Any goroutine may call it, since there is one thread.
func (r *rester) rest() {
	back := make(chan struct{})
	r.waits = append(r.waits, back)
	r.port.Call("postMessage", nil)
	<-back
}
