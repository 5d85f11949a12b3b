//go:build !js

package relay

import (
	"bufio"
	"bytes"
	"compress/flate"
	"context"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"net"
	"net/http"
	"net/url"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"watchglass/internal/wire"
	"watchglass/internal/wire/wiretest"
)

// impostor is a hostile server in place of the apiserver. It answers the first request of each
// connection with anything.
type impostor struct {
	address string

	mu      sync.Mutex
	heads   []string // of all requests
	further []byte   // what came behind them
}

// impersonate listens until the test ends. It sends what answer writes, and keeps the connection
// open until the other side closes it.
func impersonate(t *testing.T, answer func(w io.Writer)) *impostor {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	i := &impostor{address: l.Addr().String()}
	var serving sync.WaitGroup
	t.Cleanup(func() { l.Close(); serving.Wait() })
	serving.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return // the test is over
			}
			serving.Go(func() { i.serve(conn, answer) })
		}
	})
	return i
}

func (i *impostor) serve(conn net.Conn, answer func(w io.Writer)) {
	defer conn.Close()
	from := bufio.NewReader(conn)
	r, err := http.ReadRequest(from)
	if err != nil {
		return
	}
	i.mu.Lock()
	i.heads = append(i.heads, fmt.Sprint(r.Method, " ", r.URL, " ", r.Header))
	i.mu.Unlock()
	answer(conn)
	further, _ := io.ReadAll(from) // until it is closed, however
	i.mu.Lock()
	defer i.mu.Unlock()
	i.further = append(i.further, further...)
}

// asked returns the requests that it received, and any further bytes.
func (i *impostor) asked() (heads []string, further string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	return slices.Clone(i.heads), string(i.further)
}

// say answers with a text. In it \n is a line end of HTTP, and ELSEWHERE is the address of another
// listener.
func say(text string) func(io.Writer) {
	head, body, _ := strings.Cut(text, "\n\n")
	return func(w io.Writer) { _, _ = io.WriteString(w, strings.ReplaceAll(head, "\n", "\r\n")+"\r\n\r\n"+body) }
}

// sayAndClose answers with a text and closes the connection.
func sayAndClose(text string) func(io.Writer) {
	return func(w io.Writer) {
		say(text)(w)
		_ = w.(translated).CloseWrite()
	}
}

// endless answers with a text, and repeats another for as long as it is read, up to a very large
// limit.
func endless(head, repeated string) func(io.Writer) {
	return func(w io.Writer) {
		_, _ = io.WriteString(w, strings.ReplaceAll(head, "\n", "\r\n"))
		block := []byte(strings.Repeat(repeated, 64<<10/len(repeated)))
		for range 48 << 20 / len(block) {
			if _, err := w.Write(block); err != nil {
				return
			}
		}
		_ = w.(translated).CloseWrite()
	}
}

// bomb is a list of 256 MB that compresses to almost nothing. A megabyte is compressed once behind another, and what
// that gives is repeated: to compress them all takes 40 s with the race detector.
var bomb = sync.OnceValue(func() string {
	const megabytes = 256
	head, block := []byte(`{"kind":"PodList","apiVersion":"v1","items":[{"metadata":{"name":"`), bytes.Repeat([]byte("a"), 1<<20)
	var b bytes.Buffer
	w, _ := flate.NewWriter(&b, flate.DefaultCompression)
	part := func(text []byte) string {
		b.Reset()
		_, _ = w.Write(text)
		_ = w.Flush()
		return b.String()
	}
	all := "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff" + part(head) + part(block) + strings.Repeat(part(block), megabytes-1)
	b.Reset()
	_ = w.Close()
	sum := crc32.ChecksumIEEE(head)
	for range megabytes {
		sum = crc32.Update(sum, crc32.IEEETable, block)
	}
	trailer := binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, sum), uint32(len(head)+megabytes*len(block)))
	return all + b.String() + string(trailer)
})

const (
	jsonHead = "HTTP/1.1 200 OK\nContent-Type: application/json\n"
	podList  = `{"kind":"PodList","apiVersion":"v1","metadata":{},"items":[]}`
)

// ends are the permitted ends of a stream: complete, or with a certain origin and reason.
type ends struct {
	code           int
	origin, reason string
}

var (
	whole     = ends{}
	unreached = ends{origin: string(wire.FromNetwork), reason: wire.ReasonUnreachable}
	malformed = ends{origin: string(wire.FromProxy), reason: wire.ReasonMalformed}
	nonsense  = ends{code: 200, origin: string(wire.FromNetwork), reason: wire.ReasonMalformed}
)

