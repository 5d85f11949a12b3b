//go:build js && wasm

package main

import (
	"context"
	"errors"
	"syscall/js"
)

// await waits for a promise.
func await(ctx context.Context, promise js.Value) (value js.Value, err error) {
	type settled struct {
		value  js.Value
		failed bool
	}
	done := make(chan settled, 1)
	var then, fail js.Func
	settle := func(failed bool) func(js.Value, []js.Value) any {
		return func(_ js.Value, args []js.Value) any {
			done <- settled{args[0], failed}
			then.Release()
			fail.Release()
			return nil
		}
	}
	then, fail = js.FuncOf(settle(false)), js.FuncOf(settle(true))
	promise.Call("then", then, fail)
	select {
	case s := <-done:
		if s.failed {
			return value, errors.New(s.value.Get("message").String())
		}
		return s.value, nil
	case <-ctx.Done():
		return value, ctx.Err()
	}
}

// arrayOf returns a Uint8Array with a copy of b.
func arrayOf(b []byte) js.Value {
	array := js.Global().Get("Uint8Array").New(len(b))
	js.CopyBytesToJS(array, b)
	return array
}

// bytesOf copies a Uint8Array.
func bytesOf(array js.Value) []byte {
	b := make([]byte, array.Length())
	js.CopyBytesToGo(b, array)
	return b
}
