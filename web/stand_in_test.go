package web

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"watchglass/internal/port"
	"watchglass/internal/view"
	"watchglass/web/grid"
	"watchglass/web/list"
	"watchglass/web/ui"
)

// screen is a fake browser that records calls.
type screen struct {
	mu      sync.Mutex
	steps   []string
	kept    map[string]string // in its storage
	blocked bool              // storage and clipboard are blocked
	saved   string            // the last file saved
	wins    bool              // it runs on Windows
	touch   bool              // touch input
	unsaved bool              // the browser asks before it leaves the page
	alone   bool              // there is no cluster
	user    string            // of the session
	fetches bool              // a recording was published with the page
	packing chan struct{}     // if set, a recording is compressed until it is closed

	revealed string // the element last scrolled to
}

func (s *screen) record(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.steps = append(s.steps, fmt.Sprintf(format, args...))
}

// takeCalls returns the calls recorded since the last take, as one text.
func (s *screen) takeCalls() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := strings.Join(s.steps, ", ")
	s.steps = nil
	return out
}

func (s *screen) Push(a string)            { s.record("push %s", a) }
func (s *screen) Replace(a string)         { s.record("replace %s", a) }
func (s *screen) Scroll(top int)           { s.record("scroll %d", top) }
func (s *screen) ScrollText(top int)       { s.record("scroll text %d", top) }
func (s *screen) Focus(id string)          { s.record("focus %s", id) }
func (s *screen) Reveal(id string)         { s.revealed = id }
func (s *screen) SetField(id, text string) { s.record("%s=%q", id, text) }
func (s *screen) SetState(state, t string) { s.record("state %s %s", state, t) }
func (s *screen) Mark(name string)         { s.record("mark %s", name) }
func (s *screen) Theme()                   { s.record("theme") }
func (s *screen) Reload()                  { s.record("reload") }
func (s *screen) Unsaved(on bool)          { s.unsaved = on }
func (s *screen) PickFile()                { s.record("pick a file") }
func (s *screen) Touch() bool              { return s.touch }
func (s *screen) SetRowHeight(pixels int) {
	if pixels != ui.RowHeight {
		s.record("rows of %d", pixels)
	}
}
func (s *screen) Renew(doubt bool) { s.record("renew %v", doubt) }
func (s *screen) SignOut(failed func(string)) {
	s.record("sign out")
	if s.blocked {
		failed("the proxy does not answer")
	}
}
func (s *screen) Alone() (bool, bool) { return s.alone, s.fetches }
func (s *screen) Origin() string      { return "http://127.0.0.1:4000" }

func (s *screen) Remember(name, text string) bool {
	if s.blocked {
		return false
	}
	s.record("remember %s %s", name, text)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.kept[name] = text
	return true
}

func (s *screen) Switch(c, a string)   { s.record("switch to %s at %s", c, a) }
func (s *screen) Trusts(c string) bool { return c == "trusted" }
func (s *screen) User() string         { return s.user }
func (s *screen) Reach(c string, done func(why string)) {
	s.record("reach %s", c)
	go done(map[bool]string{true: "no such context"}[c == "lost"])
}
func (s *screen) Recall(name string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.kept[name]
}

func (s *screen) Copy(text string, done func(bool)) {
	if !s.blocked {
		s.record("copy %s", text)
	}
	go done(!s.blocked)
}

func (s *screen) Windows() bool { return s.wins }

// Pack begins a file that takes each chunk at once.
func (s *screen) Pack() (ui.Packer, string) {
	if s.blocked {
		return nil, "this browser can't compress files"
	}
	return &fakePacker{screen: s}, ""
}

// fakePacker compresses nothing.
type fakePacker struct {
	*screen
	data []byte
}

func (p *fakePacker) Write(chunk []byte, taken func()) {
	p.data = append(p.data, chunk...)
	go taken()
}

func (p *fakePacker) Save(name string, done func(int, string)) {
	p.screen.Save(name, "gzip", [][]byte{p.data})
	go func() {
		if p.packing != nil {
			<-p.packing
		}
		done(len(p.data), "")
	}()
}

func (s *screen) Save(name, mime string, pieces [][]byte) {
	s.record("save %s", mime)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.saved = name + "\n" + string(bytes.Join(pieces, nil))
}

