package logs

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"watchglass/internal/detail/log"
	"watchglass/internal/wire"
)

var (
	forbidden = &wire.Status{Origin: wire.FromAPIServer, Code: 403, Reason: wire.ReasonForbidden, Message: `User "ana" cannot get pods/log`}
	dropped   = &wire.Status{Origin: wire.FromSocket, Reason: wire.ReasonUnreachable, Message: "the connection broke"}
)

// TestResume reads a log that breaks off. It continues there, no line is lost or repeated,
// and notes say what happened.
func TestResume(t *testing.T) {
	onPane(t, "pods", &cluster{}, func(t *testing.T, h *host) {
		h.ask(log.Options{})
		h.object(newPod("two", "web", "side"))
		h.wantOpen("two/web last 1000")
		h.wantState(log.Live, "")
		h.kubelet.write("two/web", "2026-11-22T03:00:00.1Z one\n2026-11-22T03:00:00.2Z tw")
		h.wantRows("one")
		h.kubelet.write("two/web", "o\n2026-11-22T03:00:00.2Z two too\n2026-11-22T03:00:00.3Z thr")
		h.wantRows("one", "two", "two too")
		h.kubelet.refuses(dropped)
		h.kubelet.end("two/web", dropped)
		h.wantState(log.Away, "the connection to the proxy said: the connection broke")
		h.Wait(3 * time.Second)
		h.kubelet.refuses(nil)
		h.Wait(20 * time.Second)
		h.wantOpen("two/web all since 2026-11-22T03:00:00Z")
		h.kubelet.write("two/web", "2026-11-22T03:00:00.1Z one\n2026-11-22T03:00:00.2Z two\n2026-11-22T03:00:00.2Z two too\n2026-11-22T03:00:00.3Z three\n")
		d := h.last()
		lines, notes := rows(d), []string(nil)
		lines = slices.DeleteFunc(lines, func(s string) bool {
			note, is := strings.CutPrefix(s, "-- ")
			if is {
				notes = append(notes, note)
			}
			return is
		})
		if got := strings.Join(lines, ","); got != "one,two,two too,three" {
			t.Error(got)
		}
		if len(notes) != 2 || !strings.HasSuffix(notes[0], "said: the connection broke") || notes[1] != "the log continues" {
			t.Errorf("%q", notes)
		}
		if d.Received != 4 || d.Dropped.Lines != 0 {
			t.Errorf("%d lines, %d dropped", d.Received, d.Dropped.Lines)
		}
		h.wantState(log.Live, "")
	})
}

// TestLinesMissing says so when a log that is opened again has lost lines meanwhile.
func TestLinesMissing(t *testing.T) {
	onPane(t, "pods", &cluster{}, func(t *testing.T, h *host) {
		h.ask(log.Options{})
		h.object(newPod("two", "web"))
		h.kubelet.write("two/web", "1990-01-01T00:00:01Z one\n")
		h.kubelet.end("two/web", dropped)
		h.Wait(time.Second)
		h.kubelet.write("two/web", "1990-01-01T00:00:09Z nine\n")
		if got := rows(h.last()); !slices.Contains(got, "-- lines are missing here: the container log no longer contains them") {
			t.Errorf("%q", got)
		}
	})
}

// TestRetry waits twice as long after each failure, up to a limit, and starts again with the
// first wait once the log was open.
func TestRetry(t *testing.T) {
	onPane(t, "pods", &cluster{}, func(t *testing.T, h *host) {
		gaps := func() (gaps []time.Duration) {
			all := h.kubelet.times()
			for i := 1; i < len(all); i++ {
				gaps = append(gaps, all[i].Sub(all[i-1]))
			}
			return gaps
		}
		const s = time.Second
		h.kubelet.refuses(dropped)
		h.ask(log.Options{})
		h.object(newPod("two", "web"))
		h.Wait(50 * s)
		if got, want := gaps(), []time.Duration{s / 2, s, 2 * s, 4 * s, 8 * s, 15 * s, 15 * s}; !slices.Equal(got, want) {
			t.Errorf("the waits are %v, want %v", got, want)
		}
		h.kubelet.refuses(nil)
		h.Wait(20 * s)
		h.wantOpen("two/web last 1000")
		h.kubelet.times()
		h.kubelet.refuses(dropped)
		at := time.Now()
		h.kubelet.end("two/web", dropped)
		h.Wait(3 * s)
		if got := h.kubelet.times(); len(got) == 0 || got[0].Sub(at) != s/2 {
			t.Errorf("a log that was open is opened again after %v", got)
		}
	})
}

