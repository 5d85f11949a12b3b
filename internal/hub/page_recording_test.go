package hub

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"watchglass/internal/history"
	"watchglass/internal/history/recording"
	"watchglass/internal/hub/loop"
	"watchglass/internal/port"
	"watchglass/internal/view"
	"watchglass/internal/wire"
)

// filed is what the page has received of files.
type filed struct {
	bytes  []byte
	chunks int
	ended  []port.Answer
	pulled int
	pasts  []port.Past
}

// collect makes the page take chunks; but none after the first few, if it is to be slow.
func (b *fixture) collect(slow bool) *filed {
	f := &filed{}
	b.page.locked(func() {
		b.page.other = func(m port.Message) {
			switch m := m.(type) {
			case port.Past:
				f.pasts = append(f.pasts, m)
			case port.Pull:
				f.pulled++
			case port.Chunk:
				f.bytes = append(f.bytes, m.Data...)
				if f.chunks++; len(m.Data) > 0 && !slow {
					b.page.in <- port.Pull{ID: m.ID}
				}
			case port.Answer:
				f.ended = append(f.ended, m)
			}
		}
	})
	return f
}

// saves asks for a file by an ID, and pulls its first chunks.
func (b *fixture) saves(id uint32, options string) {
	b.page.in <- port.Ask{ID: id, Method: "recording.save", Args: json.RawMessage("[" + options + "]")}
	for range port.Window {
		b.page.in <- port.Pull{ID: id}
	}
	b.wait(soon)
}

// asksToOpen asks the hub to open a file of a size by an ID.
func (b *fixture) asksToOpen(id uint32, size int, published bool) {
	b.page.in <- port.Ask{ID: id, Method: "recording.open", Args: json.RawMessage(fmt.Sprintf(`[{"size": %d, "published": %v}]`, size, published))}
}

// many is a proxy with enough pods for a file of several chunks.
func many() *proxy {
	p := three()
	for i := range 1500 {
		o := pod("a", fmt.Sprintf("many-%d", i), "Running")
		o.labels = map[string]string{"padding": strings.Repeat("x", 600)}
		p.change(wire.Added, o)
	}
	return p
}

// TestSave holds that a file that is saved has what happened, and nothing of a kind that was left out.
func TestSave(t *testing.T) {
	p := three()
	onPods(t, p, func(t *testing.T, b *fixture) {
		p.change(wire.Modified, pod("a", "web2", "Running"))
		b.wait(soon)
		f := b.collect(false)
		var preview recording.Preview
		if err := json.Unmarshal([]byte(b.ask("recording.preview", `[{}]`)), &preview); err != nil {
			t.Fatal(err)
		}
		if k := preview.Kinds[0]; k.Name != "pods" || k.Objects != 3 || k.Changes != 1 || len(preview.Namespaces) != 2 || preview.Bytes == 0 {
			t.Errorf("preview %+v", preview)
		}
		b.saves(70000, `{"page": "/pods"}`)
		if len(f.ended) != 1 || string(f.ended[0].Value) != `{}` {
			t.Errorf("answers %v", f.ended)
		}
		var r recording.Reader
		err := r.Write(f.bytes)
		record, closed := r.Close("")
		if err != nil || closed != nil || record.Damage != "" || len(f.ended) != 1 || f.ended[0].Error != "" {
			t.Fatal(err, closed, f.ended)
		}
		n, states := 0, ""
		record.At(0, record.To, func(history.Object) bool { n++; return true })
		record.Between(0, record.From, record.To, func(c history.Change) bool { states += string(c.Type) + " " + c.Key; return true })
		if n != 3 || states != "M a/web2" || record.Page != "/pods" {
			t.Errorf("%d objects, changes %q, %+v", n, states, record.Header)
		}
		if err := json.Unmarshal([]byte(b.ask("recording.preview", `[{"choices": {"kinds": ["pods"]}}]`)), &preview); err != nil || !preview.Kinds[0].LeftOut || preview.Bytes != 0 {
			t.Errorf("%v, preview %+v", err, preview)
		}
	})
}

// TestSaveSlow holds that a page that takes no chunks gets only a few, and that it may end the file and have another at once.
func TestSaveSlow(t *testing.T) {
	onPods(t, many(), func(t *testing.T, b *fixture) {
		f := b.collect(true)
		b.saves(70000, `{}`)
		if f.chunks != port.Window || len(f.ended) > 0 {
			t.Fatalf("%d chunks, ended %v", f.chunks, f.ended)
		}
		if got := b.ask("recording.save", `[{}]`); !strings.Contains(got, "already") {
			t.Errorf("a second file: %s", got)
		}
		f = b.collect(false)
		b.page.in <- port.Cancel{ID: 70000}
		b.saves(70002, `{}`) // at once, while the first still ends
		if len(f.ended) != 2 || f.ended[0].ID != 70000 || f.ended[0].Error == "" || f.ended[1].Error != "" || f.chunks <= port.Window {
			t.Errorf("%d chunks, ended %v", f.chunks, f.ended)
		}
	})
}