// fakePainter is a fake painter that holds what the user would see.
type fakePainter struct {
	sort string
	busy bool
	rows map[int]*line
	lit  int // cells that glow
}

type line struct {
	index            int
	key              string
	active, selected bool
}

func (*fakePainter) Columns([]grid.Column) {}
func (*fakePainter) Widths([]grid.Column)  {}
func (*fakePainter) Length(int)            {}
func (*fakePainter) Link(int, string)      {}
func (*fakePainter) Paint()                {}
func (p *fakePainter) Busy(busy bool)      { p.busy = busy }
func (p *fakePainter) Cell(_, _ int, c grid.Cell) {
	if c.Glow {
		p.lit++
	}
}
func (p *fakePainter) Hide(slot int) { delete(p.rows, slot) }
func (p *fakePainter) Mark(slot int, a, sel bool) {
	p.rows[slot].active, p.rows[slot].selected = a, sel
}
func (p *fakePainter) Head(_ []grid.Column, _ []string, _ int, sort string, descending bool) {
	p.sort = fmt.Sprint(sort, " ", descending)
}
func (p *fakePainter) Place(slot, index int, key, _ string) {
	if p.rows[slot] == nil {
		p.rows[slot] = &line{}
	}
	p.rows[slot].index, p.rows[slot].key = index, key
}

// marked returns the keys of the active and the selected row.
func (p *fakePainter) marked() string {
	out := []string{}
	for _, l := range p.rows {
		if l.active {
			out = append(out, "active "+l.key)
		}
		if l.selected {
			out = append(out, "selected "+l.key)
		}
	}
	slices.Sort(out)
	return strings.Join(out, ", ")
}

// tab is a page with fakes on all sides. The fake worker has a list of a given length and answers
// every window of it.
type tab struct {
	*Page
	t       *testing.T
	screen  *screen
	paper   *fakePainter
	in      chan port.Message
	mu      sync.Mutex
	sent    []port.Message
	redrawn atomic.Int32
	// lastTravel is the number of the last request for a moment.
	lastTravel uint32
	prefix     string // of the rows' keys
	total      int
	// generation is that of the list. An export of one ends with the next.
	generation int
}

func (w *tab) Receive() <-chan port.Message { return w.in }
func (w *tab) Send(m port.Message) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if t, ok := m.(port.Travel); ok {
		w.lastTravel = t.Seq
	}
	w.sent = append(w.sent, m)
}

// takeSent returns the messages to the worker since the last call.
func (w *tab) takeSent() []port.Message {
	w.mu.Lock()
	defer w.mu.Unlock()
	out := w.sent
	w.sent = nil
	return out
}

// onPage runs a test in a synctest bubble, with a page of twenty rows at an address.
func onPage(t *testing.T, address string, test func(t *testing.T, w *tab)) {
	t.Helper()
	onScreen(t, &screen{kept: map[string]string{}}, address, test)
}

// onScreen is onPage in a given browser.
func onScreen(t *testing.T, s *screen, address string, test func(t *testing.T, w *tab)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := &tab{t: t, screen: s, paper: &fakePainter{rows: map[int]*line{}}, in: make(chan port.Message), prefix: "a/p", total: 1000}
		path, query, _ := strings.Cut(address, "?")
		w.Page = NewPage(w, w.screen, "", path, query, func() { w.redrawn.Add(1) })
		ended := make(chan struct{})
		go func() { w.Run(); close(ended) }()
		w.Attach(w.paper, 20*ui.RowHeight)
		defer func() {
			close(w.in)
			<-ended
		}()
		test(t, w)
	})
}

// Act performs an action, and waits for what it starts: a test that reads or sets the page next
// must not race with the browser's answer.
func (w *tab) Act(a ui.Action, value string) {
	w.Page.Act(a, value)
	synctest.Wait()
}

// Press presses a key, and waits for what that starts.
func (w *tab) Press(k ui.Key) bool {
	taken := w.Page.Press(k)
	synctest.Wait()
	return taken
}

// live makes the source live, and answers the list.
func (w *tab) live() *tab {
	w.setSource(port.Source{Resource: w.page.address.Resource, State: "live", Synced: true, Namespaced: true, Kind: "Pod"})
	w.answer()
	w.screen.takeCalls()
	return w
}

