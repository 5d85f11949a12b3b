package soak

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"watchglass/e2e/browser"
)

// watcher runs in each page before its own scripts. It notes each state that the page shows, and
// when, by a clock that the tests do not change. It counts the timers of the page, and it can look:
// it returns the state and the version, and the whole of what the store has as one digest.
const watcher = `(() => {
	if (globalThis.soak) return;
	const now = () => performance.timeOrigin + performance.now(), soak = globalThis.soak = {states: [], last: []};
	let state = "";
	const note = () => {
		const is = document.documentElement?.dataset.state ?? "";
		if (is !== state) soak.states.push({At: now(), State: state = is});
	};
	new MutationObserver(() => { soak.lie?.(); note(); }).observe(document, {subtree: true, attributes: true, attributeFilter: ["data-state"], childList: false});
	const Kind = globalThis.SharedWorker;
	if (Kind) globalThis.SharedWorker = class extends Kind { constructor(...a) { super(...a); soak.worker = this; } };
	soak.look = async whole => {
		const at = now(), out = {At: at, States: [], Version: "", Digest: "", Count: 0, Rows: 0, Lists: 0, Error: "", Hidden: document.hidden};
		try {
			if (!whole) {
				const source = (await watchglass.inspect()).sources.find(s => s.resource === "pods");
				out.Version = source?.resourceVersion ?? "";
				out.Lists = source?.relists ?? 0;
			} else {
			const s = await watchglass.snapshot("pods");
			soak.last = s.items.map(i => i.namespace + "/" + i.name + " " + i.uid + " " + i.resourceVersion).sort();
			soak.version = s.resourceVersion;
			const sum = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(soak.last.join("\n")));
			Object.assign(out, {Version: s.resourceVersion, Count: soak.last.length, Digest: Array.from(new Uint8Array(sum), b => b.toString(16).padStart(2, "0")).join("")});
			}
		} catch (e) { out.Error = String(e); }
		out.Rows = +(document.querySelector("[role=grid]")?.getAttribute("aria-rowcount") ?? 0) - 1;
		out.State = document.documentElement.dataset.state ?? "";
		note();
		out.States = soak.states.splice(0);
		return out;
	};
})()`

// countsTimers counts the timers of a page or a worker that are due.
const countsTimers = `(() => {
	if (globalThis.timersDue) return 0;
	const set = globalThis.setTimeout, clear = globalThis.clearTimeout, due = new Set();
	globalThis.setTimeout = (f, after, ...a) => { const id = set(() => { due.delete(id); f(...a); }, after); due.add(id); return id; };
	globalThis.clearTimeout = id => { due.delete(id); clear(id); };
	globalThis.timersDue = () => due.size;
	return 0;
})()`

// withoutSharing hides SharedWorker, so that a page has a worker of its own.
const withoutSharing = `delete globalThis.SharedWorker;`

// panics ends the program of the worker that the tabs share.
const panics = `soak.worker.port.postMessage({port: 1, context: "", identity: "", early: "", alive: ""}), true`

// shown is a state of a page, since when.
type shown struct {
	At    float64 // ms
	State string
}

// look is what a tab has at a moment.
type look struct {
	At      float64 // ms, before the store was asked
	State   string
	States  []shown
	Version string
	Digest  string
	Count   int
	Rows    int
	Lists   int // after the first; only if the look is not at the whole
	Error   string
	Hidden  bool

	compared bool
	wrong    string // how it differs from what there is at its version
}

func (l look) when() time.Time { return time.UnixMicro(int64(l.At * 1000)) }

// tab is a tab of the browser, and what is known of it.
type tab struct {
	name string

	mu     sync.Mutex
	page   *browser.Tab
	clock  *browser.Clock // of its worker, if it is shared
	away   bool           // nobody can look at it, or ask it
	back   time.Time      // since when somebody can again
	past   []shown        // states, oldest first
	last   look
	newest int64         // the version of the last look that was live
	of     int64         // the server's history then
	right  *goal         // the last that it reached
	at     time.Time     // when
	looked chan struct{} // closed after the next look
}