// TestRetryEach opens each log again at its own time.
func TestRetryEach(t *testing.T) {
	onPane(t, "pods", &cluster{}, func(t *testing.T, h *host) {
		h.ask(log.Options{Container: log.AllContainers})
		h.object(newPod("two", "web", "side"))
		h.kubelet.refuses(dropped)
		h.kubelet.end("two/web", dropped)
		h.Wait(10 * time.Second) // the next attempt is 5 s away
		h.kubelet.end("two/side", dropped)
		h.Wait(firstWait / 2)
		h.kubelet.refuses(nil)
		h.Wait(firstWait)
		h.wantOpen("two/side last 1000")
		h.Wait(10 * time.Second)
		h.wantOpen("two/side last 1000", "two/web last 1000")
	})
}

// TestEndings shows what follows each end of a stream: the state, whether a note says why,
// and whether the log is opened again.
func TestEndings(t *testing.T) {
	api := func(code int) *wire.Status {
		return &wire.Status{Origin: wire.FromAPIServer, Code: code, Message: "no"}
	}
	starts := &wire.Status{Origin: wire.FromAPIServer, Code: 400, Message: `container "web" in pod "two" is waiting to start: CrashLoopBackOff`}
	for _, c := range []struct {
		err         error
		previous    bool
		container   status
		state, said string
		noted       bool
		again       bool
	}{
		{err: api(403), state: log.Denied, said: "the apiserver said: no", noted: true, again: true},
		{err: api(401), state: log.Denied, said: "the apiserver said: no", noted: true, again: true},
		{err: api(404), state: log.Ended, said: "the apiserver said: no", noted: true},
		{err: api(400), container: waitingFor("web", "ImagePullBackOff", "no such image"), state: log.Waiting, said: "ImagePullBackOff: no such image", again: true},
		{err: api(400), container: waitingFor("web", "", ""), state: log.Waiting, said: "no reason given", again: true},
		{err: api(400), state: log.Away, said: "the apiserver said: no", noted: true, again: true},
		{err: starts, state: log.Waiting, said: "CrashLoopBackOff", again: true},
		{err: api(400), previous: true, container: status{name: "web"}, state: log.Ended, said: "the apiserver said: no", noted: true},
		{err: api(500), state: log.Away, said: "the apiserver said: no", noted: true, again: true},
		{err: errors.New("no"), state: log.Away, said: "this page said: no", noted: true, again: true},
		{err: io.EOF, state: log.Live, again: true}, // the container writes on
		{err: io.EOF, container: terminated("web", "r1", 3), state: log.Ended, said: "Error, exit code 3"},
		{err: io.EOF, previous: true, container: status{name: "web", run: "r2", restarts: 1, state: map[string]any{"running": map[string]any{}}}, state: log.Ended},
	} {
		t.Run(fmt.Sprint(c.err, " ", c.previous, " ", c.container.state), func(t *testing.T) {
			onPane(t, "pods", &cluster{}, func(t *testing.T, h *host) {
				if c.container.name == "" {
					c.container = running("web", "r1")
				}
				h.ask(log.Options{Previous: c.previous})
				h.object(podWith("two", c.container))
				h.kubelet.times()
				h.kubelet.stalls()
				h.kubelet.end("two/web", c.err)
				h.wantState(c.state, c.said)
				h.Wait(firstWait)
				if got := len(h.kubelet.times()) > 0; got != c.again {
					t.Errorf("opened again: %t, want %t", got, c.again)
				}
				if got := len(h.last().Window) > 0; got != c.noted {
					t.Errorf("noted: %t, want %t", got, c.noted)
				}
			})
		})
	}
}

// TestDeniedOpen says who does not let the log be read, and notes it once.
func TestDeniedOpen(t *testing.T) {
	onPane(t, "pods", &cluster{}, func(t *testing.T, h *host) {
		h.kubelet.refuses(forbidden)
		h.ask(log.Options{})
		h.object(newPod("two", "web"))
		h.Wait(10 * time.Second)
		h.wantState(log.Denied, "the apiserver said: "+forbidden.Message)
		h.wantRows("-- the apiserver said: " + forbidden.Message)
	})
}

