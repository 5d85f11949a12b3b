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

// answer is a response.
type answer struct {
	code        int
	contentType string
	header      http.Header
	body        []byte
}

// object has the fields that the tests read of any object, list or Status.
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

	// of a Status:
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

// open sends a request. The response is closed when the test ends.
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
	r.Header.Set("User-Agent", "watchglass-contract") // otherwise the server indents JSON, as for a browser
	resp, err := s.Transport.RoundTrip(r)
	if err != nil {
		t.Fatalf("%s %s: %v", method, path, err)
	}
	t.Cleanup(func() { resp.Body.Close() })
	if resp.StatusCode == http.StatusTooManyRequests { // a server that has just started
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

// get sends a GET; query has names and values in turn.
func (s Server) get(t *testing.T, path string, query ...string) answer {
	t.Helper()
	return s.send(t, http.MethodGet, path, values(query), nil, "")
}

// accept sends a GET with an Accept header.
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

// decode decodes a JSON answer.
func (a answer) decode(t *testing.T) (o object) {
	t.Helper()
	if err := json.Unmarshal(a.body, &o); err != nil {
		t.Fatalf("%d %s %q: %v", a.code, a.contentType, a.body[:min(len(a.body), 200)], err)
	}
	return o
}

// ok decodes an answer and fails the test unless it is a 200 in JSON.
func (a answer) ok(t *testing.T) object {
	t.Helper()
	if a.code != http.StatusOK || a.contentType != "application/json" {
		t.Fatalf("%d %s %q", a.code, a.contentType, a.body[:min(len(a.body), 400)])
	}
	return a.decode(t)
}

// status fails the test unless the answer is a Status with these values.
func (a answer) status(t *testing.T, code int, reason, message string) object {
	t.Helper()
	o := a.decode(t)
	if a.code != code || o.Code != code || o.Kind != "Status" || o.APIVersion != "v1" || o.Reason != reason || message != "" && o.Message != message {
		t.Errorf("%d %s %s\nwant %d %s %q", a.code, a.contentType, a.body, code, reason, message)
	}
	return o
}

// event is a watch event.
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

// next returns the next event; false at the end.
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
	_ = json.Unmarshal(line, &raw) // kept only if it can be parsed
	e.raw = raw.Object
	return e, true
}

// all returns the remaining events.
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
