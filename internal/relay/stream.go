//go:build !js

package relay

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"mime"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"watchglass/internal/wire"
)

// stream is one request of the tab and the apiserver's answer to it.
type stream struct {
	id      uint32
	request wire.Request
	session *session
	window  window
	cancel  context.CancelCauseFunc
	heard   atomic.Int64 // unix nanoseconds of the last byte
	opening sync.Once
	account
}

// errLetGo ends a stream that the tab closed.
var errLetGo = errors.New("the tab let the stream go")

// run asks, relays the answer, and says how it ended.
func (s *stream) run(ctx context.Context) {
	s.begin()
	status := s.relay(ctx)
	s.finish(ctx, status)
	switch {
	case errors.Is(context.Cause(ctx), errDoubted):
		status = doubted(s.request)
	case ctx.Err() != nil:
		return // nobody listens
	}
	if status != nil {
		s.session.options.Log.Debug("stream ended", "stream", s.id, "verb", s.request.Verb, "resource", s.request.Resource, "error", status.Error())
	}
	s.session.control(wire.JSONFrame(wire.KindEnd, s.id, wire.End{Status: status}))
}

func (s *stream) relay(ctx context.Context) *wire.Status {
	req, status := Build(ctx, s.session.options.Upstream.Base, s.request)
	if status != nil {
		return status
	}
	if s.request.Follows() {
		silence := time.AfterFunc(silentOpens, func() { s.open(wire.EncodingDefault) })
		defer silence.Stop()
	}
	resp, err := s.roundTrip(req)
	if err != nil {
		return statusOfError(err)
	}
	defer resp.Body.Close()
	s.hear()
	if resp.StatusCode/100 != 2 {
		return statusOfResponse(resp)
	}
	b := newBatch(s.id, &s.heard, func(frame []byte, read int64) error { return s.send(ctx, frame, read) })
	defer b.close(errLetGo)
	h := &hold{heavy: s.session.options.Heavy, user: s.session.options.User, ctx: ctx}
	if s.request.Verb == wire.Get || s.request.Verb == wire.Discover {
		h.crowd = heavyCrowd
	}
	defer h.release()
	read, encoding, status := s.reader(resp, b, h)
	if status != nil {
		return status
	}
	s.open(encoding)
	err = read()
	b.flush()
	if err != nil {
		return statusOfError(err)
	}
	return nil
}

// open says, once, that the apiserver has answered.
func (s *stream) open(encoding wire.Encoding) {
	s.opening.Do(func() {
		s.session.control(wire.JSONFrame(wire.KindOpened, s.id, wire.Opened{Encoding: encoding}))
	})
}

// The apiserver answers a watch at once, and anything else within its own limit
// of a minute. The answer to a watch of wire.ShortWatch may come with its end. The answer's body has no limit: a watch is quiet for long. A log that
// goes on has no head before its container has written something: where nothing was
// refused for a while, that is what it waits for.
const (
	watchAnswersWithin = 5 * time.Second
	answersWithin      = 70 * time.Second
	logAnswersWithin   = time.Duration(math.MaxInt64)
	silentOpens        = time.Second
)

// roundTrip waits for the head of the answer.
func (s *stream) roundTrip(req *http.Request) (*http.Response, error) {
	within := answersWithin
	switch {
	case s.request.Verb == wire.Watch:
		within = watchAnswersWithin
		if lasts := time.Duration(s.request.TimeoutSeconds) * time.Second; lasts <= wire.ShortWatch {
			within += lasts
		}
	case s.request.Follows():
		within = logAnswersWithin
	}
	ctx, cancel := context.WithCancelCause(req.Context())
	asked := time.Now()
	timer := time.AfterFunc(within, func() { cancel(s.unanswered(asked)) })
	resp, err := s.session.options.Upstream.Transport.RoundTrip(req.WithContext(ctx))
	if err != nil {
		s.answered(0, asked)
		timer.Stop()
		err = errors.Join(err, context.Cause(ctx))
		cancel(nil)
		return nil, err
	}
	s.answered(resp.StatusCode, asked)
	if !timer.Stop() {
		resp.Body.Close()
		return nil, context.Cause(ctx)
	}
	resp.Body = &cancelBody{resp.Body, cancel}
	return resp, nil
}

// unanswered is why nothing came in answer to what was asked at a time. Where the
// apiserver is there, it is the watch that does not come through.
func (s *stream) unanswered(asked time.Time) error {
	heard := s.session.options.Upstream.Heard
	if s.request.Verb != wire.Watch || heard == nil || !heard().After(asked) {
		return context.DeadlineExceeded
	}
	return &wire.Status{Origin: wire.FromNetwork, Reason: wire.ReasonUnanswered, Message: "the apiserver responds, but this watch was not answered in time"}
}

