//go:build !js

package relay

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"watchglass/internal/wire"
	"watchglass/internal/wire/wiretest"
)

// transport answers requests from a script.
type transport func(*http.Request) (*http.Response, error)

func (f transport) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// answer returns a response whose body ends with the request's context, as in net/http.
func answer(r *http.Request, code int, contentType string, body io.Reader) *http.Response {
	pr, pw := io.Pipe()
	stop := context.AfterFunc(r.Context(), func() { pw.CloseWithError(r.Context().Err()) })
	go func() {
		_, err := io.Copy(pw, body)
		stop()
		pw.CloseWithError(err)
	}()
	return &http.Response{StatusCode: code, Status: http.StatusText(code), Header: http.Header{"Content-Type": {contentType}}, Body: pr, Request: r}
}

// quiet is a body without data until its request ends.
func quiet(r *http.Request) io.Reader {
	pr, pw := io.Pipe()
	context.AfterFunc(r.Context(), func() { pw.CloseWithError(r.Context().Err()) })
	return pr
}

// tab drives the far end of a session.
type tab struct {
	t    *testing.T
	conn *wiretest.Conn
	done chan error
}

func start(t *testing.T, rt transport, o Options) *tab {
	near, far := wiretest.Pipe(64)
	o.Upstream.Transport, o.Upstream.Base = rt, base(t, "https://h")
	tb := &tab{t: t, conn: far, done: make(chan error, 1)}
	ctx, cancel := context.WithCancel(t.Context())
	go func() { tb.done <- Serve(ctx, near, o) }()
	t.Cleanup(func() { far.Close(); cancel() })
	return tb
}

// asked returns a tab that has sent a request to an apiserver with a single answer.
func asked(t *testing.T, request wire.Request, contentType, body string) *tab {
	return askedAfter(t, hello, request, contentType, body)
}

// askedAfter is asked, after a hello.
func askedAfter(t *testing.T, hello string, request wire.Request, contentType, body string) *tab {
	tb := start(t, func(r *http.Request) (*http.Response, error) {
		return answer(r, 200, contentType, strings.NewReader(body)), nil
	}, Options{})
	tb.write([]byte(hello))
	tb.next()
	tb.write(wire.JSONFrame(wire.KindOpen, 2, request))
	return tb
}

func (tb *tab) write(msg []byte) {
	tb.t.Helper()
	if err := tb.conn.Write(tb.t.Context(), msg); err != nil {
		tb.t.Fatal(err)
	}
}

// next returns the next frame that is not a heartbeat.
func (tb *tab) next() wire.Frame {
	tb.t.Helper()
	for {
		if f := tb.beat(); f.Kind != wire.KindBeat && f.Kind != wire.KindLarge {
			return f
		}
	}
}

// beat returns the next frame, which may be a heartbeat.
func (tb *tab) beat() wire.Frame {
	tb.t.Helper()
	msg, err := tb.conn.Read(tb.t.Context())
	if err != nil {
		tb.t.Fatal(err)
	}
	f, err := wire.ParseFrame(msg)
	if err != nil {
		tb.t.Fatal(err)
	}
	return f
}

func (tb *tab) expect(kind wire.Kind, stream uint32, body string) wire.Frame {
	tb.t.Helper()
	f := tb.next()
	if f.Kind != kind || f.Stream != stream || body != "" && string(f.Body) != body {
		tb.t.Fatalf("want kind %d on %d %s, got kind %d on %d %s", kind, stream, body, f.Kind, f.Stream, f.Body)
	}
	return f
}

const hello = `{"v":1,"large":true}`

var podsWatch = wire.Request{Verb: wire.Watch, Version: "v1", Resource: "pods"}

func jsonEvents(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `{"type":"ADDED","object":{"kind":"Pod","apiVersion":"v1","metadata":{"name":"p%d"}}}`+"\n", i)
	}
	return b.String()
}

