//go:build !js

package contract

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
)

// answer is what came.
type answer struct {
	code        int
	contentType string
	header      http.Header
	body        []byte
}

// object is what is looked at of whatever comes.
type object struct {
	Kind       string `json:"kind"`
	APIVersion string `json:"apiVersion"`
	Metadata   struct {
		Namespace         string            `json:"namespace"`
		Name              string            `json:"name"`
		UID               string            `json:"uid"`
		ResourceVersion   string            `json:"resourceVersion"`
		Continue          string            `json:"continue"`
		Remaining         *int64            `json:"remainingItemCount"`
		CreationTimestamp time.Time         `json:"creationTimestamp"`
		Labels            map[string]string `json:"labels"`
		Annotations       map[string]string `json:"annotations"`
		ManagedFields     []any             `json:"managedFields"`
	} `json:"metadata"`
	Spec struct {
		NodeName   string `json:"nodeName"`
		Containers []struct {
			Name string `json:"name"`
		} `json:"containers"`
	} `json:"spec"`
	Items []object `json:"items"`

	// of a Status
	Reason  string `json:"reason"`
	Message string `json:"message"`
	Code    int    `json:"code"`
	Details *struct {
		Name, Group, Kind string
		RetryAfterSeconds int
		Causes            []struct{ Reason, Message, Field string }
	} `json:"details"`
}

func (o object) key() string { return o.Metadata.Namespace + "/" + o.Metadata.Name }

// open sends a request. It ends with the test.
func (s Server) open(t *testing.T, method, path string, query url.Values, header http.Header, body string) *http.Response {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), within)
	t.Cleanup(cancel)
	u := *s.Base
	u.Path = strings.TrimSuffix(u.Path, "/") + path
	u.RawQuery = query.Encode()
	var content io.Reader
	if body != "" {
		content = strings.NewReader(body)
	}
	r, err := http.NewRequestWithContext(ctx, method, u.String(), content)
	if err != nil {
		t.Fatal(err)
	}
	r.Header = header.Clone()
	if r.Header == nil {
		r.Header = http.Header{}
	}
	r.Header.Set("User-Agent", "watchglass-contract") // a browser's, or none, has JSON indented
	resp, err := s.Transport.RoundTrip(r)
	if err != nil {
		t.Fatalf("%s %s: %v", method, path, err)
	}
	t.Cleanup(func() { resp.Body.Close() })
	if resp.StatusCode == http.StatusTooManyRequests { // a server that has just been started
		time.Sleep(time.Second)
		return s.open(t, method, path, query, header, body)
	}
	return resp
}

func (s Server) send(t *testing.T, method, path string, query url.Values, header http.Header, body string) answer {
	t.Helper()
	resp := s.open(t, method, path, query, header, body)
	content, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatalf("%s %s: %v", method, path, err)
	}
	return answer{resp.StatusCode, resp.Header.Get("Content-Type"), resp.Header, content}
}

// get reads, with a query of names and values in turn.
func (s Server) get(t *testing.T, path string, query ...string) answer {
	t.Helper()
	return s.send(t, http.MethodGet, path, values(query), nil, "")
}

// accept reads something in a form.
func (s Server) accept(t *testing.T, accept, path string, query ...string) answer {
	t.Helper()
	return s.send(t, http.MethodGet, path, values(query), http.Header{"Accept": {accept}}, "")
}

func values(query []string) url.Values {
	q := url.Values{}
	for i := 0; i < len(query); i += 2 {
		q.Set(query[i], query[i+1])
	}
	return q
}

// decode is the object of an answer in JSON.
func (a answer) decode(t *testing.T) (o object) {
	t.Helper()
	if err := json.Unmarshal(a.body, &o); err != nil {
		t.Fatalf("%d %s %q: %v", a.code, a.contentType, a.body[:min(len(a.body), 200)], err)
	}
	return o
}

// ok is the object of an answer that has to be one.
func (a answer) ok(t *testing.T) object {
	t.Helper()
	if a.code != http.StatusOK || a.contentType != "application/json" {
		t.Fatalf("%d %s %q", a.code, a.contentType, a.body[:min(len(a.body), 400)])
	}
	return a.decode(t)
}

// status holds that an answer is a Status.
func (a answer) status(t *testing.T, code int, reason, message string) object {
	t.Helper()
	o := a.decode(t)
	if a.code != code || o.Code != code || o.Kind != "Status" || o.APIVersion != "v1" || o.Reason != reason || message != "" && o.Message != message {
		t.Errorf("%d %s %s\nwant %d %s %q", a.code, a.contentType, a.body, code, reason, message)
	}
	return o
}

// event is one of a watch.
type event struct {
	Type   string
	Object object
	raw    json.RawMessage
}

// stream is a watch in JSON.
type stream struct {
	t    *testing.T
	body *bufio.Reader
}

func (s Server) watch(t *testing.T, path string, query ...string) *stream {
	t.Helper()
	resp := s.open(t, http.MethodGet, path, values(append(query, "watch", "true")), http.Header{"Accept": {"application/json"}}, "")
	if resp.StatusCode != http.StatusOK {
		body, _ := io.ReadAll(resp.Body)
		t.Fatalf("%d %s", resp.StatusCode, body)
	}
	return &stream{t, bufio.NewReader(resp.Body)}
}

// next is the next event, or none at the end.
func (w *stream) next() (e event, more bool) {
	w.t.Helper()
	line, err := w.body.ReadBytes('\n')
	if err == io.EOF && len(line) == 0 {
		return e, false
	}
	if err != nil {
		w.t.Fatal(err)
	}
	var raw struct{ Object json.RawMessage }
	if err := json.Unmarshal(line, &e); err != nil {
		w.t.Fatalf("%q: %v", line, err)
	}
	_ = json.Unmarshal(line, &raw) // it just could be
	e.raw = raw.Object
	return e, true
}

// all are the events until the end.
func (w *stream) all() (all []event) {
	w.t.Helper()
	for {
		e, more := w.next()
		if !more {
			return all
		}
		all = append(all, e)
	}
}
