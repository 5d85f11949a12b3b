package stage

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"watchglass/e2e/browser"
)

// Eyes are a tab whose failures fail the test. Of what a tab can do, its methods do the
// same, wait as long as the tab gets on, and return no error.
type Eyes struct {
	*browser.Tab
	T *testing.T
}

// Watch has the test see what a tab shows; the tab ends with the test. Nothing may be
// written to its console but what matches one of the patterns.
func Watch(t *testing.T, tab *browser.Tab, allowed ...string) Eyes {
	t.Helper()
	e := Eyes{tab, t}
	t.Cleanup(func() {
		e.finish(0, allowed)
		tab.Close()
	})
	e.Must(tab.Listen())
	return e
}

// Open opens an address in a new tab of somebody's own.
func Open(t *testing.T, address string, allowed ...string) Eyes {
	t.Helper()
	tab, err := Chrome.NewTab()
	if err != nil {
		t.Fatal(err)
	}
	e := Watch(t, tab, allowed...)
	e.Must(tab.Open(address))
	return e
}

// Synced opens an address and waits until its list is whole and live.
func Synced(t *testing.T, address string, allowed ...string) Eyes {
	t.Helper()
	e := Open(t, address, allowed...)
	e.AwaitState("live")
	return e
}

// GoTo goes to another address within the page, as Back and Forward do: the page and its worker stay.
func (e Eyes) GoTo(address string) {
	e.T.Helper()
	Eval[bool](e, fmt.Sprintf(`(history.pushState(null, "", %q), dispatchEvent(new PopStateEvent("popstate")), true)`, address))
}

// Another opens another tab of the same person.
func (e Eyes) Another(allowed ...string) Eyes {
	e.T.Helper()
	tab, err := e.Beside()
	e.Must(err)
	return Watch(e.T, tab, allowed...)
}

// In is the same tab, whose failures fail a test within this one.
func (e Eyes) In(t *testing.T) Eyes { return Eyes{e.Tab, t} }

// finish keeps what a test that failed saw, and fails the test for every line on the console, from one on, that is not
// allowed: a page in order writes nothing, breaks no policy and throws nothing.
func (e Eyes) finish(from int, allowed []string) {
	e.T.Helper()
	written := e.Console()[from:]
	if e.T.Failed() {
		e.keep("failed")
		e.T.Logf("the console: %q", written)
	}
next:
	for _, line := range written {
		for _, pattern := range allowed {
			if regexp.MustCompile(pattern).MatchString(line) {
				continue next
			}
		}
		e.T.Errorf("on the console: %s", line)
	}
}

// Must ends the test if there is an error.
func (e Eyes) Must(err error) {
	e.T.Helper()
	if err != nil {
		e.T.Fatal(err)
	}
}

// AwaitState waits until the page is in a state.
func (e Eyes) AwaitState(state string) {
	e.T.Helper()
	if err := e.Tab.AwaitMoving(fmt.Sprintf(`document.documentElement.dataset.state === %q`, state)); err != nil {
		now, _ := e.State()
		e.T.Fatalf("the state is %q, not %q: %v", now, state, err)
	}
}

// Await waits until an expression is true.
func (e Eyes) Await(expression string) {
	e.T.Helper()
	e.Must(e.AwaitMoving(expression))
}

// Says waits until an element is on screen and its text contains some words.
func (e Eyes) Says(selector string, words ...string) {
	e.T.Helper()
	for _, w := range words {
		e.Await(fmt.Sprintf(`(el => el?.checkVisibility() && el.innerText.includes(%q))(document.querySelector(%q))`, w, selector))
	}
}

// Press presses keys, one after the other, each where the focus rests.
func (e Eyes) Press(keys ...string) {
	e.T.Helper()
	for _, k := range keys {
		if rest, ok := strings.CutPrefix(k, "/"); ok && rest != "" { // what follows goes into the field that it leads to
			e.Must(e.Tab.Press("/"))
			e.Must(e.PressIn("input, textarea", rest))
			continue
		}
		e.Must(e.Tab.Press(k))
	}
}

// Cell is the text of a cell on screen, by the key of its row and its column.
func (e Eyes) Cell(key, column string) string {
	e.T.Helper()
	return Eval[string](e, fmt.Sprintf(cellText, key, column)+` ?? ""`)
}

// AwaitCell waits until it is another.
func (e Eyes) AwaitCell(key, column, text string) {
	e.T.Helper()
	e.Await(fmt.Sprintf(cellText+` === %q`, key, column, text))
}

const cellText = `document.querySelector('[role=row][data-key="%s"] [data-column="%s"]')?.textContent`