// TestRuns reads no run twice. It reads a run that was never seen running, and the log of a
// pod that is back, but does not retry the log of a deleted pod.
func TestRuns(t *testing.T) {
	onPane(t, "deployments", (&cluster{}).has("pods", podWith("two", running("web", "r1"))), func(t *testing.T, h *host) {
		h.ask(log.Options{})
		h.object(selecting("app", "x"))
		h.wantOpen("two/web last 1000")
		h.cluster.change(wire.Modified, "pods", podWith("two", terminated("web", "r1", 1)))
		h.Wait(soon)
		h.kubelet.end("two/web", io.EOF)
		h.Wait(time.Minute)
		h.wantOpen()
		h.wantState(log.Ended, "Error, exit code 1")
		h.cluster.change(wire.Modified, "pods", podWith("two", terminated("web", "r2", 1)))
		h.Wait(soon)
		h.wantOpen("two/web last 1000")
		h.wantRows("-- the container restarted")

		h.cluster.change(wire.Deleted, "pods", podWith("two", terminated("web", "r2", 1)))
		h.Wait(soon)
		h.kubelet.end("two/web", dropped)
		h.Wait(time.Minute)
		h.wantOpen()
		if s := h.last().Sources; len(s) != 1 || s[0].State != log.Gone {
			t.Errorf("%+v", s)
		}
		h.cluster.change(wire.Added, "pods", podWith("two", terminated("web", "r2", 1)))
		h.Wait(soon)
		h.wantOpen("two/web last 1000")
		if got := rows(h.last()); !slices.Contains(got, "-- the pod is back") {
			t.Errorf("%q", got)
		}
	})
}

// TestRestart reads the next run of a container from its beginning. If nobody read the end of
// the previous run, it says that lines may be lost.
func TestRestart(t *testing.T) {
	onPane(t, "pods", &cluster{}, func(t *testing.T, h *host) {
		h.ask(log.Options{})
		h.object(podWith("two", running("web", "r1")))
		h.kubelet.write("two/web", "1990-01-01T00:00:01Z one\n")
		h.Wait(soon)
		h.kubelet.refuses(dropped)
		h.kubelet.end("two/web", dropped)
		h.Wait(soon)
		h.kubelet.refuses(nil)
		h.object(podWith("two", running("web", "r2")))
		h.wantOpen("two/web all")
		if got := rows(h.last()); !slices.Contains(got, "-- the container restarted: its last lines are in the previous logs") {
			t.Errorf("%q", got)
		}
	})
}

// TestRunsUnread says how many runs of a container came and went unread, and that lines of that time are missing.
func TestRunsUnread(t *testing.T) {
	onPane(t, "pods", &cluster{}, func(t *testing.T, h *host) {
		run := func(id string, restarts int) manifest {
			c := running("web", id)
			c.restarts = restarts
			return podWith("two", c)
		}
		h.ask(log.Options{})
		h.object(run("r1", 0))
		h.kubelet.write("two/web", "1990-01-01T00:00:01Z one\n")
		h.Wait(soon)
		h.kubelet.end("two/web", io.EOF)
		h.Wait(soon)
		h.object(run("r6", 5))
		h.Wait(soon)
		h.kubelet.write("two/web", "1990-01-01T00:09:00Z six\n")
		h.Wait(soon)
		if got := rows(h.last()); !slices.Contains(got, "-- the container restarted, and at least 4 runs in between ended unread") {
			t.Errorf("%q", got)
		}
		h.kubelet.end("two/web", io.EOF)
		h.object(run("r7", 6))
		h.Wait(soon)
		if got := rows(h.last()); !slices.Contains(got, "-- the container restarted") {
			t.Errorf("%q", got)
		}
	})
}

// TestClosedByServer continues where the server closes the log of a running container, even
// in the middle of a line.
func TestClosedByServer(t *testing.T) {
	onPane(t, "pods", &cluster{}, func(t *testing.T, h *host) {
		h.ask(log.Options{})
		h.object(podWith("two", running("web", "r1")))
		h.kubelet.write("two/web", "1990-01-01T00:00:01Z one\n1990-01-01T00:00:02Z tw")
		h.kubelet.end("two/web", io.EOF)
		h.Wait(2 * firstWait)
		h.wantOpen("two/web all since 1990-01-01T00:00:01Z")
		h.kubelet.write("two/web", "1990-01-01T00:00:01Z one\n1990-01-01T00:00:02Z two\n")
		h.wantRows("one", "two")
	})
}

// TestWaiting says why a container does not start, as that changes, and opens its log as soon
// as it has started.
func TestWaiting(t *testing.T) {
	onPane(t, "pods", &cluster{}, func(t *testing.T, h *host) {
		h.kubelet.refuses(&wire.Status{Origin: wire.FromAPIServer, Code: 400, Message: "is waiting to start"})
		h.ask(log.Options{})
		h.object(podWith("two", waitingFor("web", "ContainerCreating", "")))
		h.Wait(30 * time.Second) // now the waits are long
		h.object(podWith("two", waitingFor("web", "ImagePullBackOff", "no such image")))
		h.wantState(log.Waiting, "ImagePullBackOff: no such image")
		h.kubelet.refuses(nil)
		h.object(podWith("two", running("web", "")))
		h.wantState(log.Live, "")
	})
}

