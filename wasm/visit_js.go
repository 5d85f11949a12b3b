//go:build js && wasm

package main

import (
	"context"
	"io"
	"syscall/js"

	"watchglass/internal/visit"
)

// visits is the Disk that visits.js implements with encrypted files.
type visits struct{ js.Value }

var _ visit.Disk = visits{}

// Open is visit.Disk's.
func (v visits) Open(ctx context.Context, place, key, about string) error {
	_, err := await(ctx, v.Call("open", place, key, about))
	return err
}

// Create is visit.Disk's.
func (v visits) Create(ctx context.Context, place, name string) (visit.Writer, error) {
	writer, err := await(ctx, v.Call("create", place, name))
	return visitWriter{writer}, err
}

// Read is visit.Disk's.
func (v visits) Read(ctx context.Context, place, name string) (visit.Reader, error) {
	reader, err := await(ctx, v.Call("read", place, name))
	if err != nil || reader.IsNull() {
		return nil, err
	}
	return &visitReader{reader}, nil
}

// Clear is visit.Disk's.
func (v visits) Clear(place string) { v.Call("clear", place) }

type visitWriter struct{ js.Value }

func (w visitWriter) Put(ctx context.Context, block []byte) error {
	_, err := await(ctx, w.Call("put", arrayOf(block)))
	return err
}

func (w visitWriter) Commit(ctx context.Context) error {
	_, err := await(ctx, w.Call("commit"))
	return err
}

func (w visitWriter) Abort() { w.Call("abort") }

type visitReader struct{ js.Value }

func (r *visitReader) Next(ctx context.Context) ([]byte, error) {
	block, err := await(ctx, r.Call("next"))
	switch {
	case err != nil:
		return nil, err
	case block.IsNull():
		return nil, io.EOF
	}
	return bytesOf(block), nil
}

func (r *visitReader) Close() { r.Value = js.Null() } // the bytes of the file are released
