//go:build !js

package recorded

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// Recorder records what an apiserver answers to another transport.
type Recorder struct {
	To http.RoundTripper

	mu      sync.Mutex
	answers map[string]*Answer
	refused []string // requests that no recording may have
}

// RoundTrip forwards a request, and records its answer while it is read.
func (r *Recorder) RoundTrip(req *http.Request) (*http.Response, error) {
	body, err := readBody(req)
	if err != nil {
		return nil, err
	}
	resp, err := r.To.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	a := &Answer{Request: requestOf(req, body), Code: resp.StatusCode, Header: make(map[string]string)}
	for _, name := range []string{"Content-Type", "Date"} {
		a.Header[name] = resp.Header.Get(name)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if strings.Contains(req.URL.Path, "/secrets") {
		r.refused = append(r.refused, a.Request)
	}
	if r.answers == nil {
		r.answers = make(map[string]*Answer)
	}
	r.answers[a.Request] = a
	resp.Body = &recordedBody{resp.Body, r, a}
	return resp, nil
}

// recordedBody is a body that is recorded.
type recordedBody struct {
	io.ReadCloser
	of *Recorder
	to *Answer
}

func (b *recordedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.of.mu.Lock()
	defer b.of.mu.Unlock()
	b.to.Body = append(b.to.Body, p[:n]...)
	return n, err
}

// Record returns a recording of what was answered so far. It fails if Secrets were read.
func (r *Recorder) Record(ahead time.Duration, names map[string]string) (*Recording, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.refused) > 0 {
		return nil, fmt.Errorf("a recording may not have Secrets: %q", r.refused)
	}
	if len(r.answers) == 0 {
		return nil, errors.New("nothing was answered")
	}
	t := &Recording{Taken: time.Now().UTC(), Ahead: ahead, Names: maps.Clone(names)}
	for _, a := range r.answers {
		t.Answers = append(t.Answers, Answer{a.Request, a.Code, a.Header, bytes.Clone(a.Body)})
	}
	slices.SortFunc(t.Answers, func(a, b Answer) int { return cmp.Compare(a.Request, b.Request) })
	return t, nil
}
