//go:build js && wasm

package main

import (
	"context"
	"syscall/js"

	"watchglass/internal/history/disk"
)

// opfs is the Disk that disk.js implements with encrypted files.
type opfs struct{ js.Value }

var _ disk.Disk = opfs{}

// call calls a function of disk.js and waits for its promise.
func (d opfs) call(ctx context.Context, name string, args ...any) (js.Value, error) {
	return await(ctx, d.Call(name, args...))
}

// Open is disk.Disk's.
func (d opfs) Open(ctx context.Context) (room int64, err error) {
	v, err := d.call(ctx, "open")
	if err != nil {
		return 0, err
	}
	return int64(v.Float()), nil
}

// Put is disk.Disk's.
func (d opfs) Put(ctx context.Context, id uint64, data []byte) (size int64, err error) {
	v, err := d.call(ctx, "put", id, arrayOf(data))
	if err != nil {
		return 0, err
	}
	return int64(v.Float()), nil
}

// Get is disk.Disk's.
func (d opfs) Get(ctx context.Context, id uint64) ([]byte, error) {
	array, err := d.call(ctx, "get", id)
	if err != nil {
		return nil, err
	}
	return bytesOf(array), nil
}

// Drop is disk.Disk's.
func (d opfs) Drop(id uint64) { d.Call("drop", id) }

// Clear is disk.Disk's.
func (d opfs) Clear() { d.Call("clear") }
