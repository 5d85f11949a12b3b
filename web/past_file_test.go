package web

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"watchglass/internal/detail"
	"watchglass/internal/port"
	"watchglass/internal/view"
	"watchglass/internal/wire"
	"watchglass/web/list"
	"watchglass/web/past"
	"watchglass/web/ui"
)

// chunkSize is how many bytes of a file the hub gets at a time.
const chunkSize = 512 << 10

// fakeFile is a file in memory; reads wait for the test if it has a gate.
type fakeFile struct {
	name string
	data []byte
	size int
	gate chan struct{}
	fail string
}

func (f *fakeFile) Name() string { return f.name }
func (f *fakeFile) Size() int    { return max(f.size, len(f.data)) }
func (f *fakeFile) Read(from, to int, done func([]byte, string)) {
	go func() {
		if f.gate != nil {
			<-f.gate
		}
		done(f.data[min(from, len(f.data)):min(to, len(f.data))], f.fail)
	}()
}

// opens returns the last request to open a file, and whether that is the published one. The hub pulls chunks of it.
func (w *tab) opens(pulls int) (last port.Ask, published bool) {
	w.t.Helper()
	synctest.Wait()
	args := []struct{ Published bool }{{}}
	for _, m := range w.takeSent() {
		if a, ok := m.(port.Ask); ok && a.Method == "recording.open" {
			last = a
			if err := json.Unmarshal(a.Args, &args); err != nil {
				w.t.Fatal(err)
			}
		}
	}
	for range pulls {
		w.in <- port.Pull{ID: last.ID}
	}
	return last, args[0].Published
}

// chunks returns the chunks sent since the last call, and whether the file was canceled.
func (w *tab) chunks() (all []port.Chunk, canceled bool) {
	synctest.Wait()
	for _, m := range w.takeSent() {
		switch m := m.(type) {
		case port.Chunk:
			all = append(all, m)
		case port.Cancel:
			canceled = true
		}
	}
	return all, canceled
}

// fileBar returns the bar of the file as it is drawn; nil if there is none.
func (w *tab) fileBar() *element {
	for _, e := range draw(w.t, w.page) {
		if e.attrs["class"] == "past file" && e.attrs["hidden"] != "true" {
			return e
		}
	}
	return nil
}

// TestOpenPublished checks that the page asks for the recording that was published with it, unless the hub has shown it
// by itself, and that it sends the file if the hub can't read it.
func TestOpenPublished(t *testing.T) {
	onScreen(t, &screen{kept: map[string]string{}, fetches: true}, "/pods", func(t *testing.T, w *tab) {
		f := &fakeFile{name: "prod.watchglass", data: []byte("damaged")}
		w.takeSent()
		w.Fetched(f.name, f, "")
		asked, published := w.opens(0)
		if sent, _ := w.chunks(); !published || len(sent) > 0 || w.fileBar() == nil {
			t.Fatalf("%+v, %+v", asked, sent)
		}
		for range port.Window {
			w.in <- port.Pull{ID: asked.ID}
		}
		if sent, _ := w.chunks(); len(sent) != 1 || string(sent[0].Data) != "damaged" || sent[0].ID != asked.ID {
			t.Fatalf("%+v", sent)
		}
	})
	onScreen(t, &screen{kept: map[string]string{}, fetches: true}, "/pods", func(t *testing.T, w *tab) {
		at := time.Now().UTC().Truncate(time.Second)
		w.sendPast(remembered{at.Add(-time.Minute), at, &port.RecordingInfo{Cluster: "prod"}}, port.Past{At: at})
		synctest.Wait()
		w.takeSent()
		f := &fakeFile{name: "prod.watchglass", data: []byte("whole")}
		w.Fetched(f.name, f, "")
		if sent, _ := w.opens(0); sent.ID != 0 || w.fileBar() != nil {
			t.Errorf("%+v", sent)
		}
		w.Act(past.OpenFetched, "")
		if asked, _ := w.opens(0); asked.ID == 0 || w.fileBar() == nil {
			t.Error("the recording is not opened again")
		}
	})
}