// SignIn enters a token at the sign-in page, by keyboard, once the page's script is there.
func (e Eyes) SignIn(token string) {
	e.T.Helper()
	e.Says("h1", "Sign in")
	e.Must(e.PressIn("#token", token+"\r"))
}

// SignOut signs out from the menu, by mouse.
func (e Eyes) SignOut() {
	e.T.Helper()
	e.Must(e.Click("#who"))
	e.Await(`document.querySelector("#sign-out")`)
	e.Must(e.Click("#sign-out"))
}

// Notice waits for a word on what was done.
func (e Eyes) Notice(text string) {
	e.T.Helper()
	e.Says("#notice", text)
}

func (e Eyes) eyes() Eyes { return e }

// Eval is what an expression comes to in the page that Eyes see, or what has them in it.
func Eval[T any](of interface{ eyes() Eyes }, expression string) T {
	e := of.eyes()
	e.T.Helper()
	v, err := browser.Eval[T](e.Tab, expression)
	e.Must(err)
	return v
}

// Text is what an element shows.
func (e Eyes) Text(selector string) string {
	e.T.Helper()
	text, err := e.Tab.Text(selector)
	e.Must(err)
	return text
}

// Rows are all that the view matches.
func (e Eyes) Rows() browser.Rows {
	e.T.Helper()
	rows, err := e.Tab.Rows()
	e.Must(err)
	return rows
}

// Inspect tells how the tab is.
func (e Eyes) Inspect() browser.Inspection {
	e.T.Helper()
	i, err := e.Tab.Inspect()
	e.Must(err)
	return i
}

// Downloaded is the text of a file that the page had the browser keep.
func (e Eyes) Downloaded(pattern string) string {
	e.T.Helper()
	path, err := e.Tab.Downloaded(pattern, Soon)
	e.Must(err)
	text, err := os.ReadFile(path)
	e.Must(err)
	return string(text)
}

// Look is a way in which a page is looked at.
type Look struct {
	Name           string
	Width, Height  int64
	Feature, Value string
}

// Looks are all of them; the first is how a page is looked at if nothing is said.
var Looks = []Look{
	{"light", 1400, 900, "prefers-color-scheme", "light"},
	{"dark", 1400, 900, "prefers-color-scheme", "dark"},
	{"narrow", 360, 740, "prefers-color-scheme", "light"},
	{"huge", 3840, 2160, "prefers-color-scheme", "dark"},
	{"contrast", 1400, 900, "prefers-contrast", "more"},
	{"forced", 1400, 900, "forced-colors", "active"},
}

// At looks at the page in one of them.
func (e Eyes) At(l Look) {
	e.T.Helper()
	e.Must(e.Resize(l.Width, l.Height))
	e.Must(e.Prefer(l.Feature, l.Value))
}

// Pictures reports whether tests keep pictures of what they see, as make screenshots has them do.
func Pictures() bool { return os.Getenv("SCREENSHOTS") != "" }

// KeepLooks keeps pictures in those in which pages are looked at most.
func (e Eyes) KeepLooks(name string) {
	e.T.Helper()
	if !Pictures() {
		return
	}
	for _, l := range Looks[:3] {
		e.At(l)
		e.keep(name + "-" + l.Name)
	}
	e.At(Looks[0])
}

// Keep keeps a picture of the page under e2e/out, which git ignores, if pictures are kept.
func (e Eyes) Keep(name string) {
	e.T.Helper()
	if Pictures() {
		e.keep(name)
	}
}

func (e Eyes) keep(name string) {
	e.T.Helper()
	picture, err := e.Shot()
	if err == nil {
		var dir string
		if dir, err = outFolder(filepath.FromSlash(e.T.Name())); err == nil {
			err = os.WriteFile(filepath.Join(dir, name+".png"), picture, 0o644)
		}
	}
	if err != nil {
		e.T.Log(err)
	}
}

// outFolder makes a folder for what the tests of a package leave to be looked at.
func outFolder(test string) (string, error) {
	here, err := os.Getwd()
	if err != nil {
		return "", err
	}
	root := here
	for ; ; root = filepath.Dir(root) {
		if _, err := os.Stat(filepath.Join(root, "go.mod")); err == nil {
			break
		} else if root == filepath.Dir(root) {
			return "", errors.New("these are not the tests of a module")
		}
	}
	of, err := filepath.Rel(root, here)
	if err != nil {
		return "", err
	}
	dir := filepath.Join(root, "out", of, test)
	return dir, os.MkdirAll(dir, 0o755)
}
