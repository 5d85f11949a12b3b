//go:build !js

package relay

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"watchglass/internal/wire"
)

// follow opens a followed log that rt answers.
func follow(t *testing.T, rt transport) *tab {
	t.Helper()
	return followWith(t, rt, Options{})
}

func followWith(t *testing.T, rt transport, o Options) *tab {
	t.Helper()
	tb := start(t, granting(func(string) bool { return true }, rt), o)
	tb.write([]byte(hello))
	tb.expect(wire.KindWelcome, 0, "")
	tb.write(wire.JSONFrame(wire.KindOpen, 2, logOf(wire.LogOptions{Follow: true})))
	return tb
}

// text returns the text of a log's next frame, and gives credit for it.
func (tb *tab) text() string {
	tb.t.Helper()
	f := tb.expect(wire.KindData, 2, "")
	_, events, err := f.Data(nil)
	if err != nil {
		tb.t.Fatal(err)
	}
	var all strings.Builder
	for _, e := range events {
		if e.Type != wire.Text {
			tb.t.Fatalf("an event %c", e.Type)
		}
		all.Write(e.Payload)
	}
	tb.write(wire.CreditFrame(2, len(f.Body)+2))
	return all.String()
}

// TestLog shows that a piece of a log is sent as soon as it arrives, wherever it ends, that many
// pieces are sent together, and that the end of the log ends the stream.
func TestLog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pr, pw := io.Pipe()
		tb := follow(t, func(r *http.Request) (*http.Response, error) {
			return answer(r, 200, "text/plain; charset=utf-8", pr), nil
		})
		write := func(text string) {
			if _, err := io.WriteString(pw, text); err != nil {
				t.Error(err)
			}
		}
		tb.expect(wire.KindOpened, 2, `{"encoding":""}`)
		for _, piece := range []string{"half a li", "ne\n\x1b[31m\xff\x00", "gr\xc3", "\xbc\xc3\x9fe\n"} {
			time.Sleep(time.Second)
			at := time.Now()
			write(piece)
			if have := tb.text(); have != piece || time.Since(at) != 0 {
				t.Errorf("%q after %v, want %q", have, time.Since(at), piece)
			}
		}
		var want strings.Builder
		for i := range 1000 {
			line := fmt.Sprintln("line", i)
			want.WriteString(line)
			write(line)
		}
		pw.Close()
		have, frames := "", 0
		for ; len(have) < want.Len(); frames++ {
			have += tb.text()
		}
		if have != want.String() || frames > 3 {
			t.Errorf("%d of %d bytes in %d frames", len(have), want.Len(), frames)
		}
		tb.expect(wire.KindEnd, 2, "{}")
	})
}

// TestLogSilence shows that the log of a container without output is reported as open, although the
// apiserver has not answered.
func TestLogSilence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const silence = time.Hour
		tb := follow(t, func(r *http.Request) (*http.Response, error) {
			select {
			case <-time.After(silence):
				return answer(r, 200, "text/plain", strings.NewReader("at last\n")), nil
			case <-r.Context().Done():
				return nil, r.Context().Err()
			}
		})
		began := time.Now()
		tb.expect(wire.KindOpened, 2, "")
		if took := time.Since(began); took != silentOpens {
			t.Errorf("opened after %v", took)
		}
		have := make(chan string, 1)
		go func() { have <- tb.text() }()
		for time.Since(began) <= silence { // the tab is there
			time.Sleep(wire.BeatEvery)
			tb.write(wire.BeatFrame(nil))
		}
		if text := <-have; text != "at last\n" {
			t.Errorf("%q", text)
		}
		tb.expect(wire.KindEnd, 2, "{}")
	})
}

// TestLogOfSilentServer shows that a log is not reported as open while the apiserver gives no
// sign of life, as when it is suspended.
func TestLogOfSilentServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		back := began.Add(20 * time.Second)
		heard := func() time.Time {
			if now := time.Now(); !now.Before(back) {
				return now
			}
			return began.Add(-wire.StaleAfter)
		}
		tb := followWith(t, func(r *http.Request) (*http.Response, error) {
			<-r.Context().Done()
			return nil, r.Context().Err()
		}, Options{Upstream: Upstream{Heard: heard}})
		tb.expect(wire.KindOpened, 2, "")
		if took := time.Since(began); took != back.Sub(began) {
			t.Errorf("opened after %v", took)
		}
	})
}

