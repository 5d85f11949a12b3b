//go:build js && wasm

package main

import (
	"context"
	"errors"
	"io"
	"sync"
	"syscall/js"

	"watchglass/internal/hub"
	"watchglass/internal/port"
	"watchglass/internal/socket"
	"watchglass/web"
)

// main runs the page if there is a document, and otherwise the hub.
func main() {
	if js.Global().Get("document").Truthy() {
		web.Run(port.JS(js.Global().Get("watchglassPort")))
		return
	}
	shared := js.Global().Get("watchglassShared").Bool()
	connects := dial
	if js.Global().Get("watchglassAlone").Truthy() {
		connects = nil
	}
	o := hub.Options{Dial: connects, Rest: newRester().rest, Worker: hub.Worker{Name: js.Global().Get("name").String(), Shared: shared}}
	if connects != nil {
		o.Disk = opfs{js.Global().Get("watchglassDisk")}
		o.SavedLists = visits{js.Global().Get("watchglassVisits")}
	}
	if js.Global().Get("watchglassPublished").Truthy() {
		o.Published = published
	}
	h := hub.New(context.Background(), o)
	connect := func(page js.Value) { go serve(h, page) } // in the browser's callback, which must not block
	waiting := js.Global().Get("watchglassPages")
	for i := range waiting.Length() {
		connect(waiting.Index(i))
	}
	js.Global().Set("watchglassConnect", js.FuncOf(func(_ js.Value, args []js.Value) any {
		connect(args[0])
		return nil
	}))
	h.Run()
}

// serve connects a page for as long as it holds its lock, which is until it is closed, crashes or
// navigates. The worker of a single page has no lock: it ends with the page.
func serve(h *hub.Hub, page js.Value) {
	p := port.JS(page.Get("port"))
	disconnect := h.Connect(hub.Connection{Port: p, Context: page.Get("context").String(), Identity: page.Get("identity").String(), Early: page.Get("early").String()})
	alive := page.Get("alive").String()
	if alive == "" {
		return
	}
	var gone js.Func
	gone = js.FuncOf(func(js.Value, []js.Value) any {
		gone.Release()
		disconnect()
		p.Close()
		page.Call("leave")
		return nil
	})
	js.Global().Get("navigator").Get("locks").Call("request", alive, gone)
}

// published waits for the recording that worker.js decompresses.
func published(ctx context.Context) ([]byte, error) {
	array, err := await(ctx, js.Global().Call("watchglassPublished"))
	if err != nil {
		return nil, err
	}
	return bytesOf(array), nil
}

// dial takes over the socket that worker.js opened before this program ran, or has worker.js open
// another. worker.js sends the hello, because it has the signing key. Messages wait in the link
// until it is started.
func dial(ctx context.Context, name string) (socket.Connection, error) {
	link := js.Global().Call("watchglassDial", name)
	c := &jsConn{link: link, more: make(chan struct{}, 1), opened: make(chan struct{}), closed: make(chan struct{}), array: js.Global().Get("Uint8Array")}
	c.listen()
	select {
	case <-c.opened:
		return socket.Connection{Conn: c, Greeted: true}, nil
	case <-c.closed:
		_ = c.Close()
		if c.why.Code >= socket.FirstReason {
			return socket.Connection{}, &c.why
		}
		return socket.Connection{}, errors.New("no response, or connection refused")
	case <-ctx.Done():
		_ = c.Close()
		return socket.Connection{}, ctx.Err()
	}
}

// socketOpen is the readyState of an open WebSocket.
const socketOpen = 1

// jsConn is a browser WebSocket.
type jsConn struct {
	link           js.Value
	array          js.Value
	opened, closed chan struct{}
	more           chan struct{}
	callbacks      []js.Func
	once           sync.Once
	why            socket.CloseError // set before closed is closed

	mu    sync.Mutex
	queue [][]byte // bounded by the credit granted to the proxy
}

var _ socket.Conn = (*jsConn)(nil)

func (c *jsConn) listen() {
	var open, end sync.Once
	c.set("open", func([]js.Value) { open.Do(func() { close(c.opened) }) })
	c.set("take", func(args []js.Value) { c.receive(args[0]) })
	c.set("end", func(args []js.Value) {
		end.Do(func() {
			c.why = socket.CloseError{Code: args[0].Int(), Reason: args[1].String()}
			close(c.closed)
		})
	})
	c.link.Call("start")
}

func (c *jsConn) set(name string, f func(args []js.Value)) {
	callback := js.FuncOf(func(_ js.Value, args []js.Value) any {
		f(args)
		return nil
	})
	c.callbacks = append(c.callbacks, callback)
	c.link.Set(name, callback)
}

// receive queues a message. It runs in the browser's callback, which must not block.
func (c *jsConn) receive(data js.Value) {
	array := c.array.New(data)
	msg := make([]byte, array.Length())
	js.CopyBytesToGo(msg, array)
	c.mu.Lock()
	c.queue = append(c.queue, msg)
	c.mu.Unlock()
	select {
	case c.more <- struct{}{}:
	default:
	}
}

func (c *jsConn) Read(ctx context.Context) ([]byte, error) {
	for {
		c.mu.Lock()
		if len(c.queue) > 0 {
			msg := c.queue[0]
			c.queue[0] = nil
			c.queue = c.queue[1:]
			c.mu.Unlock()
			return msg, nil
		}
		c.mu.Unlock()
		select {
		case <-c.more:
		case <-c.closed:
			return nil, &c.why
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

func (c *jsConn) Write(_ context.Context, msg []byte) error {
	select {
	case <-c.closed:
		return io.ErrClosedPipe
	default:
	}
	ws := c.link.Get("socket")
	if ws.Get("readyState").Int() != socketOpen { // it is closing; the close event follows
		return io.ErrClosedPipe
	}
	array := c.array.New(len(msg))
	js.CopyBytesToJS(array, msg)
	ws.Call("send", array)
	return nil
}

// Close closes the socket and ends a pending Read at once, however long the browser takes to
// close. The link makes no calls after that.
func (c *jsConn) Close() error {
	c.once.Do(func() {
		c.link.Call("close")
		for _, f := range c.callbacks {
			f.Release()
		}
	})
	return nil
}
