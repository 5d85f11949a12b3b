package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"watchglass/internal/detail"
	"watchglass/internal/detail/log"
	"watchglass/internal/object"
	"watchglass/internal/port"
	"watchglass/internal/wire"
)

// reads opens the logs of a pod.
func (b *bench) reads(o log.Options) {
	b.t.Helper()
	b.turnsTo(o)
	b.wait(soon)
}

// turnsTo opens them, and no time passes.
func (b *bench) turnsTo(o log.Options) {
	b.t.Helper()
	o.Follow, o.Limit = true, 100
	raw, err := json.Marshal(o)
	if err != nil {
		b.t.Fatal(err)
	}
	b.seq++
	b.page.in <- port.Focus{Seq: b.seq, Resource: "pods", Namespace: "a", Name: "two", Tab: "logs", Options: raw}
	synctest.Wait()
}

// logged is the last that the page was told of the logs.
func (b *bench) logged() *log.Document {
	b.t.Helper()
	b.wait(soon)
	if d := b.loggedNow(); d != nil {
		return d
	}
	b.t.Fatal("the page was told of no logs")
	return nil
}

// loggedNow is the same, and no time passes: nil if there is none.
func (b *bench) loggedNow() *log.Document {
	b.t.Helper()
	b.page.mu.Lock()
	defer b.page.mu.Unlock()
	for _, d := range slices.Backward(b.page.details) {
		if d.Part != "logs" {
			continue
		}
		doc, piece, err := log.Parse(d.Doc)
		if err != nil {
			b.t.Fatal(err)
		}
		if piece == nil {
			return doc
		}
	}
	return nil
}

