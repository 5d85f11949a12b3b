package pane

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"watchglass/internal/detail"
	"watchglass/internal/hub/pane/panetest"
	"watchglass/internal/object"
	"watchglass/internal/wire"
)

// reader answers reads when the test says so.
type reader struct {
	mu      sync.Mutex
	pending []chan answer
	reads   []wire.Request
}

type answer struct {
	text []byte
	err  error
}

func (r *reader) read(ctx context.Context, request wire.Request) ([]byte, error) {
	c := make(chan answer, 1)
	r.mu.Lock()
	r.pending, r.reads = append(r.pending, c), append(r.reads, request)
	r.mu.Unlock()
	select {
	case a := <-c:
		return a.text, a.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// answers answers the oldest pending read, which must exist.
func (r *reader) answers(t *testing.T, text []byte, err error) {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.pending) == 0 {
		t.Fatal("nothing is being read")
	}
	r.pending[0] <- answer{text, err}
	r.pending = r.pending[1:]
}

// count returns the number of reads.
func (r *reader) count() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.reads)
}

// documentOf returns a version. Some values look like members, and must not be read as them.
func documentOf(version int) []byte {
	return []byte(`{"apiVersion":"v1","kind":"ConfigMap","data":{"metadata":"\"metadata\":{\"resourceVersion\":\"9\"}","resourceVersion":"9"},"metadata":{"annotations":{"resourceVersion":"9"},"name":"web1","resourceVersion":"` + strconv.Itoa(version) + `"}}`)
}

func web1(version int) testObject {
	o := pod("a", "web1", "Running")
	o.version = version
	return o
}

// onYAML runs a test with an open YAML.
func onYAML(t *testing.T, test func(t *testing.T, h *host, r *reader)) {
	t.Helper()
	s, r := newServer(), new(reader)
	s.reads = r.read
	onHost(t, s, nil, func(t *testing.T, h *host) {
		h.opens(NewYAML, "pods", "a", "web1", nil)
		h.Wait(0)
		test(t, h, r)
	})
}

// yamls returns the documents since the last call: "version", then "managed", "gone" and the
// error message.
func (h *host) yamls() string {
	h.t.Helper()
	var out []string
	for _, doc := range h.shown() {
		head, shown, err := detail.ParseYAML(doc)
		if err != nil {
			h.t.Error(err)
		}
		words := "-"
		if len(shown) > 0 {
			words = versionIn(shown)
		}
		if head.Managed {
			words += " managed"
		}
		if head.Gone {
			words += " gone"
		}
		if head.Said != nil {
			words += " " + head.Said.Message
		}
		if len(shown) > 0 && head.At == 0 {
			h.t.Error("a document without a time")
		}
		out = append(out, words)
	}
	return strings.Join(out, ", ")
}

func (h *host) wantYAMLs(want string) {
	h.t.Helper()
	if got := h.yamls(); got != want {
		h.t.Errorf("the page was sent %q, want %q", got, want)
	}
}

// TestYAML checks that the text is read and shown. It is read again when the object has changed
// and then been still for yamlStill, and after yamlLatest at the latest.
func TestYAML(t *testing.T) {
	onYAML(t, func(t *testing.T, h *host, r *reader) {
		h.wantAsked("get pods/a web1")
		if got := r.reads[0]; got.Encoding != wire.EncodingJSON || got.ManagedFields || got.Version != "v1" {
			t.Errorf("%+v", got)
		}
		r.answers(t, documentOf(1), nil)
		h.shows(web1(1))
		h.Wait(time.Minute)
		h.wantYAMLs("1")
		h.shows(web1(2))
		h.Wait(yamlStill - time.Millisecond)
		h.wantAsked("")
		h.Wait(time.Millisecond)
		h.wantAsked("get pods/a web1")
		r.answers(t, documentOf(2), nil)
		h.Wait(0)
		h.wantYAMLs("2")
		began, version := time.Now(), 2
		for r.count() == 2 {
			version++
			h.shows(web1(version))
			h.Wait(yamlStill / 5)
		}
		if took := time.Since(began); took < yamlLatest || took > yamlLatest+yamlStill/5 {
			t.Errorf("it was read after %v", took)
		}
	})
}

