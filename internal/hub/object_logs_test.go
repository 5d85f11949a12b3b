package hub

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"watchglass/internal/detail/log"
	"watchglass/internal/port"
	"watchglass/internal/wire"
)

// reads opens the logs of a pod.
func (b *fixture) reads(o log.Options) {
	b.t.Helper()
	o.Follow, o.Limit = true, 100
	raw, err := json.Marshal(o)
	if err != nil {
		b.t.Fatal(err)
	}
	b.seq++
	b.page.in <- port.Focus{ID: objectID, Seq: b.seq, Resource: "pods", Namespace: "a", Name: "two", Tab: "logs", Options: raw}
	b.wait(soon)
}

// logged returns the last document of the logs that the page was sent.
func (b *fixture) logged() *log.Document {
	b.t.Helper()
	b.wait(soon)
	b.page.mu.Lock()
	defer b.page.mu.Unlock()
	for _, d := range slices.Backward(b.page.details) {
		if d.Part != "logs" {
			continue
		}
		doc, err := log.ParseDocument(d.Doc)
		if err != nil {
			b.t.Fatal(err)
		}
		return doc
	}
	b.t.Fatal("the page was told of no logs")
	return nil
}

func (b *fixture) wantLog(want ...string) {
	b.t.Helper()
	var got []string
	for _, r := range b.logged().Window {
		text := r.Text()
		if r.Note {
			text = "-- " + text
		}
		got = append(got, text)
	}
	if !slices.Equal(got, want) {
		b.t.Errorf("the log is\n%s, want\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// writes makes a container write. A stream that is opened later does not repeat it by itself.
func (p *proxy) writes(container, text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for id, s := range p.open {
		if s.Verb == wire.Log && s.Log.Container == container {
			p.send(id, wire.Event{Type: wire.Text, Payload: []byte(text)})
		}
	}
}

// logs returns the logs that are being read: the container, and the options of the request.
func (p *proxy) logs() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var all []string
	for _, s := range p.open {
		if s.Verb == wire.Log {
			tail := "all"
			if s.Log.TailLines != nil {
				tail = fmt.Sprint(*s.Log.TailLines)
			}
			all = append(all, strings.TrimSpace(fmt.Sprint(s.Name, "/", s.Log.Container, " ", tail, " ", s.Log.SinceTime)))
		}
	}
	slices.Sort(all)
	return strings.Join(all, ", ")
}

func two() *proxy {
	p := three()
	two := pod("a", "two", "Running")
	two.containers = []string{"web", "side"}
	p.change(wire.Added, two)
	return p
}

// TestLogs reads a log that breaks off and continues there. No line is lost or repeated, and
// notes say what happened.
func TestLogs(t *testing.T) {
	onPods(t, two(), func(t *testing.T, b *fixture) {
		b.reads(log.Options{})
		if got := b.proxy.logs(); got != "two/web 1000" {
			t.Fatal(got)
		}
		if s := b.logged().Sources; len(s) != 1 || s[0].State != "live" {
			t.Errorf("%+v", s)
		}
		b.proxy.writes("web", "2026-11-22T03:00:00.1Z one\n2026-11-22T03:00:00.2Z tw")
		b.wantLog("one")
		b.proxy.writes("web", "o\n2026-11-22T03:00:00.2Z two too\n2026-11-22T03:00:00.3Z thr")
		b.wantLog("one", "two", "two too")
		b.proxy.setAway(true)
		b.wait(soon)
		b.proxy.setAway(false)
		b.wait(20 * time.Second)
		if got := b.proxy.logs(); got != "two/web all 2026-11-22T03:00:00Z" {
			t.Fatal(got)
		}
		b.proxy.writes("web", "2026-11-22T03:00:00.1Z one\n2026-11-22T03:00:00.2Z two\n2026-11-22T03:00:00.2Z two too\n2026-11-22T03:00:00.3Z three\n")
		d := b.logged()
		var lines, notes []string
		for _, r := range d.Window {
			if r.Note {
				notes = append(notes, r.Text())
			} else {
				lines = append(lines, r.Text())
			}
		}
		if got := strings.Join(lines, ","); got != "one,two,two too,three" {
			t.Error(got)
		}
		if len(notes) < 2 || !strings.Contains(notes[0], "said: ") || notes[len(notes)-1] != "the log continues" {
			t.Errorf("%q", notes)
		}
		if d.Received != 4 || d.Dropped.Lines != 0 {
			t.Errorf("%d lines, %d dropped", d.Received, d.Dropped.Lines)
		}
	})
}

// TestLogsOfContainers reads all containers together. Logs that are requested again are read
// again, and those that are not are closed.
func TestLogsOfContainers(t *testing.T) {
	onPods(t, two(), func(t *testing.T, b *fixture) {
		b.reads(log.Options{Container: log.AllContainers})
		if got := b.proxy.logs(); got != "two/side 1000, two/web 1000" {
			t.Fatal(got)
		}
		b.reads(log.Options{Container: "side", Since: 60})
		if got := b.proxy.logs(); got != "two/side all" {
			t.Error(got)
		}
		b.focus(port.Focus{Seq: 99})
		b.wait(soon)
		if got := b.proxy.logs(); got != "" {
			t.Error(got)
		}
	})
}

// TestLogsDenied checks that the page is told who refuses the log.
func TestLogsDenied(t *testing.T) {
	p := two()
	p.deny = forbids(func(r wire.Request) bool { return r.Verb == wire.Log })
	onPods(t, p, func(t *testing.T, b *fixture) {
		b.reads(log.Options{})
		if s := b.logged().Sources; len(s) != 1 || s[0].State != "denied" || !strings.Contains(s[0].Said, "said: ") {
			t.Errorf("%+v", s)
		}
	})
}

// TestLogsOfPast checks that a log that is not remembered is said to be, once: it is not lost for a
// moment, and has no line of now.
func TestLogsOfPast(t *testing.T) {
	onPods(t, two(), func(t *testing.T, b *fixture) {
		b.wait(10 * time.Second)
		b.travel(port.Travel{At: time.Now().Add(-5 * time.Second)})
		b.reads(log.Options{})
		b.wait(time.Minute)
		if d := b.logged(); len(d.Sources) != 1 || d.Sources[0].State != log.Denied || d.Sources[0].Said != "" || d.Rows != 0 {
			t.Errorf("%+v, %d rows", d.Sources, d.Rows)
		}
	})
}

// TestLogSave checks that the lines of an open log are sent, one chunk for each pull, and that a file ends if the log is read
// anew, or if its tab is closed.
func TestLogSave(t *testing.T) {
	const id = 70000
	for name, end := range map[string]struct {
		do   func(b *fixture)
		said string
	}{
		"whole":   {func(*fixture) {}, ""},
		"another": {func(b *fixture) { b.reads(log.Options{Container: "side"}) }, port.ErrReloaded.Error()},
		"closed":  {func(b *fixture) { b.page.in <- port.Close{ID: objectID} }, port.ErrReloaded.Error()},
	} {
		t.Run(name, func(t *testing.T) {
			p := two()
			onPods(t, p, func(t *testing.T, b *fixture) {
				b.reads(log.Options{Container: "web"})
				for range 30 {
					p.writes("web", strings.Repeat(stamped(time.Now(), strings.Repeat("x", 1000)), 50))
				}
				b.wait(soon)
				var text, chunks int
				var answers []port.Answer
				b.page.locked(func() {
					b.page.other = func(m port.Message) {
						switch m := m.(type) {
						case port.Chunk:
							text, chunks = text+len(m.Data), chunks+1
						case port.Answer:
							answers = append(answers, m)
						}
					}
				})
				b.page.in <- port.Ask{ID: id, Object: objectID, Method: "log.save", Args: json.RawMessage(`[{"export":{"All":true}}]`)}
				b.page.in <- port.Pull{ID: id}
				b.wait(soon)
				if chunks != 1 || len(answers) > 0 {
					t.Fatalf("%d chunks, %v", chunks, answers)
				}
				end.do(b)
				b.page.in <- port.Pull{ID: id}
				b.wait(soon)
				if len(answers) != 1 || answers[0].Error != end.said || end.said == "" && (chunks != 2 || text != 1500*1001) {
					t.Errorf("%d chunks of %d bytes, %v", chunks, text, answers)
				}
				b.page.in <- port.Ask{ID: id, Object: 99, Method: "log.save", Args: json.RawMessage(`[{}]`)}
				b.wait(soon)
				if len(answers) != 2 || answers[1].Error != port.ErrReloaded.Error() {
					t.Errorf("of no object: %v", answers)
				}
			})
		})
	}
}