// TestDate sends the apiserver's clock with its answers, but not that of a server behind it.
func TestDate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tb := start(t, func(r *http.Request) (*http.Response, error) {
			all := answer(r, 200, "application/json", quiet(r))
			all.Header.Set("Date", "Mon, 23 Nov 2026 12:00:00 GMT")
			return all, nil
		}, Options{})
		tb.write([]byte(hello))
		tb.next()
		tb.write(wire.JSONFrame(wire.KindOpen, 2, podsWatch))
		tb.expect(wire.KindOpened, 2, `{"encoding":"json","date":1795435200}`)
		tb.write(wire.JSONFrame(wire.KindOpen, 3, wire.Request{Verb: wire.Watch, Group: "metrics.k8s.io", Version: "v1beta1", Resource: "pods"}))
		tb.expect(wire.KindOpened, 3, `{"encoding":"json"}`)
	})
}

func TestSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tb := start(t, func(r *http.Request) (*http.Response, error) {
			return answer(r, 200, "application/json", strings.NewReader(jsonEvents(3))), nil
		}, Options{Welcome: wire.Welcome{Context: "c"}})
		tb.write([]byte(hello))
		tb.expect(wire.KindWelcome, 0, `{"v":1,"version":"","page":"","context":"c","cluster":"","user":"","server":""}`)
		tb.write(wire.JSONFrame(wire.KindOpen, 2, podsWatch))
		tb.expect(wire.KindOpened, 2, `{"encoding":"json"}`)
		total := 0
		for total < 3 {
			_, events, err := tb.expect(wire.KindData, 2, "").Data(nil)
			if err != nil {
				t.Fatal(err)
			}
			total += len(events)
		}
		tb.expect(wire.KindEnd, 2, `{}`)
		tb.conn.Close()
		if err := <-tb.done; err == nil {
			t.Fatal("a closed connection is no error")
		}
	})
}

func TestSessionEarly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var url string
		tb := start(t, func(r *http.Request) (*http.Response, error) {
			url = r.URL.String()
			return answer(r, 200, "application/json", strings.NewReader("")), nil
		}, Options{Namespace: "a"})
		tb.write([]byte(`{"v":1,"early":"po"}`))
		var w wire.Welcome
		if err := tb.expect(wire.KindWelcome, 0, "").JSON(&w); err != nil || w.EarlyRequest == nil {
			t.Fatal(err, w)
		}
		if !w.EarlyRequest.Same(wire.InitialWatch("", "v1", "pods", "a")) {
			t.Fatalf("%+v", w.EarlyRequest)
		}
		tb.expect(wire.KindOpened, wire.EarlyStream, "")
		tb.expect(wire.KindEnd, wire.EarlyStream, "{}")
		if want := "https://h/api/v1/namespaces/a/pods?allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan&sendInitialEvents=true&timeoutSeconds=600&watch=true"; url != want {
			t.Fatal(url)
		}
	})
}

// TestSessionEarlyWindow shows that the early stream has a small window until the tab first gives
// credit, and then the same window as other streams.
func TestSessionEarlyWindow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tb := start(t, func(r *http.Request) (*http.Response, error) {
			return answer(r, 200, "application/json", strings.NewReader(jsonEvents(100_000))), nil
		}, Options{})
		tb.write([]byte(`{"v":1,"early":"pods"}`))
		tb.expect(wire.KindWelcome, 0, "")
		if sent := tb.untilBeat(); sent < wire.EarlyWindow/2 || sent > wire.EarlyWindow+wire.BatchBytes {
			t.Errorf("%d bytes came before the program ran", sent)
		}
		tb.write(wire.CreditFrame(wire.EarlyStream, wire.EarlyWindow))
		if sent := tb.untilBeat(); sent < wire.StreamWindow/2 || sent > wire.StreamWindow+wire.BatchBytes {
			t.Errorf("%d bytes came then", sent)
		}
	})
}

// untilBeat returns how many bytes of data come before the next heartbeat.
func (tb *tab) untilBeat() (bytes int) {
	tb.t.Helper()
	for {
		msg, err := tb.conn.Read(tb.t.Context())
		if err != nil {
			tb.t.Fatal(err)
		}
		f, err := wire.ParseFrame(msg)
		if err != nil {
			tb.t.Fatal(err)
		}
		switch f.Kind {
		case wire.KindBeat:
			return bytes
		case wire.KindData:
			bytes += len(msg)
		}
	}
}

// pluginFailed is the error of a credential plugin.
type pluginFailed struct{}

func (pluginFailed) Error() string       { return "getting credentials: exec: sso failed" }
func (pluginFailed) Credentials() string { return "exec: sso failed: run sso login" }