// TestRunAhead continues after the last line if the pod reported another run while a stream
// was open, since the stream may have read from it.
func TestRunAhead(t *testing.T) {
	onPane(t, "pods", &cluster{}, func(t *testing.T, h *host) {
		h.ask(log.Options{})
		h.object(podWith("two", running("web", "r1")))
		h.kubelet.write("two/web", "1990-01-01T00:00:01Z one\n")
		h.Wait(soon)
		h.object(podWith("two", running("web", "r2")))
		h.kubelet.end("two/web", io.EOF)
		h.Wait(soon)
		h.wantOpen("two/web all since 1990-01-01T00:00:01Z")
	})
}

// TestEarlier says of a log that begins later than the container's run that earlier lines may be missing, also of the
// previous one and while the container waits for its next run. That of a range of time may begin at any time.
func TestEarlier(t *testing.T) {
	run := func(state, at string) map[string]any {
		return map[string]any{state: map[string]any{"startedAt": at}}
	}
	const early, late = "1990-01-01T00:00:01Z", "1990-01-01T00:09:00Z"
	for name, c := range map[string]struct {
		options     log.Options
		state, last map[string]any
		want        bool
	}{
		"whole":                  {state: run("running", late), last: run("terminated", early)},
		"rotated":                {state: run("running", early), want: true},
		"all, rotated":           {options: log.Options{All: true}, state: run("running", early), want: true},
		"ended":                  {state: run("terminated", late)},
		"ended, rotated":         {state: run("terminated", early), want: true},
		"crashed":                {state: run("waiting", ""), last: run("terminated", late)},
		"crashed, rotated":       {state: run("waiting", ""), last: run("terminated", early), want: true},
		"previous":               {options: log.Options{Previous: true}, state: run("running", early), last: run("terminated", late)},
		"previous, rotated":      {options: log.Options{Previous: true}, state: run("running", late), last: run("terminated", early), want: true},
		"nothing is known":       {state: run("running", ""), want: true},
		"a range, maybe rotated": {options: log.Options{Since: 60}, state: run("running", early)},
	} {
		t.Run(name, func(t *testing.T) {
			onPane(t, "pods", &cluster{}, func(t *testing.T, h *host) {
				h.ask(c.options)
				h.object(podWith("two", status{name: "web", run: "r1", restarts: 1, state: c.state, last: c.last}))
				h.kubelet.write("two/web", "1990-01-01T00:09:01Z one\n")
				h.wantRows("one")
				if s := h.last().Sources; len(s) != 1 || s[0].Earlier && !c.options.All {
					t.Errorf("it is still loading: %+v", s)
				}
				h.Wait(2 * loadQuiet)
				if s := h.last().Sources; len(s) != 1 || s[0].Earlier != c.want {
					t.Errorf("it is loaded: %+v", s)
				}
				h.object(podWith("two", status{name: "web", run: "r2", restarts: 2, state: run("running", "1990-01-01T00:20:00Z"), last: c.state}))
				if s := h.last().Sources; len(s) != 1 || s[0].Earlier != c.want {
					t.Errorf("%+v", s)
				}
			})
		})
	}
}

// TestEarlierNextRun checks that a log which begins with the next run, because the pod reports that late, is not compared
// with the start of the run before.
func TestEarlierNextRun(t *testing.T) {
	onPane(t, "pods", &cluster{}, func(t *testing.T, h *host) {
		run := func(id string, restarts int, at string) manifest {
			return podWith("two", status{name: "web", run: id, restarts: restarts, state: map[string]any{"running": map[string]any{"startedAt": at}}})
		}
		h.ask(log.Options{})
		h.object(run("r1", 0, "1990-01-01T00:00:01Z"))
		h.kubelet.write("two/web", "1990-01-01T00:09:01Z one\n")
		h.Wait(soon)
		h.object(run("r2", 1, "1990-01-01T00:09:00Z"))
		h.Wait(2 * loadQuiet)
		if s := h.last().Sources; len(s) != 1 || s[0].Earlier {
			t.Errorf("%+v", s)
		}
	})
}

// TestPrevious says that there is no previous run where the pod reports none, and opens
// nothing.
func TestPrevious(t *testing.T) {
	onPane(t, "pods", &cluster{}, func(t *testing.T, h *host) {
		h.ask(log.Options{Previous: true})
		h.object(podWith("two", running("web", "r1")))
		h.wantState(log.Ended, "The container has no previous logs.")
		h.wantOpen()
		restarted := running("web", "r2")
		restarted.restarts = 1
		h.object(podWith("two", restarted))
		h.wantOpen("two/web last 1000 previous")
	})
}