// TestLogErrors checks that the apiserver's errors about a log pass unchanged, and that other answers
// are not read as a log.
func TestLogErrors(t *testing.T) {
	status := func(code int, reason, message string) string {
		return fmt.Sprintf(`{"kind":"Status","apiVersion":"v1","status":"Failure","message":%q,"reason":%q,"code":%d}`, message, reason, code)
	}
	for _, c := range []struct {
		code              int
		contentType, body string
		want              wire.Status
	}{
		{400, "application/json", status(400, "BadRequest", "container x is not valid for pod b"), wire.Status{Origin: wire.FromAPIServer, Code: 400, Reason: "BadRequest", Message: "container x is not valid for pod b"}},
		{400, "application/json", status(400, "BadRequest", `previous terminated container "x" in pod "b" not found`), wire.Status{Origin: wire.FromAPIServer, Code: 400, Reason: "BadRequest", Message: `previous terminated container "x" in pod "b" not found`}},
		{403, "application/json", status(403, "Forbidden", `pods "b" is forbidden: no`), wire.Status{Origin: wire.FromAPIServer, Code: 403, Reason: "Forbidden", Message: `pods "b" is forbidden: no`}},
		{500, "application/json", status(500, "InternalError", `Get "https://10.0.0.7:10250/containerLogs/a/b/x": dial tcp: connection refused`), wire.Status{Origin: wire.FromAPIServer, Code: 500, Reason: "InternalError", Message: `Get "https://10.0.0.7:10250/containerLogs/a/b/x": dial tcp: connection refused`}},
		{503, "text/html", "<html>", wire.Status{Origin: wire.FromNetwork, Code: 503, Reason: wire.ReasonUnreachable, Message: "something in front of the apiserver answered Service Unavailable (text/html)"}},
		{200, "text/html; charset=utf-8", "<html>a login", wire.Status{Origin: wire.FromNetwork, Code: 200, Reason: wire.ReasonMalformed, Message: `the response has content type "text/html", not that of a Kubernetes API: something in front of the apiserver sent it`}},
		{200, "application/json", "{}", wire.Status{Origin: wire.FromNetwork, Code: 200, Reason: wire.ReasonMalformed, Message: `the response has content type "application/json", not that of a Kubernetes API: something in front of the apiserver sent it`}},
	} {
		synctest.Test(t, func(t *testing.T) {
			tb := follow(t, func(r *http.Request) (*http.Response, error) {
				return answer(r, c.code, c.contentType, strings.NewReader(c.body)), nil
			})
			want := string(wire.JSONFrame(wire.KindEnd, 2, wire.End{Status: &c.want})[2:])
			tb.expect(wire.KindEnd, 2, want)
		})
	}
}

// TestLogNone follows the log of a pod that is not on a node yet: it is empty.
func TestLogNone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tb := follow(t, func(r *http.Request) (*http.Response, error) {
			return answer(r, http.StatusNoContent, "", strings.NewReader("")), nil
		})
		tb.expect(wire.KindOpened, 2, "")
		tb.expect(wire.KindEnd, 2, "{}")
	})
}

// gush is a log whose numbered lines come as fast as they are read.
type gush struct {
	bytes int64
	read  atomic.Int64
}

// gushLine is a line of gushLineBytes.
func gushLine(n int64) string { return fmt.Sprintf("%-99d\n", n) }

const gushLineBytes = 100

// Read returns the rest of a line and further lines.
func (g *gush) Read(p []byte) (int, error) {
	n, at := 0, g.read.Load()
	if at == g.bytes {
		return 0, io.EOF
	}
	for n < len(p) && at < g.bytes {
		copied := copy(p[n:], gushLine(at / gushLineBytes)[at%gushLineBytes:])
		n, at = n+copied, at+int64(copied)
	}
	g.read.Store(at)
	return n, nil
}

// TestLogGush follows a log that is written faster than the tab reads it. The relay holds a bounded
// part, nothing is lost, and the rest stays at the apiserver.
func TestLogGush(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := &gush{bytes: 4 * wire.StreamWindow / gushLineBytes * gushLineBytes}
		tb := follow(t, func(r *http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {"text/plain"}}, Body: io.NopCloser(g), Request: r}, nil
		})
		tb.expect(wire.KindOpened, 2, "")
		const mostHeld = wire.StreamWindow + 2*wire.BatchBytes // a frame that waits, and what is in the readers
		var all bytes.Buffer
		for int64(all.Len()) < g.bytes {
			synctest.Wait() // the relay has read as much as it may
			held, left := g.read.Load()-int64(all.Len()), g.bytes-int64(all.Len())
			if held > mostHeld || held < min(wire.StreamWindow-2*wire.BatchBytes, left) {
				t.Fatalf("%d bytes are held, of %d that may be", held, mostHeld)
			}
			all.WriteString(tb.text())
		}
		tb.expect(wire.KindEnd, 2, "{}")
		for n := range g.bytes / gushLineBytes {
			if line := all.Next(gushLineBytes); string(line) != gushLine(n) {
				t.Fatalf("line %d is %q", n, line)
			}
		}
	})
}

// BenchmarkText measures the relay's share of the cost of a log.
func BenchmarkText(b *testing.B) {
	log := bytes.Repeat([]byte(gushLine(7)), 10_000)
	b.SetBytes(int64(len(log)))
	b.ReportAllocs()
	for b.Loop() {
		batch := newBatch(2, new(atomic.Int64), func([]byte, int64) error { return nil })
		u := &unframer{body: bufio.NewReaderSize(bytes.NewReader(log), readBytes), emit: batch.add}
		if err := u.text(); err != nil {
			b.Fatal(err)
		}
		batch.close(nil)
	}
}