// TestYAMLVersions checks that a text is read again if the object has another version than the
// text, whichever of the two came first.
func TestYAMLVersions(t *testing.T) {
	for _, c := range []struct {
		steps string // o1: the object has version 1; y1: the text of version 1 comes; yx: it does not
		again bool
	}{
		{"o1 y1", false}, {"y1 o1", false}, {"y1 o2", true}, {"o2 y1", true}, {"y2 o1 o2", false}, {"y1 o1 o2", true},
		{"o1 o2 y2", false}, {"o1 o2 y1", true}, {"yx o1", true}, {"o1 yx", true},
	} {
		onYAML(t, func(t *testing.T, h *host, r *reader) {
			for step := range strings.FieldsSeq(c.steps) {
				version, _ := strconv.Atoi(step[1:])
				switch {
				case step == "yx":
					r.answers(t, nil, missing)
				case step[0] == 'y':
					r.answers(t, documentOf(version), nil)
				default:
					h.shows(web1(version))
				}
				h.Wait(0)
			}
			h.Wait(yamlLatest)
			if again := r.count() > 1; again != c.again {
				t.Errorf("%s: it is read again: %v", c.steps, again)
			}
		})
	}
}

// TestYAMLUnversioned checks that the text of an object without versions, such as metrics, is read again
// for each poll that brings it.
func TestYAMLUnversioned(t *testing.T) {
	s, r := newServer(), new(reader)
	s.reads = r.read
	onHost(t, s, []string{"widgets"}, func(t *testing.T, h *host) {
		h.opens(NewYAML, "widgets.example.com", "a", "w1", nil)
		h.shows(unversioned("5m"))
		r.answers(t, []byte(`{"usage":"5m"}`), nil)
		h.Wait(yamlLatest)
		reads := r.count()
		for range r.pending {
			r.answers(t, []byte(`{"usage":"5m"}`), nil)
		}
		h.Wait(time.Minute)
		if n := r.count(); n != reads {
			t.Errorf("without another poll it was read %d times, want %d", n, reads)
		}
		for i := range 3 {
			h.shows(unversioned("7m"))
			h.Wait(yamlLatest)
			if n := r.count(); n != reads+i+1 {
				t.Fatalf("after poll %d it was read %d times, want %d", i+2, n, reads+i+1)
			}
			r.answers(t, []byte(`{"usage":"7m"}`), nil)
			h.Wait(0)
		}
	})
}

// unversioned is an object without a resourceVersion.
func unversioned(usage string) testObject {
	return testObject{resource: "widgets.example.com", raw: fmt.Appendf(nil, `{"cells":["w1",%q],"object":{"kind":"widgets","apiVersion":"example.com/v1","metadata":{"name":"w1","namespace":"a"}}}`, usage)}
}

// TestYAMLOptions checks that options that change quickly end with the text that was requested
// last, whichever answer comes first, and that the same options cause no read.
func TestYAMLOptions(t *testing.T) {
	onYAML(t, func(t *testing.T, h *host, r *reader) {
		managed, plain := detail.YAMLOptions{Managed: true}, detail.YAMLOptions{}
		for _, o := range []detail.YAMLOptions{plain, managed, plain, managed} {
			h.options(o)
		}
		h.Wait(0)
		if r.count() != 4 || !r.reads[3].ManagedFields || r.reads[2].ManagedFields {
			t.Errorf("%+v", r.reads)
		}
		for range 3 {
			r.answers(t, documentOf(1), nil)
		}
		h.Wait(0)
		h.wantYAMLs("")
		r.answers(t, documentOf(1), nil)
		h.Wait(0)
		h.wantYAMLs("1 managed")
	})
}