// TestSessionRetry shows what makes the upstream retry at once: a page that is opened, and a request
// that a user waits for.
func TestSessionRetry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		retries := 0
		tb := start(t, func(r *http.Request) (*http.Response, error) {
			return answer(r, 200, "application/json", strings.NewReader(jsonEvents(0))), nil
		}, Options{Upstream: Upstream{Retry: func() { retries++ }}})
		tb.write([]byte(hello))
		tb.expect(wire.KindWelcome, 0, "")
		for id, want := range []int{1, 1, 2, 2} {
			r := podsWatch
			r.Now = id == 2
			tb.write(wire.JSONFrame(wire.KindOpen, uint32(id+2), r))
			tb.expect(wire.KindOpened, uint32(id+2), "")
			tb.expect(wire.KindEnd, uint32(id+2), "")
			if retries != want {
				t.Errorf("%d retries at stream %d, want %d", retries, id+2, want)
			}
		}
	})
}

// TestSessionErrors shows that each kind of failure ends a stream in its own way.
func TestSessionErrors(t *testing.T) {
	for name, c := range map[string]struct {
		rt   transport
		want wire.Status
	}{
		"forbidden": {func(r *http.Request) (*http.Response, error) {
			return answer(r, 403, "application/json", strings.NewReader(`{"kind":"Status","apiVersion":"v1","status":"Failure","message":"pods is forbidden: User \"ana\" cannot list","reason":"Forbidden","code":403}`)), nil
		}, wire.Status{Origin: wire.FromAPIServer, Code: 403, Reason: wire.ReasonForbidden, Message: `pods is forbidden: User "ana" cannot list`}},
		"no such path": {func(r *http.Request) (*http.Response, error) {
			resp := answer(r, 404, "text/plain", strings.NewReader("404 page not found\n"))
			resp.Header.Set(auditID, "1")
			return resp, nil
		}, wire.Status{Origin: wire.FromAPIServer, Code: 404, Message: "404 page not found"}},
		"the same of a gateway": {func(r *http.Request) (*http.Response, error) {
			resp := answer(r, 404, "text/plain", strings.NewReader("404 page not found\n"))
			resp.Status = "404 Not Found"
			return resp, nil
		}, wire.Status{Origin: wire.FromNetwork, Code: 404, Reason: wire.ReasonUnreachable, Message: "something in front of the apiserver answered 404 Not Found (text/plain)"}},
		"a server behind the apiserver": {func(r *http.Request) (*http.Response, error) {
			resp := answer(r, 503, "text/plain; charset=utf-8", strings.NewReader("service unavailable\n"))
			resp.Header.Set(auditID, "1")
			return resp, nil
		}, wire.Status{Origin: wire.FromAPIServer, Code: 503, Reason: "ServiceUnavailable", Message: "service unavailable"}},
		"balancer": {func(r *http.Request) (*http.Response, error) {
			resp := answer(r, 502, "text/html", strings.NewReader("<html>"))
			resp.Status = "502 Bad Gateway"
			return resp, nil
		}, wire.Status{Origin: wire.FromNetwork, Code: 502, Reason: wire.ReasonUnreachable, Message: "something in front of the apiserver answered 502 Bad Gateway (text/html)"}},
		"login page": {func(r *http.Request) (*http.Response, error) {
			return answer(r, 200, "text/html; charset=utf-8", strings.NewReader("<html>")), nil
		}, wire.Status{Origin: wire.FromNetwork, Code: 200, Reason: wire.ReasonMalformed, Message: `the response has content type "text/html", not that of a Kubernetes API: something in front of the apiserver sent it`}},
		"redirect": {func(r *http.Request) (*http.Response, error) {
			resp := answer(r, 302, "", strings.NewReader(""))
			resp.Status = "302 Found"
			return resp, nil
		}, wire.Status{Origin: wire.FromNetwork, Code: 302, Reason: wire.ReasonUnreachable, Message: "something in front of the apiserver answered 302 Found ()"}},
		"plugin": {func(r *http.Request) (*http.Response, error) {
			return nil, fmt.Errorf("round trip: %w", pluginFailed{})
		}, wire.Status{Origin: wire.FromPlugin, Reason: wire.ReasonCredentials, Message: "exec: sso failed: run sso login"}},
		"refused": {func(r *http.Request) (*http.Response, error) {
			return nil, errors.New("dial tcp 127.0.0.1:1: connect: connection refused")
		}, wire.Status{Origin: wire.FromNetwork, Reason: wire.ReasonUnreachable, Message: "dial tcp 127.0.0.1:1: connect: connection refused"}},
		"not protobuf": {func(r *http.Request) (*http.Response, error) {
			return answer(r, 200, "application/vnd.kubernetes.protobuf;stream=watch", strings.NewReader("\x00\x00\x00\x02\xff\xff")), nil
		}, wire.Status{Origin: wire.FromProxy, Reason: wire.ReasonMalformed, Message: "unexpected response: malformed object: unexpected EOF"}},
		"too large": {func(r *http.Request) (*http.Response, error) {
			return answer(r, 200, "application/vnd.kubernetes.protobuf;stream=watch", strings.NewReader("\x04\x00\x00\x00")), nil
		}, wire.Status{Origin: wire.FromProxy, Reason: wire.ReasonTooLarge, Message: "an object is too large: 67108864 bytes (maximum 8 MiB)"}},
		"silence": {func(r *http.Request) (*http.Response, error) {
			<-r.Context().Done()
			return nil, r.Context().Err()
		}, wire.Status{Origin: wire.FromNetwork, Reason: wire.ReasonUnreachable, Message: "the apiserver did not answer in time"}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tb := start(t, c.rt, Options{})
				tb.write([]byte(hello))
				tb.next()
				tb.write(wire.JSONFrame(wire.KindOpen, 2, podsWatch))
				f := tb.next()
				for f.Kind == wire.KindOpened {
					f = tb.next()
				}
				want, _ := json.Marshal(wire.End{Status: &c.want})
				if f.Kind != wire.KindEnd || string(f.Body) != string(want) {
					t.Fatalf("want %s\ngot  %s", want, f.Body)
				}
			})
		})
	}
}