// cancelBody ends the request with its body.
type cancelBody struct {
	io.ReadCloser
	cancel context.CancelCauseFunc
}

func (b *cancelBody) Close() error {
	defer b.cancel(nil)
	return b.ReadCloser.Close()
}

// readBytes is read at once. Every tab holds as much for each of its watches.
const readBytes = 8 << 10

// reader chooses how to read an answer, by what it says it is.
func (s *stream) reader(resp *http.Response, b *batch, h *hold) (func() error, wire.Encoding, *wire.Status) {
	u := &unframer{
		body:     bufio.NewReaderSize(&heardReader{resp.Body, s}, readBytes),
		emit:     b.add,
		withhold: withholdOf(s.request),
		hold:     h,
	}
	mediaType, params, err := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if err != nil {
		mediaType = resp.Header.Get("Content-Type")
	}
	if params["stream"] == "watch" && s.request.Verb != wire.Watch { // a watch in JSON does not say so
		return nil, "", proxyStatus(wire.ReasonMalformed, "the answer is a watch, and none was asked for")
	}
	if s.request.Verb == wire.Log && resp.StatusCode == http.StatusNoContent { // of a pod that is on no node yet
		mediaType = "text/plain"
	}
	read, encoding := u.reader(s.request, mediaType)
	if read == nil {
		return nil, "", &wire.Status{
			Origin: wire.FromNetwork, Reason: wire.ReasonMalformed, Code: resp.StatusCode,
			Message: fmt.Sprintf("the answer is %q, not of a Kubernetes API: something before the apiserver sent it", mediaType),
		}
	}
	return read, encoding, nil
}

// reader reads the answer to a request if it is of a type that such an answer has.
func (u *unframer) reader(r wire.Request, mediaType string) (func() error, wire.Encoding) {
	type key struct {
		verb      wire.Verb
		mediaType string
	}
	const protobuf, json, text = "application/vnd.kubernetes.protobuf", "application/json", "text/plain"
	switch {
	case r.Encoding != wire.EncodingYAML:
	case mediaType == json:
		return u.objectYAML, wire.EncodingYAML
	default:
		return nil, ""
	}
	read := map[key]func() error{
		{wire.Watch, protobuf}: u.watchProtobuf,
		{wire.List, protobuf}:  u.listProtobuf,
		{wire.Get, protobuf}:   u.objectProtobuf,
		{wire.Watch, json}:     u.watchJSON,
		{wire.List, json}:      u.listJSON,
		{wire.Get, json}:       u.objectJSON,
		{wire.Discover, json}:  u.objectJSON,
		{wire.Review, json}:    u.objectJSON,
		{wire.Log, text}:       u.text,
	}[key{r.Verb, mediaType}]
	switch mediaType {
	case protobuf:
		return read, wire.EncodingProtobuf
	case json:
		return read, wire.EncodingJSON
	}
	return read, wire.EncodingDefault
}

// send waits for room and sends a frame, of which the first event was read at a
// time.
func (s *stream) send(ctx context.Context, frame []byte, read int64) error {
	if err := s.window.take(ctx, len(frame)); err != nil {
		return err
	}
	if err := s.session.window.take(ctx, len(frame)); err != nil {
		s.window.credit(len(frame)) // it was not sent
		return err
	}
	if err := s.session.write(ctx, frame); err != nil {
		return err
	}
	s.sent(len(frame), read)
	return nil
}

// credit takes back what the tab has applied: its program runs.
func (s *stream) credit(n int) {
	s.window.widen(wire.StreamWindow)
	s.session.window.credit(s.window.credit(n))
}

func (s *stream) hear() { s.heard.Store(time.Now().UnixNano()) }

// age is how long ago the apiserver gave a sign of life, on this stream or on
// any connection to it. Over HTTP/2, as always with TLS, all streams share one
// connection; over HTTP/1.x the claim is weaker: that the apiserver lives.
func (s *stream) age(now time.Time) time.Duration {
	last := time.Unix(0, s.heard.Load())
	if heard := s.session.options.Upstream.Heard; heard != nil {
		if t := heard(); t.After(last) {
			last = t
		}
	}
	return now.Sub(last)
}

// heardReader notes when bytes come.
type heardReader struct {
	io.Reader
	s *stream
}

func (r *heardReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if n > 0 {
		r.s.hear()
	}
	return n, err
}