// TestYAMLOptionsBeforeAnswer checks that an answer that is already on the loop when the
// options change is not used for the new ones.
func TestYAMLOptionsBeforeAnswer(t *testing.T) {
	onYAML(t, func(t *testing.T, h *host, r *reader) {
		h.shows(web1(1))
		h.Do(func() {
			p := h.pane.(*yamlPane)
			p.Options([]byte(`{"managed":true}`))
			if p.reading.Pending() {
				t.Error("the read before counts")
			}
		})
		r.answers(t, documentOf(1), nil)
		h.Do(h.RequestUpdate)
		r.answers(t, documentOf(1), nil)
		h.Wait(0)
		h.wantYAMLs("1 managed")
	})
}

// TestYAMLGone checks that the text of a deleted object stays and is not read again until the
// object is created again. For an object that is deleted when its tab is opened, the server is
// asked.
func TestYAMLGone(t *testing.T) {
	onYAML(t, func(t *testing.T, h *host, r *reader) {
		h.shows(web1(1))
		r.answers(t, documentOf(1), nil)
		h.Wait(0)
		h.wantYAMLs("1")
		h.shows(web1(2)) // its text is due, but no longer available
		h.deletes()
		h.Wait(time.Minute)
		h.wantYAMLs("1 gone")
		if n := r.count(); n != 1 {
			t.Errorf("it was read %d times", n)
		}
		h.Do(func() {
			h.pane.Object(h.version(false))
			h.pane.Object(h.version(true))
			h.Update()
		})
		h.wantYAMLs("")
		h.shows(web1(3))
		h.Wait(yamlLatest)
		h.wantYAMLs("1")
		h.deletes()
		r.answers(t, documentOf(3), nil)
		h.Wait(0)
		h.wantYAMLs("1 gone, 3 gone")

		h.opens(NewYAML, "pods", "a", "web1", nil)
		h.Do(func() {
			h.object, _ = h.decoder.Decode(web1(3).payload())
			h.pane.Object(h.version(true))
			h.Update()
		})
		r.answers(t, nil, missing)
		h.Wait(time.Minute)
		h.wantYAMLs("- gone, - gone no such resource")
	})
}

// TestYAMLGoneAtFirst checks that an object that is deleted before its first update is read
// once.
func TestYAMLGoneAtFirst(t *testing.T) {
	s, r := newServer(), new(reader)
	s.reads = r.read
	onHost(t, s, nil, func(t *testing.T, h *host) {
		kind := h.find("pods")
		o, err := object.NewDecoder(kind, true).Decode(web1(1).payload())
		if err != nil {
			t.Fatal(err)
		}
		h.Begin(h.keep, func() panetest.Pane {
			p := NewYAML(h, Subject{Kind: kind, Namespace: "a", Name: "web1"})
			p.Options(nil)
			p.Object(Version{Object: o, Gone: true})
			return p
		})
		h.Do(h.Update)
		h.Wait(time.Minute)
		h.wantAsked("get pods/a web1")
	})
}

// TestYAMLFails checks that an error is shown beside the previous text, and that the read is
// retried unless the object does not exist.
func TestYAMLFails(t *testing.T) {
	onYAML(t, func(t *testing.T, h *host, r *reader) {
		h.shows(web1(1))
		r.answers(t, documentOf(1), nil)
		h.Wait(0)
		h.wantYAMLs("1")
		h.shows(web1(2))
		h.Wait(yamlStill)
		r.answers(t, nil, fmt.Errorf("reading: %w", broken))
		h.Wait(0)
		h.wantYAMLs("1 " + broken.Message)
		h.Wait(yamlAgain)
		r.answers(t, nil, errors.New("out of bounds"))
		h.Wait(0)
		h.wantYAMLs("1 out of bounds")
		h.Wait(yamlAgain)
		r.answers(t, nil, missing)
		h.Wait(time.Minute)
		h.wantYAMLs("1 " + missing.Message)
		if n := r.count(); n != 4 {
			t.Errorf("it was read %d times", n)
		}
	})
}