func coded(code int, e ends) ends { e.code = code; return e }

// lies are answers that no apiserver gives.
var lies = []struct {
	name   string
	answer func(io.Writer)
	want   ends
}{
	{"a list", say(jsonHead + "Content-Length: 61\n\n" + podList), whole},

	{"moved for good", say("HTTP/1.1 301 Moved\nLocation: http://ELSEWHERE/api/v1/pods\nContent-Length: 0\n\n"), coded(301, unreached)},
	{"found", say("HTTP/1.1 302 Found\nLocation: http://ELSEWHERE/api/v1/pods\nContent-Length: 0\n\n"), coded(302, unreached)},
	{"see other", say("HTTP/1.1 303 See Other\nLocation: //ELSEWHERE/\nContent-Length: 0\n\n"), coded(303, unreached)},
	{"use a proxy", say("HTTP/1.1 305 Use Proxy\nLocation: http://ELSEWHERE/\nContent-Length: 0\n\n"), coded(305, unreached)},
	{"moved for now", say("HTTP/1.1 307 Temporary Redirect\nLocation: http://ELSEWHERE/api/v1/pods\nContent-Length: 0\n\n"), coded(307, unreached)},
	{"moved, with the method", say("HTTP/1.1 308 Permanent Redirect\nLocation: http://ELSEWHERE/api/v1/pods\nContent-Length: 0\n\n"), coded(308, unreached)},
	{"moved to itself", say("HTTP/1.1 302 Found\nLocation: /api/v1/secrets\nContent-Length: 0\n\n"), coded(302, unreached)},
	{"moved in a refresh", say("HTTP/1.1 200 OK\nRefresh: 0; url=http://ELSEWHERE/\nContent-Type: text/html\nContent-Length: 0\n\n"), nonsense},
	{"an alternative", say(jsonHead + "Alt-Svc: h2=\"ELSEWHERE\"; ma=99\nContent-Location: http://ELSEWHERE/\nLink: <http://ELSEWHERE/>; rel=preload\nContent-Length: 61\n\n" + podList), whole},

	{"a WebSocket", say("HTTP/1.1 101 Switching Protocols\nConnection: Upgrade\nUpgrade: websocket\n\n" + podList), coded(101, nonsense)},
	{"HTTP/2", say("HTTP/1.1 101 Switching Protocols\nConnection: Upgrade\nUpgrade: h2c\n\n"), coded(101, nonsense)},
	{"SPDY", say("HTTP/1.1 101 Switching Protocols\nConnection: Upgrade\nUpgrade: SPDY/3.1\nContent-Type: application/json\n\n" + podList), coded(101, nonsense)},
	{"to nothing", say("HTTP/1.1 101 Switching Protocols\n\n"), coded(101, nonsense)},

	{"go on", say("HTTP/1.1 100 Continue\n\nHTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 61\r\n\r\n" + podList), whole},
	{"early hints", say("HTTP/1.1 103 Early Hints\nLink: <http://ELSEWHERE/a>; rel=preload\n\nHTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 61\r\n\r\n" + podList), whole},
	{"go on, for ever", endless("", "HTTP/1.1 100 Continue\r\n\r\n"), unreached},
	{"hints, for ever", endless("", "HTTP/1.1 103 Early Hints\r\nX: y\r\n\r\n"), unreached},

	{"a password, please", say("HTTP/1.1 401 Unauthorized\nWWW-Authenticate: Basic realm=x\nContent-Length: 0\n\n"), coded(401, unreached)},
	{"a proxy's password", say("HTTP/1.1 407 Proxy Authentication Required\nProxy-Authenticate: Negotiate\nContent-Length: 0\n\n"), coded(407, unreached)},
	{"a login page", say("HTTP/1.1 200 OK\nContent-Type: text/html\nSet-Cookie: a=b\nContent-Length: 6\n\n<html>"), nonsense},
	{"no content", say("HTTP/1.1 204 No Content\n\n"), coded(204, nonsense)},
	{"a part", say("HTTP/1.1 206 Partial Content\nContent-Type: multipart/byteranges; boundary=x\nContent-Length: 0\n\n"), coded(206, nonsense)},
	{"a code below all", say("HTTP/1.1 099 X\nContent-Length: 0\n\n"), coded(99, unreached)},
	{"a code above all", say("HTTP/1.1 999 X\nContent-Length: 0\n\n"), coded(999, unreached)},
	{"a negative code", say("HTTP/1.1 -20 X\nContent-Length: 0\n\n"), unreached},

	{"a bomb", say(jsonHead + fmt.Sprintf("Content-Encoding: gzip\nContent-Length: %d\n\n", len(bomb())) + bomb()), malformed},
	{"a bomb for an error", say(fmt.Sprintf("HTTP/1.1 500 X\nContent-Encoding: gzip\nContent-Length: %d\n\n", len(bomb())) + bomb()), coded(500, unreached)},
	{"a bomb for a transfer", say(jsonHead + "Transfer-Encoding: gzip, chunked\n\n" + bomb()), unreached},
	{"headers, for ever", endless("HTTP/1.1 200 OK\n", "X-A: "+strings.Repeat("b", 1000)+"\r\n"), unreached},
	{"small headers, for ever", endless("HTTP/1.1 200 OK\n", "A:b\r\n"), unreached},
	{"a header, for ever", endless("HTTP/1.1 200 OK\nX-A: ", "b"), unreached},
	{"a first line, for ever", endless("HTTP/1.1 200 ", "b"), unreached},
	{"trailers, for ever", endless(jsonHead+"Transfer-Encoding: chunked\n\n3d\n"+podList+"\n0\n", "X-A: b\r\n"), whole},
	{"an error, for ever", endless("HTTP/1.1 400 X\nContent-Type: application/json\n\n", `{"kind":"Status","message":"`), coded(400, unreached)},
	{"space, for ever", endless(jsonHead+"\n", " "), unreached},
	{"a string, for ever", endless(jsonHead+"\n{\"items\":[{\"metadata\":{\"name\":\"", "a"), ends{origin: string(wire.FromProxy), reason: wire.ReasonTooLarge}},
	{"a key, for ever", endless(jsonHead+"\n{\"", "a"), ends{origin: string(wire.FromProxy), reason: wire.ReasonTooLarge}},
	{"depth, for ever", endless(jsonHead+"\n{\"items\":[{\"a\":", "["), ends{origin: string(wire.FromProxy), reason: wire.ReasonTooLarge}},
	{"columns, for ever", endless(jsonHead+"\n{\"kind\":\"Table\",\"columnDefinitions\":[", `{"name":"a"},`), ends{origin: string(wire.FromProxy), reason: wire.ReasonTooLarge}},
	{"protobuf of any size", sayAndClose("HTTP/1.1 200 OK\nContent-Type: application/vnd.kubernetes.protobuf\n\nk8s\x00\x12\xff\xff\xff\xff\x7f"), unreached},

	{"an older HTTP", sayAndClose("HTTP/1.0 200 OK\nContent-Type: application/json\n\n" + podList), whole},
	{"half of an older one", sayAndClose("HTTP/1.0 200 OK\nContent-Type: application/json\n\n" + podList[:30]), unreached},
	{"no HTTP", sayAndClose("SSH-2.0-OpenSSH_9.6\n\n"), unreached},
	{"a newer HTTP", sayAndClose("HTTP/3.0 200 OK\nContent-Length: 0\n\n"), nonsense},
	{"HTTP/2 unasked", sayAndClose("PRI * HTTP/2.0\n\nSM\n\n"), unreached},
	{"nothing", func(w io.Writer) { _ = w.(translated).CloseWrite() }, unreached},
	{"chunks of nonsense", say(jsonHead + "Transfer-Encoding: chunked\n\nZZZ\r\n"), unreached},
	{"a chunk of any size", say(jsonHead + "Transfer-Encoding: chunked\n\nFFFFFFFFFFFFFFFFF\r\n"), unreached},
	{"a negative chunk", say(jsonHead + "Transfer-Encoding: chunked\n\n-1\r\n"), unreached},
	{"extensions, for ever", endless(jsonHead+"Transfer-Encoding: chunked\n\n3d", ";a=b"), unreached},
	{"a chunk of less than it says", sayAndClose(jsonHead + "Transfer-Encoding: chunked\n\n3d\r\n" + podList[:30]), unreached},
	{"less than it says", sayAndClose(jsonHead + "Content-Length: 61\n\n" + podList[:30]), unreached},
	{"more than it says", say(jsonHead + "Content-Length: 30\n\n" + podList), unreached},
	{"two lengths", say(jsonHead + "Content-Length: 61\nContent-Length: 30\n\n" + podList), unreached},
	{"both lengths", say(jsonHead + "Content-Length: 30\nTransfer-Encoding: chunked\n\n3d\r\n" + podList + "\r\n0\r\n\r\n"), whole},
	{"two answers", say(jsonHead + "Content-Length: 61\n\n" + podList + "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"), whole},
	{"a zero in a header", say(jsonHead + "X-A: \x00\nContent-Length: 61\n\n" + podList), unreached},
}

