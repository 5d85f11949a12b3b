package hub

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"watchglass/internal/detail/log"
	"watchglass/internal/history/recording"
	"watchglass/internal/port"
	"watchglass/internal/wire"
)

// stamped returns a line of a log.
func stamped(at time.Time, text string) string {
	return at.UTC().Format(time.RFC3339Nano) + " " + text + "\n"
}

// opens lets the page show a file.
func (b *fixture) opens(id uint32, file []byte) {
	b.t.Helper()
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	if _, err := z.Write(file); err != nil || z.Close() != nil {
		b.t.Fatal(err)
	}
	b.asksToOpen(id, zipped.Len(), false)
	b.page.in <- port.Chunk{ID: id, Data: zipped.Bytes()}
	b.wait(soon)
}

// TestSaveLogs checks that chosen logs of an open tab are in a file, and only those, that the Logs tab of a
// replay shows them as they were at the moment shown, and that it says which it does not have.
func TestSaveLogs(t *testing.T) {
	onPods(t, two(), func(t *testing.T, b *fixture) {
		b.reads(log.Options{Container: log.AllContainers})
		begun := time.Now()
		b.proxy.writes("web", stamped(begun.Add(-time.Hour), "too early")+stamped(begun, "one"))
		b.proxy.writes("side", stamped(begun, "of the side"))
		b.wait(time.Minute)
		middle := time.Now()
		b.proxy.writes("web", stamped(middle.Add(time.Second), "two"))
		b.wait(time.Minute)
		f := b.collect(false)
		var preview recording.Preview
		if err := json.Unmarshal([]byte(b.ask("recording.preview", `[{}]`)), &preview); err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprintf("%+v", preview.Logs); len(preview.Logs) != 2 || !strings.Contains(got, "ID:a/two/side") || !strings.Contains(got, "Container:web Previous:false Lines:2 Outside:1 Chosen:false") {
			t.Errorf("preview %s", got)
		}
		b.saves(70000, `{}`)
		b.wait(soon)
		if bytes.Contains(f.bytes, []byte("of the side")) || bytes.Contains(f.bytes, []byte(" one\n")) {
			t.Error("logs that were not chosen are in the file")
		}
		f = b.collect(false)
		b.saves(70001, `{"choices": {"logs": ["a/two/web"]}}`)
		b.wait(soon)
		if bytes.Contains(f.bytes, []byte("of the side")) || bytes.Contains(f.bytes, []byte("too early")) || !bytes.Contains(f.bytes, []byte(" one\n")) {
			t.Error("the file has other logs than the chosen one, or not that one")
		}
		b.opens(70002, f.bytes)
		b.reads(log.Options{Container: "web"})
		b.wantLog("one", "two")
		b.page.in <- port.Travel{Seq: 1, At: middle}
		b.wait(soon)
		b.wantLog("one")
		b.page.in <- port.Travel{Seq: 2, At: middle.Add(30 * time.Second)}
		b.wait(soon)
		b.wantLog("one", "two")
		b.reads(log.Options{Container: "side"})
		if s := b.logged().Sources; len(s) != 1 || s[0].State != log.Denied {
			t.Errorf("a log that was not recorded: %+v", s)
		}
	})
}

// TestSaveLogsForgotten checks that the lines of a log are in no file once the right to read it is lost.
func TestSaveLogsForgotten(t *testing.T) {
	p := two()
	onPods(t, p, func(t *testing.T, b *fixture) {
		b.reads(log.Options{Container: log.AllContainers})
		begun := time.Now()
		p.writes("web", stamped(begun, "CANARY"))
		p.writes("side", stamped(begun, "of the side"))
		b.wait(time.Minute)
		p.mu.Lock()
		p.deny = forbids(func(r wire.Request) bool { return r.Verb == wire.Log && r.Log.Container == "web" })
		for id, o := range p.open {
			if o.Verb == wire.Log && o.Log.Container == "web" {
				p.write(wire.JSONFrame(wire.KindEnd, id, wire.End{Status: &wire.Status{Origin: wire.FromAPIServer, Code: 403, Reason: wire.ReasonForbidden, Message: "no"}}))
			}
		}
		p.mu.Unlock()
		b.wait(2 * time.Minute)
		f := b.collect(false)
		b.saves(70001, `{"choices": {"logs": ["a/two/web", "a/two/side"]}}`)
		b.wait(soon)
		if bytes.Contains(f.bytes, []byte("CANARY")) || !bytes.Contains(f.bytes, []byte("of the side")) {
			t.Errorf("sources %+v, file %q", b.logged().Sources, f.bytes[max(len(f.bytes)-300, 0):])
		}
	})
}