// sleep lets time pass, and what is due happen. It holds the page's lock once before, so that what the test has read of
// the page was read before a timer writes it.
func (w *tab) sleep(d time.Duration) {
	w.locked(func(*page) {})
	time.Sleep(d)
	synctest.Wait()
}

func (w *tab) setSource(s port.Source) {
	w.in <- port.State{Source: s}
	synctest.Wait()
}

func (w *tab) sendPatch(p view.Patch) {
	w.in <- port.Patch{ID: list.ID, Patch: p}
	synctest.Wait()
}

// looks returns the looks since the last call.
func (w *tab) looks() []port.ListQuery {
	var out []port.ListQuery
	for _, m := range w.takeSent() {
		if l, ok := m.(port.ListQuery); ok {
			out = append(out, l)
		}
	}
	return out
}

// answer answers requests until there are no more.
func (w *tab) answer() {
	w.t.Helper()
	for range 10 {
		looks := w.looks()
		if len(looks) == 0 {
			return
		}
		w.sendPatch(w.window(looks[len(looks)-1]))
	}
	w.t.Fatal("it asks and asks")
}

// window returns a full answer to a query.
func (w *tab) window(l port.ListQuery) view.Patch {
	if l.Group != "" {
		p := groups()
		p.Seq = l.Seq
		return p
	}
	p := view.Patch{Seq: l.Seq, Total: w.total, Of: w.total, Offset: min(l.Offset, w.total), Columns: []view.Column{{Name: "Namespace"}, {Name: "Name"}, {Name: "Status"}}}
	for i := p.Offset; i < min(l.Offset+l.Limit, w.total); i++ {
		p.Order = append(p.Order, -1)
		p.Rows = append(p.Rows, w.row(i))
	}
	if l.Locate != "" {
		p.Located = w.locate(l.Locate)
	}
	return p
}

// locate returns the index of a row by its key.
func (w *tab) locate(key string) int {
	if i, err := strconv.Atoi(strings.TrimPrefix(key, w.prefix)); err == nil && i < w.total {
		return i
	}
	return view.Absent
}

func (w *tab) row(i int) view.Row {
	key := fmt.Sprint(w.prefix, i)
	namespace, name, _ := strings.Cut(key, "/")
	return view.Row{Key: key, UID: "u-" + key, Cells: []string{namespace, name, "Running"}}
}

// press presses keys in the list, and answers the requests of each.
func (w *tab) press(keys ...string) *tab {
	w.t.Helper()
	for _, k := range keys {
		if !w.Press(ui.Key{Name: k, InGrid: true}) {
			w.t.Errorf("%q is not ours", k)
		}
		w.answer()
	}
	return w
}

// here returns the page's current address.
func (w *tab) here() string {
	w.Page.mu.Lock()
	defer w.Page.mu.Unlock()
	return w.page.address.String(w.page.base)
}

// want checks the calls to the browser since the last take.
func (w *tab) want(steps string) {
	w.t.Helper()
	if got := w.screen.takeCalls(); got != steps {
		w.t.Errorf("the browser was told\n%s\nnot\n%s", got, steps)
	}
}

func (w *tab) wantMarked(marked string) {
	w.t.Helper()
	if got := w.paper.marked(); got != marked {
		w.t.Errorf("marked are %q, want %q", got, marked)
	}
}

// sorted returns the steps of a text in alphabetical order.
func sorted(steps string) string {
	list := strings.Split(steps, ", ")
	slices.Sort(list)
	return strings.Join(list, ", ")
}

// Act performs an action on a page that nobody else holds.
func (p *page) Act(a ui.Action, value string) { p.table.byID[a].Act(value) }

// shortcutsOf returns the commands with keys in a tab or, for "", in the page, without those of fields.
func shortcutsOf(g *page, tab string) (all []ui.Command) {
	for _, c := range g.table.all {
		if len(c.Keys) > 0 && c.Tab == tab && (tab != "" || c.In == "") {
			all = append(all, c)
		}
	}
	return all
}

// actionOf returns the action of a key.
func actionOf(g *page, k ui.Key) ui.Action {
	if c := g.table.ofKey(k); c != nil {
		return c.ID
	}
	return ui.NoAction
}
