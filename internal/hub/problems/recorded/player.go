//go:build !js

package recorded

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"sync"
)

// Player answers as the apiserver did of which a recording was made. Its watches stay open until the next recording is
// played.
type Player struct {
	mu      sync.Mutex
	answers map[string]Answer
	turned  chan struct{} // closed when the next recording is played
}

// Play plays a recording. It ends the watches of the one before, whose versions have expired.
func (p *Player) Play(t *Recording) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.turned != nil {
		close(p.turned)
	}
	p.answers, p.turned = make(map[string]Answer), make(chan struct{})
	for _, a := range t.Answers {
		p.answers[a.Request] = a
	}
}

// RoundTrip answers a request.
func (p *Player) RoundTrip(req *http.Request) (*http.Response, error) {
	body, err := readBody(req)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	a, there := p.answers[requestOf(req, body)]
	if !there {
		a = unrecorded(req)
	}
	resp := &http.Response{
		Status: http.StatusText(a.Code), StatusCode: a.Code, Proto: "HTTP/2.0", ProtoMajor: 2, ContentLength: -1,
		Header: make(http.Header), Request: req, Body: io.NopCloser(bytes.NewReader(a.Body)),
	}
	for name, value := range a.Header {
		resp.Header.Set(name, value)
	}
	if req.URL.Query().Has("watch") && a.Code == http.StatusOK {
		resp.Body = &watch{bytes.NewReader(a.Body), req, p.turned}
	}
	return resp, nil
}

// unrecorded answers what was not recorded: the user may do anything, no watch goes on, and nothing else is there.
func unrecorded(req *http.Request) Answer {
	a := Answer{Code: http.StatusNotFound, Header: map[string]string{"Content-Type": "application/json"}}
	switch {
	case strings.HasSuffix(req.URL.Path, "/selfsubjectaccessreviews"):
		a.Code, a.Body = http.StatusCreated, []byte(`{"kind":"SelfSubjectAccessReview","apiVersion":"authorization.k8s.io/v1","status":{"allowed":true}}`)
	case req.URL.Query().Has("watch"):
		a.Code, a.Body = http.StatusGone, []byte(`{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Expired","code":410,"message":"the recording does not go on"}`)
	default:
		a.Body = []byte(`{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"NotFound","code":404,"message":"the recording does not have this"}`)
	}
	return a
}

// watch is the body of a watch: what was recorded, and then silence.
type watch struct {
	*bytes.Reader
	req    *http.Request
	turned chan struct{}
}

func (w *watch) Read(p []byte) (int, error) {
	if w.Len() > 0 {
		return w.Reader.Read(p)
	}
	select {
	case <-w.turned:
		return 0, io.EOF
	case <-w.req.Context().Done():
		return 0, w.req.Context().Err()
	}
}

// Close ends the watch.
func (w *watch) Close() error { return nil }