// TestSaveTwoPages checks that two pages may use one ID for their files, and that a page which is closed in the middle of its
// file leaves nothing behind that goes on.
func TestSaveTwoPages(t *testing.T) {
	onPods(t, many(), func(t *testing.T, b *fixture) {
		other := &page{in: make(chan port.Message, 256), answers: make(map[uint32]chan port.Answer)}
		disconnect := b.hub.Connect(Connection{Port: other})
		b.wait(soon)
		second := &fixture{t: t, hub: b.hub, page: other, proxy: b.proxy}
		slow := second.collect(true)
		goroutines := runtime.NumGoroutine()
		second.saves(70000, `{}`)
		f := b.collect(false)
		b.saves(70000, `{}`)
		if len(f.ended) != 1 || f.ended[0].Error != "" || f.chunks <= port.Window || slow.chunks != port.Window || len(slow.ended) > 0 {
			t.Errorf("%d chunks, ended %v; the other: %d, ended %v", f.chunks, f.ended, slow.chunks, slow.ended)
		}
		disconnect()
		b.wait(soon)
		if n := runtime.NumGoroutine(); n >= goroutines || slow.chunks != port.Window || len(slow.ended) > 0 {
			t.Errorf("%d goroutines, before %d; %d chunks, ended %v", n, goroutines, slow.chunks, slow.ended)
		}
	})
}

// TestSaveWhileTravelling checks that a file is of the page's own cluster while the page goes to other times, and that the
// goroutine that writes it does not read which cluster that is: the race detector finds that. So the messages come at
// once, without a wait that would put them in order.
func TestSaveWhileTravelling(t *testing.T) {
	onPods(t, many(), func(t *testing.T, b *fixture) {
		b.wait(10 * time.Second)
		f, at, answer := b.collect(false), time.Now().Add(-5*time.Second), make(chan port.Answer, 1)
		b.page.locked(func() { b.page.answers[99] = answer })
		b.page.in <- port.Ask{ID: 99, Method: "recording.save", Args: json.RawMessage(`[{}]`)}
		for range port.Window {
			b.page.in <- port.Pull{ID: 99}
		}
		for seq := range uint32(8) {
			m := port.Travel{Seq: seq + 1}
			if seq%2 == 0 {
				m.At = at
			}
			b.page.in <- m
		}
		b.wait(soon)
		var r recording.Reader
		err := r.Write(f.bytes)
		record, closed := r.Close("")
		if a := <-answer; a.Error != "" || err != nil || closed != nil || record.Damage != "" || f.chunks <= port.Window {
			t.Fatalf("%s, %v, %v, %d chunks", a.Error, err, closed, f.chunks)
		}
		n := 0
		if record.At(0, record.To, func(history.Object) bool { n++; return true }); n != 1503 || len(f.pasts) == 0 {
			t.Errorf("%d objects, and %d journeys", n, len(f.pasts))
		}
	})
}

// TestOpenFile holds that a file that comes in chunks is shown, and one that is none is refused with its
// reason.
func TestOpenFile(t *testing.T) {
	onPods(t, many(), func(t *testing.T, b *fixture) {
		f := b.collect(false)
		b.saves(70000, `{}`)
		var zipped bytes.Buffer
		z := gzip.NewWriter(&zipped)
		if _, err := z.Write(f.bytes); err != nil || z.Close() != nil {
			t.Fatal(err)
		}
		file := zipped.Bytes()
		f = b.collect(true)
		send := func(id uint32, chunks ...[]byte) {
			b.asksToOpen(id, len(bytes.Join(chunks, nil)), false)
			for _, chunk := range chunks {
				b.page.in <- port.Chunk{ID: id, Data: chunk}
			}
			b.wait(soon)
		}
		send(70003, []byte("PK"), []byte("\n"))
		if len(f.ended) != 1 || f.ended[0].Error != recording.ErrFormat.Error() {
			t.Errorf("ended %v", f.ended)
		}
		f.ended = nil
		send(70004, file[:5000], file[5000:])
		if len(f.ended) != 1 || f.ended[0].Error != "" || len(f.pasts) == 0 || f.pasts[len(f.pasts)-1].Recorded == nil {
			t.Fatalf("ended %v, pasts %v", f.ended, f.pasts)
		}
		if r := f.pasts[len(f.pasts)-1].Recorded; r.Damage != "" || r.From.IsZero() {
			t.Errorf("recorded %+v", r)
		}
		f.pasts, f.ended = nil, nil
		send(70005, file[:len(file)/2])
		if len(f.pasts) == 0 || !strings.Contains(f.pasts[len(f.pasts)-1].Recorded.Damage, "the file ends too early") {
			t.Errorf("ended %v, pasts %v", f.ended, f.pasts)
		}
		f.pasts, f.ended = nil, nil
		b.asksToOpen(70006, len(file), false)
		b.page.in <- port.Chunk{ID: 70006, Data: file[:5000]}
		b.page.in <- port.Cancel{ID: 70006}
		b.wait(soon)
		if len(f.ended) != 1 || f.ended[0].Error == "" || f.pasts[len(f.pasts)-1].Recorded.Damage == "" {
			t.Errorf("a file that was given up: ended %v, pasts %v", f.ended, f.pasts)
		}
	})
}

