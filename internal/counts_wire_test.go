//go:build !js && !race

//lint:file-ignore SA1019 as in proxy/socket.go

package internal_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	k8s "k8s.io/apimachinery/pkg/runtime"
	"nhooyr.io/websocket"

	"watchglass/internal/relay"
	"watchglass/internal/wire"
	"watchglass/internal/wire/wiretest"
)

// listedPods are in the list that is sent, and changedPods are as many events that come one by one.
const listedPods, changedPods = 1000, 100

// countWire relays a list of pods and then single events, and sends the same frames through a real
// WebSocket that compresses as the proxy does for a tab on another machine.
func countWire(t *testing.T) (all []count) {
	list, events, asked := relayed(t)
	compressed, single := deflated(t, list), deflated(t, events)
	return []count{
		{"list: from the apiserver", float64(asked) / listedPods, "bytes", 0},
		{"list: frames", float64(total(list)) / listedPods, "bytes", 0},
		{"list: compressed", float64(compressed) / listedPods, "bytes", 1},
		{"event: frames", float64(total(events)) / changedPods, "bytes", 0},
		{"event: compressed from 4 KB on", float64(single) / changedPods, "bytes", 0},
	}
}

func total(frames [][]byte) (n int) {
	for _, f := range frames {
		n += len(f)
	}
	return n
}

// watchEvent is an event of a watch, as the apiserver sends it.
func watchEvent(t *testing.T, kind string, object []byte) []byte {
	t.Helper()
	raw, err := (&metav1.WatchEvent{Type: kind, Object: k8s.RawExtension{Raw: object}}).Marshal()
	if err != nil {
		t.Fatal(err)
	}
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(raw))), raw...)
}

// answeredBy lets a function be the apiserver.
type answeredBy func(*http.Request) *http.Response

func (f answeredBy) RoundTrip(r *http.Request) (*http.Response, error) { return f(r), nil }

// relayed returns the frames of a list of pods, those of single events, and what the apiserver
// sent for the list. The clock is the bubble's, so frames are cut in the same places in every run.
func relayed(t *testing.T) (list, events [][]byte, asked int) {
	var begin bytes.Buffer
	for i := range listedPods {
		begin.Write(watchEvent(t, "ADDED", payload(t, realisticPod(t, i, 1))))
	}
	synctest.Test(t, func(t *testing.T) {
		upstream, feed := io.Pipe()
		server := answeredBy(func(r *http.Request) *http.Response {
			context.AfterFunc(r.Context(), func() { upstream.CloseWithError(r.Context().Err()) })
			return &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {"application/vnd.kubernetes.protobuf;stream=watch"}}, Request: r, Body: upstream}
		})
		near, far := wiretest.Pipe(1 << 16)
		ended := make(chan error, 1)
		go func() {
			ended <- relay.Serve(t.Context(), near, relay.Options{Upstream: relay.Upstream{Base: &url.URL{Scheme: "https", Host: "h"}, Transport: server}})
		}()
		tab := framesOf{t, far}
		tab.write([]byte(`{"v":1}`))
		tab.write(wire.JSONFrame(wire.KindOpen, 2, wire.InitialWatch("", "v1", "pods", "")))
		go func() { _, _ = feed.Write(begin.Bytes()) }()
		list = tab.data(listedPods)
		for i := range changedPods {
			time.Sleep(100 * time.Millisecond) // of the bubble's: longer than events wait for each other
			go func() { _, _ = feed.Write(watchEvent(t, "MODIFIED", payload(t, realisticPod(t, i, 2)))) }()
			events = append(events, tab.data(1)...)
		}
		far.Close()
		<-ended
	})
	return list, events, begin.Len()
}

// framesOf is a tab that keeps the frames with data.
type framesOf struct {
	t    *testing.T
	conn *wiretest.Conn
}

func (f framesOf) write(message []byte) {
	f.t.Helper()
	if err := f.conn.Write(f.t.Context(), message); err != nil {
		f.t.Fatal(err)
	}
}

// data returns the frames with the next n events, and grants credit for them.
func (f framesOf) data(n int) (frames [][]byte) {
	f.t.Helper()
	for n > 0 {
		message, err := f.conn.Read(f.t.Context())
		if err != nil {
			f.t.Fatal(err)
		}
		frame, err := wire.ParseFrame(message)
		if err != nil {
			f.t.Fatal(err)
		}
		if frame.Kind == wire.KindEnd {
			f.t.Fatalf("the stream ended: %s", frame.Body)
		}
		if frame.Kind != wire.KindData {
			continue
		}
		_, events, err := frame.Data(nil)
		if err != nil {
			f.t.Fatal(err)
		}
		n -= len(events)
		frames = append(frames, message)
		f.write(wire.CreditFrame(frame.Stream, len(message)))
	}
	return frames
}

// countedListener counts what its connections send.
type countedListener struct {
	net.Listener
	sent *atomic.Int64
}

type countedConn struct {
	net.Conn
	sent *atomic.Int64
}

func (l countedListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	return countedConn{c, l.sent}, err
}

func (c countedConn) Write(b []byte) (int, error) {
	c.sent.Add(int64(len(b)))
	return c.Conn.Write(b)
}

// compressFrom reads from the proxy's source from which size on it compresses a frame.
func compressFrom(t *testing.T) int {
	t.Helper()
	source, err := os.ReadFile("../proxy/compression.go")
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(`const compressFrom = (\d+) << (\d+)\n`).FindSubmatch(source)
	if m == nil || !strings.Contains(string(source), "o.CompressionMode, o.CompressionThreshold = websocket.CompressionNoContextTakeover, compressFrom") {
		t.Fatal("proxy/compression.go compresses in another way")
	}
	n, _ := strconv.Atoi(string(m[1]))
	by, _ := strconv.Atoi(string(m[2]))
	return n << by
}

// deflated returns how many bytes a WebSocket takes for the frames.
func deflated(t *testing.T, frames [][]byte) int64 {
	t.Helper()
	var sent atomic.Int64
	from := compressFrom(t)
	var before int64
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, err := websocket.Accept(w, r, &websocket.AcceptOptions{CompressionMode: websocket.CompressionNoContextTakeover, CompressionThreshold: from})
		if err != nil {
			t.Error(err)
			return
		}
		defer c.CloseNow()
		before = sent.Load()
		for _, f := range frames {
			if err := c.Write(r.Context(), websocket.MessageBinary, f); err != nil {
				t.Error(err)
			}
		}
	}))
	server.Listener = countedListener{server.Listener, &sent}
	server.Start()
	defer server.Close()
	c, _, err := websocket.Dial(t.Context(), server.URL, &websocket.DialOptions{CompressionMode: websocket.CompressionNoContextTakeover})
	if err != nil {
		t.Fatal(err)
	}
	defer c.CloseNow()
	c.SetReadLimit(-1)
	for range frames {
		if _, _, err := c.Read(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	return sent.Load() - before
}
