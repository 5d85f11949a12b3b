//go:build !js

package recorded

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"
)

// Recording is what an apiserver answered at a moment.
type Recording struct {
	Taken time.Time         // when it was recorded
	Ahead time.Duration     // by how much the clock of the tab was ahead
	Names map[string]string // the namespace of each fault, by the fault's name
	// Answers are in the order of their requests.
	Answers []Answer
}

// Answer is an answer to a request. The body of a watch has what came until the moment.
type Answer struct {
	Request string // as requestOf has it
	Code    int
	Header  map[string]string
	Body    []byte
}

// Now returns the time on the tab's clock.
func (t *Recording) Now() time.Time { return t.Taken.Add(t.Ahead) }

// header is the first line of a Recording's file. The answers follow, each as a line of JSON and the body.
type header struct {
	Taken   time.Time
	Ahead   time.Duration
	Names   map[string]string
	Answers int
}

// line is what precedes a body.
type line struct {
	Request string
	Code    int
	Header  map[string]string
	Size    int
}

// Read reads the file of a recording.
func Read(path string) (*Recording, error) {
	file, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	z, err := gzip.NewReader(bytes.NewReader(file))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	text, err := io.ReadAll(z)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	t, err := parse(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return t, nil
}

func parse(text []byte) (*Recording, error) {
	var h header
	rest, err := cut(text, &h)
	if err != nil {
		return nil, err
	}
	t := &Recording{Taken: h.Taken, Ahead: h.Ahead, Names: h.Names}
	for range h.Answers {
		var l line
		if rest, err = cut(rest, &l); err != nil {
			return nil, err
		}
		if l.Size < 0 || l.Size >= len(rest) {
			return nil, io.ErrUnexpectedEOF
		}
		t.Answers = append(t.Answers, Answer{l.Request, l.Code, l.Header, rest[:l.Size]})
		rest = rest[l.Size+1:]
	}
	return t, nil
}

// cut reads a line of JSON, and returns what follows.
func cut(text []byte, into any) ([]byte, error) {
	doc, rest, _ := bytes.Cut(text, []byte("\n"))
	return rest, json.Unmarshal(doc, into)
}

// Write writes a recording to a file. The same answers make the same file.
func (t *Recording) Write(path string) error {
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return err
	}
	lines := json.NewEncoder(z)
	err = lines.Encode(header{t.Taken, t.Ahead, t.Names, len(t.Answers)})
	for _, a := range t.Answers {
		if err == nil {
			err = lines.Encode(line{a.Request, a.Code, a.Header, len(a.Body)})
		}
		if err == nil {
			_, err = z.Write(append(a.Body, '\n'))
		}
	}
	if err == nil {
		err = z.Close()
	}
	if err != nil {
		return err
	}
	return os.WriteFile(path, b.Bytes(), 0o644)
}

// requestOf identifies a request. When a watch is to end is up to chance. One that begins with all objects has the same
// ones after any version.
func requestOf(r *http.Request, body []byte) string {
	q := r.URL.Query()
	q.Del("timeoutSeconds")
	if q.Has("sendInitialEvents") {
		q.Del("resourceVersion")
	}
	return fmt.Sprintf("%s %s?%s %s %s", r.Method, r.URL.Path, q.Encode(), r.Header.Get("Accept"), body)
}

// readBody returns the body of a request, which can still be sent.
func readBody(req *http.Request) ([]byte, error) {
	if req.Body == nil {
		return nil, nil
	}
	body, err := io.ReadAll(req.Body)
	req.Body = io.NopCloser(bytes.NewReader(body))
	return body, err
}
