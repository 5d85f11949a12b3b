//go:build js && wasm

package main

import (
	"context"
	"errors"
	"syscall/js"

	"watchglass/internal/history/shelf"
)

// disk is the Shelf that disk.js implements with encrypted files.
type disk struct{ js.Value }

var _ shelf.Shelf = disk{}

// call calls a function of disk.js and waits for its promise.
func (d disk) call(ctx context.Context, name string, args ...any) (value js.Value, err error) {
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
	d.Call(name, args...).Call("then", then, fail)
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

// Open is shelf.Shelf's.
func (d disk) Open(ctx context.Context) (room int64, err error) {
	v, err := d.call(ctx, "open")
	if err != nil {
		return 0, err
	}
	return int64(v.Float()), nil
}

// Put is shelf.Shelf's.
func (d disk) Put(ctx context.Context, id uint64, data []byte) (size int64, err error) {
	array := js.Global().Get("Uint8Array").New(len(data))
	js.CopyBytesToJS(array, data)
	v, err := d.call(ctx, "put", id, array)
	if err != nil {
		return 0, err
	}
	return int64(v.Float()), nil
}

// Get is shelf.Shelf's.
func (d disk) Get(ctx context.Context, id uint64) ([]byte, error) {
	array, err := d.call(ctx, "get", id)
	if err != nil {
		return nil, err
	}
	data := make([]byte, array.Length())
	js.CopyBytesToGo(data, array)
	return data, nil
}

// Drop is shelf.Shelf's.
func (d disk) Drop(id uint64) { d.Call("drop", id) }

// Clear is shelf.Shelf's.
func (d disk) Clear() { d.Call("clear") }