// TestSessionSecrets shows that a watch never passes as the answer to another request, whatever its
// path, media type or content.
func TestSessionSecrets(t *testing.T) {
	event := `{"type":"ADDED","object":` + string(asJSON(t, secret("s"))) + `}`
	frames := string(watchFrames(t, metav1.WatchEvent{Type: "ADDED", Object: runtime.RawExtension{Raw: asProtobuf(t, secret("s"))}}))
	get := wire.Request{Verb: wire.Get, Version: "v1", Resource: "pods", Namespace: "a", Name: "secrets", Encoding: wire.EncodingJSON}
	prefix, list := get, get
	prefix.Resource, prefix.Namespace = "watch", ""
	list.Verb, list.Name = wire.List, ""
	for name, c := range map[string]struct {
		request           wire.Request
		contentType, body string
		want              string
	}{
		"by its path":         {prefix, "application/json", event, `"watch" is a path verb`},
		"JSON, saying so":     {get, "application/json;stream=watch", event, "the response is a watch"},
		"JSON":                {get, "application/json", event, "an object without a kind"},
		"JSON behind a Pod":   {get, "application/json", `{"kind":"Pod","apiVersion":"v1"}` + event, "behind the document"},
		"protobuf":            {get, "application/vnd.kubernetes.protobuf;stream=watch", frames, "the response is a watch"},
		"protobuf for a list": {list, "application/vnd.kubernetes.protobuf;stream=watch", frames, "the response is a watch"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tb := asked(t, c.request, c.contentType, c.body)
				f := tb.next()
				for ; f.Kind != wire.KindEnd; f = tb.next() {
					if strings.Contains(string(f.Body), "hunter2") || strings.Contains(string(f.Body), "aHVudGVyMg") {
						t.Fatalf("the value passed: %q", f.Body)
					}
				}
				var end wire.End
				if err := f.JSON(&end); err != nil || end.Status == nil || !strings.Contains(end.Status.Message, c.want) {
					t.Fatalf("%s %v", f.Body, err)
				}
			})
		})
	}
}