// maxSpent is how many bytes may be allocated for any answer. The 10 MB of headers that net/http
// accepts cost most.
const maxSpent = 200 << 20

// TestLies requests a list from an impostor. Whatever it answers, the relay connects to nothing
// else, does not ask again, does not become a tunnel, reports how the stream ended, and takes no
// more memory than for an object.
func TestLies(t *testing.T) {
	for _, a := range lies {
		t.Run(a.name, func(t *testing.T) {
			elsewhere := impersonate(t, say("HTTP/1.1 200 OK\nContent-Length: 0\n\n"))
			there := impersonate(t, func(w io.Writer) { a.answer(translated{w, elsewhere.address}) })
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			end := inquire(t, there, wire.Request{Verb: wire.List, Version: "v1", Resource: "pods"})
			runtime.ReadMemStats(&after)
			if have := endsOf(end.Status); have != a.want {
				t.Errorf("it ended as %+v (%+v), want %+v", have, end.Status, a.want)
			}
			if spent := after.TotalAlloc - before.TotalAlloc; spent > maxSpent {
				t.Errorf("%d MB were allocated", spent>>20)
			}
			if heads, further := there.asked(); len(heads) != 1 || further != "" {
				t.Errorf("it was asked %q, and sent %q", heads, further)
			}
			if heads, _ := elsewhere.asked(); len(heads) > 0 {
				t.Errorf("elsewhere was asked %q", heads)
			}
		})
	}
}

