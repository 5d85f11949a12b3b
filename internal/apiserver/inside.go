//go:build !js

package apiserver

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync"
)

// inside is a transport to a handler in this process. A response body is a pipe: the handler
// writes as fast as the client reads, and gets an error as soon as the client closes it.
type inside struct {
	handler http.Handler
	pulse   *Pulse
}

// RoundTrip returns as soon as the handler has written the header of its response.
func (t *inside) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(r.Context())
	reader, writer := io.Pipe()
	a := &answer{header: http.Header{}, body: writer, begun: make(chan struct{})}
	seen := r.Clone(ctx)
	seen.RequestURI, seen.RemoteAddr = r.URL.RequestURI(), "127.0.0.1:0"
	if seen.Body == nil {
		seen.Body = http.NoBody
	}
	go func() {
		defer cancel()
		err := a.serve(t.handler, seen)
		if err == nil {
			err = context.Cause(r.Context()) // the response may be incomplete
		}
		_ = writer.CloseWithError(err) // never fails; nil means end of file
	}()
	stop := context.AfterFunc(r.Context(), func() { _ = writer.CloseWithError(context.Cause(r.Context())) })
	select {
	case <-a.begun:
	case <-r.Context().Done():
		return nil, r.Context().Err()
	}
	t.pulse.hear()
	body := &insideBody{PipeReader: reader, pulse: t.pulse, done: func() { stop(); cancel() }}
	return &http.Response{
		Status: http.StatusText(a.code), StatusCode: a.code, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: a.sent, Body: body, ContentLength: -1, Request: r,
	}, nil
}

// answer is the response that the handler writes.
type answer struct {
	header http.Header
	body   *io.PipeWriter
	once   sync.Once
	begun  chan struct{} // closed when code and sent are set
	code   int
	sent   http.Header
}

// errAborted says that the handler aborted its response.
var errAborted = errors.New("the response was aborted")

// serve runs the handler, which may panic with http.ErrAbortHandler.
func (a *answer) serve(h http.Handler, r *http.Request) (err error) {
	defer func() {
		switch p := recover(); p {
		case nil:
		case http.ErrAbortHandler:
			err = errAborted
		default:
			panic(p)
		}
		a.WriteHeader(http.StatusOK)
	}()
	h.ServeHTTP(a, r)
	return nil
}

func (a *answer) Header() http.Header { return a.header }

func (a *answer) WriteHeader(code int) {
	a.once.Do(func() {
		a.code, a.sent = code, a.header.Clone()
		close(a.begun)
	})
}

func (a *answer) Write(p []byte) (int, error) {
	a.WriteHeader(http.StatusOK)
	return a.body.Write(p)
}

// Flush does nothing: writes are not buffered.
func (a *answer) Flush() {}

// insideBody is a response body that updates the pulse.
type insideBody struct {
	*io.PipeReader
	pulse *Pulse
	done  func()
}

func (b *insideBody) Read(p []byte) (int, error) {
	n, err := b.PipeReader.Read(p)
	if n > 0 {
		b.pulse.hear()
	}
	return n, err
}

func (b *insideBody) Close() error {
	b.done()
	return b.PipeReader.Close()
}