// TestCredit gives credit for lines only once the store has them.
func TestCredit(t *testing.T) {
	onPane(t, "pods", &cluster{}, func(t *testing.T, h *host) {
		h.ask(log.Options{})
		h.object(newPod("two", "web"))
		s, text := h.kubelet.find("two/web"), "1990-01-01T00:00:01Z one\n"
		h.Do(func() { // the loop is busy
			h.kubelet.write("two/web", text)
			synctest.Wait()
			if got := s.Credited(); got != 0 {
				t.Errorf("credit of %d bytes is given for lines that nobody has", got)
			}
		})
		h.Wait(soon)
		if got := s.Credited(); got != len(text) {
			t.Errorf("credit is %d bytes, want %d", got, len(text))
		}
		h.wantRows("one")
	})
}

// TestReplaced applies nothing that a stream has read once it is replaced: neither lines nor
// its end, to neither store.
func TestReplaced(t *testing.T) {
	for name, last := range map[string]func(k *kubelet){
		"lines": func(k *kubelet) { k.write("two/web", "1990-01-01T00:00:01Z one\n") },
		"end":   func(k *kubelet) { k.end("two/web", dropped) },
	} {
		t.Run(name, func(t *testing.T) {
			onPane(t, "pods", &cluster{}, func(t *testing.T, h *host) {
				h.ask(log.Options{})
				h.object(newPod("two", "web", "side"))
				h.Wait(soon)
				var before *log.Store
				var old *stream
				h.Do(func() {
					before, old = h.pane.lines.store, h.pane.streams.streams["u-two/web"]
					last(h.kubelet)
					synctest.Wait() // it is on its way to the loop
					h.pane.Options([]byte(`{"container":"side","limit":100}`))
					h.Update()
				})
				h.Wait(time.Minute)
				h.wantRows()
				h.wantOpen("two/side last 1000")
				h.Do(func() {
					before.Merge(time.Now())
					if before.Len() > 0 || before.Received() > 0 {
						t.Errorf("%d lines were written to a store that nobody shows", before.Len())
					}
					if old.active() || old.state != log.Live {
						t.Errorf("the stream that was replaced is %s", old.state)
					}
				})
			})
		})
	}
}

// TestMaxStreams opens at most maxStreams streams, says how many are left out, and opens those
// as others end. This includes containers that restart meanwhile.
func TestMaxStreams(t *testing.T) {
	c := &cluster{}
	name := func(i int) string { return fmt.Sprintf("p%02d", i) }
	for i := range maxStreams + 10 {
		c.has("pods", podWith(name(i), running("web", "r1")))
	}
	onPane(t, "deployments", c, func(t *testing.T, h *host) {
		check := func(open, more int) {
			t.Helper()
			if d, got := h.last(), len(h.kubelet.reading()); got != open || d.More != more {
				t.Errorf("%d are open and %d are not, want %d and %d", got, d.More, open, more)
			}
		}
		h.ask(log.Options{})
		h.object(selecting("app", "x"))
		check(maxStreams, 10)
		for i := range 3 {
			h.cluster.change(wire.Modified, "pods", podWith(name(i), terminated("web", "r1", 1)))
			h.Wait(soon)
			h.kubelet.end(name(i)+"/web", io.EOF)
		}
		check(maxStreams, 7)
		for i := range 3 {
			h.cluster.change(wire.Modified, "pods", podWith(name(i), terminated("web", "r2", 1)))
		}
		check(maxStreams, 10)
		for i := 3; i < 13; i++ {
			h.cluster.change(wire.Deleted, "pods", newPod(name(i)))
			h.Wait(soon)
			h.kubelet.end(name(i)+"/web", io.EOF)
		}
		check(maxStreams, 0)
	})
}

// TestRefusedCounts counts a log that will be retried as open.
func TestRefusedCounts(t *testing.T) {
	c := &cluster{}
	for i := range maxStreams + 1 {
		c.has("pods", newPod(fmt.Sprintf("p%02d", i), "web"))
	}
	onPane(t, "deployments", c, func(t *testing.T, h *host) {
		h.kubelet.refuses(forbidden)
		h.ask(log.Options{})
		h.object(selecting("app", "x"))
		if d := h.last(); d.More != 1 || len(d.Sources) != maxStreams {
			t.Errorf("%d sources, %d more", len(d.Sources), d.More)
		}
	})
}