func newTab(name string, page *browser.Tab) *tab {
	return &tab{name: name, page: page, looked: make(chan struct{})}
}

// setAway says whether the tab can be asked.
func (b *tab) setAway(away bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.away, b.back = away, time.Now()
}

func (b *tab) isAway() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.away
}

// replace has the tab be another page.
func (b *tab) replace(page *browser.Tab) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.page, b.away, b.back = page, false, time.Now()
}

// errAway says that a tab was not asked.
var errAway = errors.New("nobody can ask this tab now")

// look looks at the tab, and at the whole of its store if it is asked to.
func (b *tab) look(whole bool) (look, error) {
	b.mu.Lock()
	page, away := b.page, b.away
	b.mu.Unlock()
	if away {
		return look{}, errAway
	}
	return browser.Eval[look](page, fmt.Sprintf("soak.look(%t)", whole))
}

// wholeAt returns the lines of the last look, if it was at a version.
func (b *tab) wholeAt(version string) ([]string, error) {
	b.mu.Lock()
	page := b.page
	b.mu.Unlock()
	return browser.Eval[[]string](page, fmt.Sprintf(`soak.version === %q ? soak.last : []`, version))
}

// note keeps a look, and the states since the one before.
func (b *tab) note(l look) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.past = append(b.past, l.States...)
	if most := 10_000; len(b.past) > most {
		b.past = b.past[len(b.past)-most/2:]
	}
	b.last = l
	close(b.looked)
	b.looked = make(chan struct{})
}

// goesBack notes the version of a look that is live, and returns the one before if that was newer, in
// the same history of the server.
func (b *tab) goesBack(l look, history int64) (from int64) {
	if l.State != "live" || l.Version == "" {
		return 0
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	was, n := b.newest, number(l.Version)
	same := b.of == history
	if b.newest, b.of = n, history; same && n < was {
		return was
	}
	return 0
}

// wasLive reports whether the page has said live since a moment.
func (b *tab) wasLive(since time.Time) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	begin := float64(since.UnixMicro()) / 1000
	return slices.ContainsFunc(b.past, func(s shown) bool { return s.State == "live" && s.At > begin })
}

// goal is what tabs are to reach: the newest version when a fault cleared, since then.
type goal struct {
	newest  int64
	cleared time.Time
	// digest is that of the newest version, while nothing is written: a tab need not hear of versions in
	// which no pod changed.
	digest string
}

// reach notes that the tab has reached a goal.
func (b *tab) reach(g *goal, at time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.right, b.at = g, at
}

// reached returns when the tab reached a goal, if it has.
func (b *tab) reached(g *goal) (at time.Time, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.at, b.right == g
}

// now returns the last look, and what is closed after the next.
func (b *tab) now() (look, <-chan struct{}) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.last, b.looked
}

// staleSince returns when the page first was not live after a moment, or was not live then.
func (b *tab) staleSince(moment time.Time) (at time.Time, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	begin := float64(moment.UnixMicro()) / 1000
	state := ""
	for _, s := range b.past {
		if s.At > begin && state != "live" && state != "" {
			return moment, true
		}
		if s.At > begin && s.State != "live" {
			return time.UnixMicro(int64(s.At * 1000)), true
		}
		state = s.State
	}
	return moment, state != "live" && state != ""
}

// liveSince returns since when a page that is live at a look has been so without a break, before the
// eyes of somebody.
func (b *tab) liveSince(l look) time.Time {
	b.mu.Lock()
	defer b.mu.Unlock()
	if l.when().Before(b.back) {
		return l.when()
	}
	since := l.At
	for i := len(b.past) - 1; i >= 0; i-- {
		if b.past[i].At > l.At {
			if b.past[i].State != "live" {
				return l.when() // it was not, a moment later
			}
			continue
		}
		if b.past[i].State == "live" {
			since = b.past[i].At
		}
		break
	}
	if at := time.UnixMicro(int64(since * 1000)); at.After(b.back) {
		return at
	}
	return b.back
}
