//go:build !js

package apiserver

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync"
	"time"
)

// inside is a transport to a handler in this process. A body is a pipe: the
// handler writes as fast as its reader reads, and learns at once when the reader
// has gone.
type inside struct {
	handler http.Handler
	pulse   *Pulse
}

// RoundTrip returns as soon as the handler has said how it answers.
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
			err = context.Cause(r.Context()) // it ended for that: the answer is not whole
		}
		_ = writer.CloseWithError(err) // never fails; without an error it is the end
	}()
	stop := context.AfterFunc(r.Context(), func() { _ = writer.CloseWithError(context.Cause(r.Context())) })
	select {
	case <-a.begun:
	case <-r.Context().Done():
		return nil, r.Context().Err()
	}
	t.pulse.heard.Store(time.Now().UnixNano())
	body := &insideBody{PipeReader: reader, pulse: t.pulse, done: func() { stop(); cancel() }}
	return &http.Response{
		Status: http.StatusText(a.code), StatusCode: a.code, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: a.sent, Body: body, ContentLength: -1, Request: r,
	}, nil
}

// answer is what the handler writes.
type answer struct {
	header http.Header
	body   *io.PipeWriter
	once   sync.Once
	begun  chan struct{} // closed when what follows is known
	code   int
	sent   http.Header
}

// errAborted is a handler that gave up in the middle of its answer.
var errAborted = errors.New("the answer broke off")

// serve runs the handler, which may panic to break off its answer.
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

// Flush has nothing to do: what is written is with the reader already.
func (a *answer) Flush() {}

// insideBody hears the handler's words.
type insideBody struct {
	*io.PipeReader
	pulse *Pulse
	done  func()
}

func (b *insideBody) Read(p []byte) (int, error) {
	n, err := b.PipeReader.Read(p)
	if n > 0 {
		b.pulse.heard.Store(time.Now().UnixNano())
	}
	return n, err
}

func (b *insideBody) Close() error {
	b.done()
	return b.PipeReader.Close()
}