func (b *bench) wantLog(want ...string) {
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

// writes has a container write; what was written before a stream was opened is not
// repeated by itself.
func (p *proxy) writes(container, text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for id, s := range p.open {
		if s.Verb == wire.Log && s.Log.Container == container {
			p.send(id, wire.Event{Type: wire.Text, Payload: []byte(text)})
		}
	}
}

// logs are the logs that are read: container, and how they were asked for.
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

// TestLogs reads a log, which breaks, and goes on where it broke: no line is lost, none
// comes twice, and it says what happened.
func TestLogs(t *testing.T) {
	onPods(t, two(), func(t *testing.T, b *bench) {
		b.reads(log.Options{})
		if got := b.proxy.logs(); got != "two/web 1000" {
			t.Fatal(got)
		}
		if s := b.logged().Sources; len(s) != 1 || s[0].State != logLive {
			t.Errorf("%+v", s)
		}
		b.proxy.writes("web", "2026-11-22T03:00:00.1Z one\n2026-11-22T03:00:00.2Z tw")
		b.wantLog("one")
		b.proxy.writes("web", "o\n2026-11-22T03:00:00.2Z two too\n2026-11-22T03:00:00.3Z thr")
		b.wantLog("one", "two", "two too")
		b.proxy.leave(true)
		b.wait(soon)
		b.proxy.leave(false)
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
		if len(notes) < 2 || !strings.Contains(notes[0], "said: ") || notes[len(notes)-1] != "the log goes on" {
			t.Errorf("%q", notes)
		}
		if d.Received != 4 || d.Dropped.Lines != 0 {
			t.Errorf("%d lines, %d dropped", d.Received, d.Dropped.Lines)
		}
	})
}

// TestLogsOfContainers reads all containers in one, filtered; what is asked for anew is
// read anew, and what is left is closed.
func TestLogsOfContainers(t *testing.T) {
	onPods(t, two(), func(t *testing.T, b *bench) {
		b.reads(log.Options{Container: log.AllContainers})
		if got := b.proxy.logs(); got != "two/side 1000, two/web 1000" {
			t.Fatal(got)
		}
		b.proxy.writes("web", "2026-11-22T03:00:01Z w1\n2026-11-22T03:00:03Z w3\n")
		b.proxy.writes("side", "2026-11-22T03:00:02Z s2\n2026-11-22T03:00:04Z s4\n")
		b.wantLog("w1", "s2", "w3", "s4")
		b.reads(log.Options{Container: log.AllContainers, Filter: "!/[24]$/"})
		b.wantLog("w1", "w3")
		b.reads(log.Options{Container: log.AllContainers, Filter: "/[/"})
		if w := b.logged().Wrong; w == nil || w.From != 1 {
			t.Errorf("%+v", w)
		}
		b.reads(log.Options{Container: log.AllContainers, Cleared: 1})
		b.wantLog()
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

// TestLogsAsMany shows that the first lines of another container are told of, though they
// are as many as those of the one before.
func TestLogsAsMany(t *testing.T) {
	onPods(t, two(), func(t *testing.T, b *bench) {
		b.reads(log.Options{Container: "web"})
		b.proxy.writes("web", "2026-11-22T03:00:01Z of web\n")
		b.wantLog("of web")
		b.turnsTo(log.Options{Container: "side"})
		for d := b.loggedNow(); len(d.Sources) != 1 || d.Sources[0].Container != "side" || d.Sources[0].State != logLive; d = b.loggedNow() {
			b.wait(time.Millisecond)
		}
		b.proxy.writes("side", "2026-11-22T03:00:01Z of side\n")
		b.wantLog("of side")
	})
}

// TestLogsDenied says who does not let it be read.
func TestLogsDenied(t *testing.T) {
	p := two()
	p.deny = forbids(func(r wire.Request) bool { return r.Verb == wire.Log })
	onPods(t, p, func(t *testing.T, b *bench) {
		b.reads(log.Options{})
		if s := b.logged().Sources; len(s) != 1 || s[0].State != logDenied || !strings.Contains(s[0].Said, "said: ") {
			t.Errorf("%+v", s)
		}
	})
}

// TestSelectorOf shows which kinds have pods, and by what.
func TestSelectorOf(t *testing.T) {
	for _, c := range []struct {
		kind, doc, want string
		ok              bool
	}{
		{"services", `{"spec":{"selector":{"b":"2","a":"1"}}}`, "a=1,b=2", true},
		{"services", `{"spec":{}}`, "", true},
		{"deployments.apps", `{"spec":{"selector":{"matchLabels":{"a":"1"},"matchExpressions":[{"key":"t","operator":"In","values":["x","y"]}]}}}`, "a=1,t in (x,y)", true},
		{"cronjobs.batch", `{}`, "job-name", true},
		{"configmaps", `{}`, "", false},
	} {
		v, err := detail.ParseValue([]byte(c.doc))
		if err != nil {
			t.Fatal(err)
		}
		if got, ok := selectorOf(c.kind, v); got != c.want || ok != c.ok {
			t.Errorf("%s: %q %t, want %q", c.kind, got, ok, c.want)
		}
	}
}

// TestLogsRuns reads a run that was never seen to run, and neither a run twice nor the
// log of a pod that left and broke off; one that is back is read again.
func TestLogsRuns(t *testing.T) {
	onPods(t, two(), func(t *testing.T, b *bench) {
		b.reads(log.Options{})
		var s *logStream
		ended := container{name: "web", known: true, instance: "a", ended: "Error, exit code 1"}
		b.does(func() {
			s = b.desk.focus.pane.(*logsPane).streams["u-two/web"]
			s.tell(time.Now(), container{name: "web", known: true, running: true, instance: "a"})
			s.tell(time.Now(), ended)
			s.ended(time.Now(), io.EOF)
			s.tell(time.Now(), ended)
			if s.reading() || s.state != logEnded {
				t.Errorf("%s: a run that ended is read again", s.state)
			}
			ended.instance, ended.restarts = "b", 1
			s.tell(time.Now(), ended)
		})
		if got := b.proxy.logs(); got != "two/web 1000" {
			t.Errorf("%q is read: the next run is not", got)
		}
		b.does(func() {
			s.leave(time.Now())
			s.ended(time.Now(), errors.New("it broke"))
			if s.reading() || s.state != logGone {
				t.Errorf("%s: the log of a pod that left is tried again", s.state)
			}
			s.tell(time.Now(), ended)
		})
		if got := b.proxy.logs(); got == "" || s.left {
			t.Error("the pod is back, and its log is not read")
		}
	})
}

// crewOf has a crew follow the pods of a Service.
func (b *bench) crewOf() (c *crew) {
	b.does(func() {
		services, _ := object.Builtin("services")
		c = newCrew(b.desk, &focus{kind: services})
		c.follow(&c.watch, "pods", "a", "app=two")
	})
	return c
}

// TestCrewStands says why the pods are not known, and who said so.
func TestCrewStands(t *testing.T) {
	for want, p := range map[string]*proxy{
		"You may not list its pods. the apiserver said: " + forbidden.Message: {deny: forbids(func(r wire.Request) bool { return r.LabelSelector != "" })},
		"Looking for its pods …": {unlisted: true},
		"":                       two(),
	} {
		onDesk(t, p, func(t *testing.T, b *bench) {
			c := b.crewOf()
			b.does(func() {
				if c.tend(time.Now()); c.said() != want {
					t.Errorf("%q, want %q", c.said(), want)
				}
				c.close()
			})
		})
	}
}

// TestCrewAnew shows that an owner that is made anew has none of the pods of before.
func TestCrewAnew(t *testing.T) {
	onDesk(t, two(), func(t *testing.T, b *bench) {
		c := b.crewOf()
		has := func() (has bool) {
			b.does(func() {
				c.tend(time.Now())
				has = slices.ContainsFunc(c.members(), func(m member) bool { return m.name == "two" })
			})
			return has
		}
		if !has() {
			t.Fatal("it has no pod")
		}
		b.does(func() { c.object(nil, nil) })
		b.proxy.change(wire.Deleted, pod("a", "two", "Running"))
		b.wait(soon)
		b.does(func() { c.follow(&c.watch, "pods", "a", "app=two") })
		if has() {
			t.Error("it has a pod of the one before")
		}
		b.does(c.close)
	})
}

// TestLogsOfSources tells of no source that left and has nothing.
func TestLogsOfSources(t *testing.T) {
	onPods(t, two(), func(t *testing.T, b *bench) {
		b.reads(log.Options{})
		b.proxy.change(wire.Deleted, pod("a", "two", "Running"))
		b.wait(soon)
		b.does(func() {
			p := b.desk.focus.pane.(*logsPane)
			for _, s := range p.streams {
				s.ended(time.Now(), io.EOF)
			}
			if p.tend(time.Now()); len(p.document(false).Sources) != 1 {
				t.Error("a source that there is a note of is not told")
			}
			p.store.Clear()
			p.loose = true
			if p.tend(time.Now()); len(p.document(false).Sources) != 0 || len(p.streams) != 0 {
				t.Errorf("%d streams are kept", len(p.streams))
			}
		})
	})
}