// TestOpenFile checks that a file reaches the hub in chunks, whole and in order, and that the page then
// shows the recording, until it is closed.
func TestOpenFile(t *testing.T) {
	onPage(t, "/pods", func(t *testing.T, w *tab) {
		w.live()
		w.in <- port.State{Source: w.page.state.Source, Proxy: &wire.Welcome{Context: "dev"}}
		f := &fakeFile{name: "a\u202eb.watchglass", data: bytes.Repeat([]byte("0123456789"), chunkSize/4), gate: make(chan struct{})}
		w.takeSent()
		w.OpenFile(f)
		w.opens(port.Window)
		f.gate <- struct{}{}
		first, _ := w.chunks()
		if text := w.fileBar().text; len(first) != 1 || !strings.Contains(text, "Opening a") || !strings.Contains(text, "40 %") || strings.Contains(text, "\u202e") {
			t.Fatalf("%d chunks, %q", len(first), text)
		}
		close(f.gate)
		rest, canceled := w.chunks()
		all := append(first, rest...)
		var got []byte
		for i, c := range all {
			got = append(got, c.Data...)
			if c.ID != all[0].ID || canceled || len(c.Data) > chunkSize {
				t.Errorf("chunk %d: %d bytes, canceled %v", i, len(c.Data), canceled)
			}
		}
		if !bytes.Equal(got, f.data) {
			t.Error("the chunks are another file")
		}
		from := time.Date(2026, 5, 4, 14, 2, 0, 0, time.Local)
		of := remembered{from, from.Add(29 * time.Minute), &port.RecordingInfo{Cluster: "prod-eu", From: from, To: from.Add(29 * time.Minute), Damage: "read up to 14:31:00: the rest is cut off"}}
		w.sendPast(of, port.Past{At: of.from})
		w.in <- port.State{Source: w.page.state.Source, Proxy: &wire.Welcome{Context: "prod-eu"}, Replayed: true}
		synctest.Wait()
		if steps := w.screen.takeCalls(); strings.Contains(steps, "reload") || !strings.Contains(steps, "state past") {
			t.Error(steps)
		}
		if badge := find(t, draw(t, w.page), "id", "badge").text; badge != "Recorded 14:02–14:31 on prod-eu" {
			t.Error(badge)
		}
		if text := w.bar().text; w.fileBar() != nil || !strings.Contains(text, "Close recording") || !strings.Contains(text, "Damaged file: read up to 14:31:00") {
			t.Error(text)
		}
		if w.Press(ui.Key{Name: "Escape", InGrid: true}); !w.page.past.On() {
			t.Error("Esc closes the recording")
		}
		w.travels()
		w.Act(past.ToLive, "")
		if all := w.travels(); len(all) != 1 || !all[0].Close || !all[0].At.IsZero() {
			t.Fatalf("%+v", all)
		}
		w.sendPast(hour(), port.Past{Seq: w.lastTravel})
		w.in <- port.State{Source: w.page.state.Source, Proxy: &wire.Welcome{Context: "dev"}}
		synctest.Wait()
		if steps := w.screen.takeCalls(); w.page.past.On() || strings.Contains(steps, "reload") {
			t.Error(steps)
		}
	})
}

// TestLeftOut checks that the page says what was left out of a recording, and does not take it for missing.
func TestLeftOut(t *testing.T) {
	onPage(t, "/pods?n=b", func(t *testing.T, w *tab) {
		w.live()
		of := hour()
		show := func(r port.RecordingInfo) (bar, panel string) {
			of.recorded = &r
			w.sendPast(of, port.Past{At: of.to})
			*w.page.list.Window() = view.Window{Columns: []view.Column{{Name: "Name"}}, Of: 8}
			return w.bar().text, find(t, draw(t, w.page), "class", "panel").text
		}
		for _, c := range []struct {
			of                 port.RecordingInfo
			bar, panel, detail string
		}{
			{port.RecordingInfo{}, "", "No matches None of 8 pods match. Clear filter", ""},
			{port.RecordingInfo{Altered: "images replaced"}, " Images replaced.", "No matches None of 8 pods match. Clear filter", "Left out or replaced images replaced"},
			{port.RecordingInfo{Altered: "some namespaces left out", LeftOut: "b,c"}, " Some namespaces left out.", "Not in this recording Namespace b was left out of this recording. Clear filter", "Namespaces left out b, c"},
			{port.RecordingInfo{Altered: "some namespaces left out", LeftOut: "c", Unnamed: 2}, " Some namespaces left out.", "No matches None of 8 pods match. Some namespaces were left out of this recording. Clear filter", "Namespaces left out c and 2 more"},
			{port.RecordingInfo{Altered: "x", Damage: "cut"}, "Damaged file: cut", "No matches None of 8 pods match. Clear filter", ""},
		} {
			bar, panel := show(c.of)
			if !strings.HasSuffix(bar, c.bar) || panel != c.panel {
				t.Errorf("%+v: %q, %q", c.of, bar, panel)
			}
			details := ""
			w.page.past.Facts(func(name, value string) { details += name + " " + value + "\n" })
			if !strings.Contains(details, c.detail) {
				t.Errorf("%+v: %s", c.of, details)
			}
		}
		show(port.RecordingInfo{LeftOut: "b"})
		w.page.list.Window().Of = 0
		if panel := find(t, draw(t, w.page), "class", "panel").text; !strings.Contains(panel, "No pods Namespace b was left out of this recording.") {
			t.Errorf("an empty list: %q", panel)
		}
		if title, means := w.page.past.StateWords(detail.Denied, "b", "No permission", ""); title != "Not in this recording" || means != "Namespace b was left out of this recording." {
			t.Errorf("an object: %q %q", title, means)
		}
	})
}

