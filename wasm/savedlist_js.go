//go:build js && wasm

package main

import (
	"context"
	"io"
	"syscall/js"

	"watchglass/internal/savedlist"
)

// visits is the Disk that visits.js implements with encrypted files.
type visits struct{ js.Value }

var _ savedlist.Disk = visits{}

// Open is savedlist.Disk's.
func (v visits) Open(ctx context.Context, place, key, about string) (savedlist.Folder, error) {
	folder, err := await(ctx, v.Call("open", place, key, about))
	if err != nil {
		return nil, err
	}
	return visitFolder{folder}, nil
}

// Clear is savedlist.Disk's.
func (v visits) Clear() { v.Call("clear") }

type visitFolder struct{ js.Value }

func (f visitFolder) Create(ctx context.Context, name string) (savedlist.Writer, error) {
	writer, err := await(ctx, f.Call("create", name))
	if err != nil {
		return nil, err
	}
	return visitWriter{writer}, nil
}

func (f visitFolder) Read(ctx context.Context, name string) (savedlist.Reader, error) {
	reader, err := await(ctx, f.Call("read", name))
	if err != nil || reader.IsNull() {
		return nil, err
	}
	return &visitReader{reader}, nil
}

func (f visitFolder) Remove(name string) { f.Call("remove", name) }

func (f visitFolder) Close() { f.Call("close") }

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
	if r.IsNull() {
		return nil, io.ErrClosedPipe
	}
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