// TestMark holds that a mark lasts until it is taken away.
func TestMark(t *testing.T) {
	onHub(t, three(), func(t *testing.T, b *fixture) {
		b.showList("pods", view.Query{Seq: 1})
		var at time.Time
		err := json.Unmarshal([]byte(b.ask("recording.start", `[]`)), &at)
		b.wait(2 * loop.Tick)
		if err != nil || !at.Equal(b.page.lastTold().Recording) || at.IsZero() {
			t.Errorf("%v: %v", err, at)
		}
		b.ask("recording.stop", `[]`)
		b.wait(2 * loop.Tick)
		if !b.page.lastTold().Recording.IsZero() {
			t.Error("the mark stays")
		}
	})
}

// TestSaveForgotten checks that a kind is in no file once the right to read it is lost, although it was
// remembered before.
func TestSaveForgotten(t *testing.T) {
	p := three()
	onPages(t, map[string]*proxy{"": p}, func(t *testing.T, c *pagesFixture) {
		v := c.connect("", "ana")
		v.showList("nodes", view.Query{Seq: 1})
		v.showList("pods", view.Query{Seq: 2})
		v.wait(10 * time.Second)
		save := func(id uint32) string {
			f := v.collect(false)
			v.saves(id, `{}`)
			return string(f.bytes)
		}
		if file := save(70000); !strings.Contains(file, "web1") {
			t.Fatal("what is remembered is not in the file")
		}
		p.mu.Lock()
		p.deny = forbids(func(r wire.Request) bool { return r.Resource == "pods" })
		for id, o := range p.open {
			if o.Resource == "pods" && o.Verb == wire.Watch {
				p.write(wire.JSONFrame(wire.KindEnd, id, wire.End{}))
			}
		}
		p.mu.Unlock()
		v.wait(2 * time.Minute)
		if file := save(70001); !strings.Contains(file, `"nodes"`) || strings.Contains(file, "web1") {
			t.Errorf("%q", file)
		}
		var preview recording.Preview
		if err := json.Unmarshal([]byte(v.ask("recording.preview", `[{}]`)), &preview); err != nil {
			t.Fatal(err)
		}
		for _, k := range preview.Kinds {
			if k.Name == "pods" && k.Objects+k.Changes > 0 {
				t.Errorf("%+v", k)
			}
		}
	})
}

// TestOpenPart holds that the page and the problems know what was left out of a recording, and so does a file that is
// saved from it.
func TestOpenPart(t *testing.T) {
	onPods(t, three(), func(t *testing.T, b *fixture) {
		f := b.collect(false)
		b.saves(70000, `{"choices": {"namespaces": ["b"], "hideAnnotations": true}}`)
		b.wait(soon)
		file := f.bytes
		f = b.collect(false)
		b.opens(70001, file)
		if len(f.pasts) == 0 || f.pasts[len(f.pasts)-1].Recorded == nil {
			t.Fatal(f.ended)
		}
		if r := f.pasts[len(f.pasts)-1].Recorded; r.LeftOut != "b" || r.Altered != "some namespaces left out, annotations left out, logs left out" {
			t.Errorf("recorded %+v", r)
		}
		b.postAndWait(func() {
			if c := b.hub.pages[0].cluster; !c.LeftOut("b") || c.LeftOut("a") {
				t.Error("the problems do not know what was left out")
			}
		})
		f = b.collect(false)
		b.saves(70002, `{}`)
		b.wait(soon)
		var r recording.Reader
		err := r.Write(f.bytes)
		if record, closed := r.Close(""); err != nil || closed != nil || !slices.Equal(record.LeftOut, []string{"b"}) || !slices.Contains(record.Altered, "annotations left out") {
			t.Errorf("%v %v: saved from it: %+v", err, closed, record)
		}
	})
}

// TestRecordedServer holds that a recording which is opened beside a live cluster has the release of its own apiserver, and
// none if that was not recorded, and that no state of it passes for that of the proxy, nor the other way round.
func TestRecordedServer(t *testing.T) {
	for release, minor := range map[string]int{"1.31": 31, "": 0} {
		p := three()
		p.minor, p.welcome.Release, p.welcome.Context = "36", "1.36", "live"
		onPods(t, p, func(t *testing.T, b *fixture) {
			want := func(context string, replayed bool) {
				t.Helper()
				if s := b.now(); s.Proxy.Context != context || s.Replayed != replayed {
					t.Errorf("%s, replayed %v", s.Proxy.Context, s.Replayed)
				}
			}
			want("live", false)
			b.collect(false)
			b.opens(70001, plainOf(t, recording.Header{Cluster: "prod", Apiserver: release}))
			b.wait(soon)
			b.postAndWait(func() {
				c := b.hub.pages[0].cluster
				if got := c.Client.Link().Welcome.Release; got != release || c.Kinds.Minor() != minor {
					t.Errorf("%q, 1.%d", got, c.Kinds.Minor())
				}
			})
			want("prod", true)
			b.page.in <- port.Travel{Seq: 1, Close: true}
			b.wait(soon)
			want("live", false)
		})
	}
}