// TestRefusedFile checks what is said of files that can't be opened, and who is told.
func TestRefusedFile(t *testing.T) {
	for name, c := range map[string]struct {
		file     *fakeFile
		hub      string
		want     string
		canceled bool // the hub is told
	}{
		"empty":     {&fakeFile{}, "", "The file is empty.", false},
		"too large": {&fakeFile{size: 256<<20 + 1}, "", "The file has 268,435,457 bytes; the limit is 268,435,456.", false},
		"unread":    {&fakeFile{data: []byte("x"), fail: "the file can't be read: gone"}, "", "The file can't be read: gone.", true},
		"shrunk":    {&fakeFile{data: []byte("x"), size: 2}, "", "The file changed while it was being read.", true},
		"refused":   {&fakeFile{data: []byte("x")}, "it was saved by a newer Watchglass", "It was saved by a newer Watchglass.", false},
	} {
		t.Run(name, func(t *testing.T) {
			onPage(t, "/pods", func(t *testing.T, w *tab) {
				w.live()
				c.file.name = "x.watchglass"
				w.takeSent()
				w.OpenFile(c.file)
				asked, _ := w.opens(1)
				all, canceled := w.chunks()
				if c.hub != "" {
					w.in <- port.Answer{ID: asked.ID, Error: c.hub}
					synctest.Wait()
				}
				if text := w.fileBar().text; !strings.Contains(text, "Can't open x.watchglass "+c.want) {
					t.Error(text)
				}
				if canceled != c.canceled || len(all) > 0 != (c.hub != "") {
					t.Errorf("%+v, canceled %v", all, canceled)
				}
				w.Act(past.DropFile, "")
				if more, canceled := w.chunks(); w.fileBar() != nil || len(more) != 0 || canceled {
					t.Errorf("%+v, canceled %v", more, canceled)
				}
			})
		})
	}
}

// TestSecondFile checks that a second file replaces the first, which is read no further.
func TestSecondFile(t *testing.T) {
	onPage(t, "/pods", func(t *testing.T, w *tab) {
		w.live()
		a := &fakeFile{name: "a", data: make([]byte, 3*chunkSize), gate: make(chan struct{})}
		b := &fakeFile{name: "b", data: []byte("b")}
		w.takeSent()
		w.OpenFile(a)
		first, _ := w.opens(port.Window)
		a.gate <- struct{}{}
		synctest.Wait()
		w.OpenFile(b)
		close(a.gate)
		synctest.Wait()
		sent := w.takeSent()
		if len(sent) != 3 || sent[0].(port.Chunk).ID != first.ID || sent[1] != (port.Cancel{ID: first.ID}) {
			t.Fatalf("%+v", sent)
		}
		w.in <- port.Pull{ID: sent[2].(port.Ask).ID}
		if all, _ := w.chunks(); len(all) != 1 || all[0].ID == first.ID || string(all[0].Data) != "b" {
			t.Errorf("%+v", all)
		}
		w.in <- port.Answer{ID: first.ID, Error: "late"}
		synctest.Wait()
		if text := w.fileBar().text; !strings.Contains(text, "Opening b") {
			t.Error(text)
		}
	})
}

// TestCloseRecording checks that the document is live once a recording is closed, although the list's
// state comes before the hub says that it is.
func TestCloseRecording(t *testing.T) {
	onPage(t, "/pods", func(t *testing.T, w *tab) {
		w.live()
		of := hour()
		of.recorded = &port.RecordingInfo{Cluster: "prod-eu"}
		w.sendPast(of, port.Past{At: of.to})
		if got := w.page.stateName(); got != pastState {
			t.Fatal(got)
		}
		w.takeSent()
		w.Act(past.ToLive, "")
		w.live()
		w.screen.takeCalls()
		of.recorded = nil
		w.sendPast(of, port.Past{Seq: w.lastTravel})
		last := ""
		for _, call := range w.screen.steps {
			if strings.HasPrefix(call, "state ") {
				last = call
			}
		}
		if !strings.HasPrefix(last, "state live ") {
			t.Errorf("the document's last: %q", last)
		}
	})
}

// TestRecordingLive checks that a page which opens a recording and closes it starts over only if the proxy serves another
// cluster or user than before. The state of another cluster may come before the report that it is shown.
func TestRecordingLive(t *testing.T) {
	for _, early := range []bool{false, true} {
		for user, want := range map[string]bool{"ana": false, "bob": true} {
			onPage(t, "/pods", func(t *testing.T, w *tab) {
				state := func(of, as string) {
					w.in <- port.State{ID: list.ID, Source: w.page.state.Source, Proxy: &wire.Welcome{Context: of, User: as}, Replayed: of != "here"}
					synctest.Wait()
				}
				w.live()
				state("here", "ana")
				of, live := hour(), hour()
				of.recorded = &port.RecordingInfo{Cluster: "prod"}
				opened, closed := port.Past{At: of.to}, port.Past{}
				if early {
					state("prod", "eve")
				}
				w.sendPast(of, opened)
				state("prod", "eve")
				if strings.Contains(w.screen.takeCalls(), "reload") {
					t.Errorf("opening a recording starts over, the state first: %v", early)
				}
				if early {
					state("here", user)
				}
				w.sendPast(live, closed)
				state("here", user)
				if reloaded := strings.Contains(w.screen.takeCalls(), "reload"); reloaded != want {
					t.Errorf("%s, the state first %v: reloaded %v", user, early, reloaded)
				}
			})
		}
	}
}