// translated replaces ELSEWHERE with an address.
type translated struct {
	io.Writer
	address string
}

// CloseWrite ends the answer.
func (w translated) CloseWrite() error { return w.Writer.(*net.TCPConn).CloseWrite() }

func (w translated) Write(b []byte) (int, error) {
	if !bytes.Contains(b, []byte("ELSEWHERE")) {
		return w.Writer.Write(b)
	}
	_, err := w.Writer.Write(bytes.ReplaceAll(b, []byte("ELSEWHERE"), []byte(w.address)))
	return len(b), err
}

func endsOf(s *wire.Status) ends {
	if s == nil {
		return whole
	}
	return ends{code: s.Code, origin: string(s.Origin), reason: s.Reason}
}

// inquire opens one stream in a session of its own, and discards everything until the stream ends.
// The session has ended when it returns.
func inquire(t *testing.T, there *impostor, r wire.Request) wire.End {
	t.Helper()
	transport := &http.Transport{DisableCompression: true} // as hop 1's
	defer transport.CloseIdleConnections()
	near, far := wiretest.Pipe(64)
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	done := make(chan error, 1)
	o := Options{Upstream: Upstream{Base: &url.URL{Scheme: "http", Host: there.address}, Transport: transport}}
	go func() { done <- Serve(ctx, near, o) }()
	tb := &tab{t: t, conn: far, done: done}
	tb.write([]byte(hello))
	tb.write(wire.JSONFrame(wire.KindOpen, 2, r))
	var end wire.End
	for {
		f := tb.next()
		if f.Kind == wire.KindEnd {
			if err := f.JSON(&end); err != nil {
				t.Fatal(err)
			}
			break
		}
	}
	far.Close()
	select {
	case <-done:
	case <-ctx.Done():
		t.Fatal("the session goes on")
	}
	return end
}

// TestSlowError shows that the relay does not wait for the rest of a slow error, and reports what
// has come of it.
func TestSlowError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tb := start(t, func(r *http.Request) (*http.Response, error) {
			return answer(r, http.StatusInternalServerError, "text/plain", io.MultiReader(strings.NewReader("half of"), quiet(r))), nil
		}, Options{})
		tb.write([]byte(hello))
		tb.expect(wire.KindWelcome, 0, "")
		tb.write(wire.JSONFrame(wire.KindOpen, 2, podsWatch))
		began := time.Now()
		var end wire.End
		if err := tb.expect(wire.KindEnd, 2, "").JSON(&end); err != nil || end.Status.Code != http.StatusInternalServerError {
			t.Errorf("%+v, %v", end.Status, err)
		}
		if waited := time.Since(began); waited != statusWithin {
			t.Errorf("waited for %s", waited)
		}
	})
}