// TestSessionCredit shows that a stream is not read without credit, and continues with it.
func TestSessionCredit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pr, pw := io.Pipe()
		var mu sync.Mutex
		read := 0
		tb := start(t, func(r *http.Request) (*http.Response, error) {
			return answer(r, 200, "application/json", pr), nil
		}, Options{})
		event := jsonEvents(1)
		event = strings.Replace(event, `"p0"`, `"`+strings.Repeat("p", 100<<10)+`"`, 1)
		const events = 100
		go func() {
			for range events {
				if _, err := io.WriteString(pw, event); err != nil {
					return
				}
				mu.Lock()
				read++
				mu.Unlock()
			}
			pw.Close()
		}()
		tb.write([]byte(hello))
		tb.next()
		tb.write(wire.JSONFrame(wire.KindOpen, 2, podsWatch))
		tb.expect(wire.KindOpened, 2, "")
		synctest.Wait()
		mu.Lock()
		if bytes := read * len(event); bytes > wire.StreamWindow+wire.BatchBytes*3 {
			t.Fatalf("%d bytes were read without credit", bytes)
		}
		mu.Unlock()
		for got := 0; got < events; {
			f := tb.expect(wire.KindData, 2, "")
			_, list, err := f.Data(nil)
			if err != nil {
				t.Fatal(err)
			}
			got += len(list)
			tb.write(wire.CreditFrame(2, len(f.Body)+3))
		}
		tb.expect(wire.KindEnd, 2, "{}")
	})
}

// TestSessionClose shows that closing a stream ends its request, and frees its share of the window.
func TestSessionClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ended := make(chan struct{})
		tb := start(t, func(r *http.Request) (*http.Response, error) {
			context.AfterFunc(r.Context(), func() { close(ended) })
			return answer(r, 200, "application/json", quiet(r)), nil
		}, Options{})
		tb.write([]byte(hello))
		tb.next()
		tb.write(wire.JSONFrame(wire.KindOpen, 2, podsWatch))
		tb.expect(wire.KindOpened, 2, "")
		tb.write(wire.AppendHeader(nil, wire.KindClose, 2))
		<-ended
	})
}

// TestSessionBeat shows that heartbeats carry the age of each stream, and that the session ends only
// if the tab is silent.
func TestSessionBeat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		tb := start(t, granting(func(string) bool { return true }, func(r *http.Request) (*http.Response, error) {
			return answer(r, 200, "application/json", quiet(r)), nil
		}), Options{Upstream: Upstream{Heard: func() time.Time { return began }}})
		tb.write([]byte(hello))
		tb.next()
		tb.write(wire.JSONFrame(wire.KindOpen, 2, podsWatch))
		tb.expect(wire.KindOpened, 2, "")
		for i := 1; i <= 60; i++ {
			msg, err := tb.conn.Read(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			f, _ := wire.ParseFrame(msg)
			ages, err := f.Ages()
			want := time.Duration(i) * wire.BeatEvery
			if f.Kind != wire.KindBeat || err != nil || len(ages) != 1 || ages[0] != (wire.Age{Stream: 2, Age: want}) {
				t.Fatalf("beat %d: %v %v", i, ages, err)
			}
			tb.write(wire.BeatFrame(nil))
		}
		go func() { // read on, silently
			for {
				if _, err := tb.conn.Read(t.Context()); err != nil {
					return
				}
			}
		}()
		silent := time.Now()
		if err := <-tb.done; !errors.Is(err, errGone) || time.Since(silent) > wire.GoneAfter+wire.BeatEvery {
			t.Fatal(err, time.Since(silent))
		}
		tb.conn.Close()
	})
}

