//go:build js && wasm

package main

import (
	"context"
	"syscall/js"

	"watchglass/internal/history/shelf"
)

// disk is the Shelf that disk.js implements with encrypted files.
type disk struct{ js.Value }

var _ shelf.Shelf = disk{}

// call calls a function of disk.js and waits for its promise.
func (d disk) call(ctx context.Context, name string, args ...any) (js.Value, error) {
	return await(ctx, d.Call(name, args...))
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
	v, err := d.call(ctx, "put", id, arrayOf(data))
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
	return bytesOf(array), nil
}

// Drop is shelf.Shelf's.
func (d disk) Drop(id uint64) { d.Call("drop", id) }

// Clear is shelf.Shelf's.
func (d disk) Clear() { d.Call("clear") }