// TestSessionLarge checks that a message larger than a batch comes right after its announcement, and
// that other messages are not announced, nor any to a tab of a build that does not know announcements.
func TestSessionLarge(t *testing.T) {
	for _, c := range []struct {
		hello     string
		size      int
		announced bool
	}{{hello, 1000, false}, {hello, wire.BatchBytes - 1000, false}, {hello, wire.BatchBytes, true}, {hello, 1 << 20, true}, {`{"v":1}`, 1 << 20, false}} {
		size, announced := c.size, c.announced
		synctest.Test(t, func(t *testing.T) {
			tb := askedAfter(t, c.hello, wire.Request{Verb: wire.Discover, Resource: "version"}, "application/json", `{"a":"`+strings.Repeat("x", size)+`"}`)
			tb.expect(wire.KindOpened, 2, "")
			said := 0
			for {
				msg, err := tb.conn.Read(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				f, err := wire.ParseFrame(msg)
				if err != nil {
					t.Fatal(err)
				}
				if f.Kind == wire.KindData {
					if said != map[bool]int{true: len(msg)}[announced] {
						t.Errorf("%d bytes come, %d were announced just before", len(msg), said)
					}
					return
				}
				if said = 0; f.Kind == wire.KindLarge {
					if said, err = f.Large(); err != nil || f.Stream != 0 {
						t.Fatal(f.Stream, err)
					}
				}
			}
		})
	}
}

// frozen is the connection of a tab that reads one message only.
type frozen struct {
	Conn
	once sync.Once
}

func (f *frozen) Write(ctx context.Context, msg []byte) (err error) {
	err = errors.New("frozen")
	f.once.Do(func() { err = f.Conn.Write(ctx, msg) })
	if err != nil {
		<-ctx.Done()
	}
	return err
}

// TestSessionFrozen shows that a session ends if its tab neither reads nor writes, although every write
// to the tab blocks.
func TestSessionFrozen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		near, far := wiretest.Pipe(64)
		if err := far.Write(t.Context(), []byte(hello)); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		if err := Serve(t.Context(), &frozen{Conn: near}, Options{}); !errors.Is(err, errGone) || time.Since(began) != wire.GoneAfter {
			t.Fatal(err, time.Since(began))
		}
	})
}

// TestSessionFull shows that the tab's next frame waits while it does not read the refusal of a
// stream.
func TestSessionFull(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		conn := new(frozen)
		conn.once.Do(func() {})
		s := &session{conn: conn, streams: make(map[uint32]*stream)}
		s.ctx, s.end = context.WithCancelCause(t.Context())
		for i := range uint32(wire.MaxStreams) {
			s.streams[i+1] = new(stream)
		}
		answered := make(chan error, 1)
		go func() { answered <- s.open(wire.MaxStreams+1, podsWatch) }()
		synctest.Wait()
		if len(answered) != 0 {
			t.Error("it goes on to the next while the answer waits")
		}
		s.end(errGone)
		if err := <-answered; err != nil {
			t.Error(err)
		}
		s.running.Wait()
	})
}

func TestSessionProtocol(t *testing.T) {
	for name, msgs := range map[string][][]byte{
		"no hello":         {[]byte("hi")},
		"another version":  {[]byte(`{"v":99}`)},
		"a huge hello":     {make([]byte, wire.MaxControl+1)},
		"empty frame":      {[]byte(hello), {}},
		"unknown kind":     {[]byte(hello), {99, 1}},
		"frame of ours":    {[]byte(hello), wire.JSONFrame(wire.KindEnd, 1, wire.End{})},
		"credit too large": {[]byte(hello), wire.CreditFrame(1, wire.ConnWindow+1)},
		"open twice":       {[]byte(hello), wire.JSONFrame(wire.KindOpen, 2, podsWatch), wire.JSONFrame(wire.KindOpen, 2, podsWatch)},
		"open no JSON":     {[]byte(hello), append(wire.AppendHeader(nil, wire.KindOpen, 2), '{')},
		"huge frame":       {[]byte(hello), make([]byte, wire.MaxControl+1)},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tb := start(t, func(r *http.Request) (*http.Response, error) {
					<-r.Context().Done()
					return nil, r.Context().Err()
				}, Options{})
				for _, m := range msgs {
					tb.write(m)
				}
				if err := <-tb.done; !errors.Is(err, ErrProtocol) {
					t.Fatal(err)
				}
			})
		})
	}
}

func TestSessionHelloTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tb := start(t, nil, Options{})
		if err := <-tb.done; !errors.Is(err, context.DeadlineExceeded) {
			t.Fatal(err)
		}
	})
}

func TestSessionTooManyStreams(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tb := start(t, func(r *http.Request) (*http.Response, error) {
			<-r.Context().Done()
			return nil, r.Context().Err()
		}, Options{})
		tb.write([]byte(hello))
		tb.next()
		for i := range wire.MaxStreams + 1 {
			tb.write(wire.JSONFrame(wire.KindOpen, uint32(i+1), podsWatch))
		}
		f := tb.expect(wire.KindEnd, wire.MaxStreams+1, "")
		if !strings.Contains(string(f.Body), "at most 256 streams") {
			t.Fatalf("%s", f.Body)
		}
	})
}
