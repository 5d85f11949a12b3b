package browser

import (
	"context"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// restless is a page whose button rests until it was looked at, and then changes places with another.
const restless = `<!doctype html><title>restless</title><style>button { position: absolute; left: 10px; width: 80px; height: 40px }</style>
<button id="other">Delete</button><button id="this">Open</button>
<script>
	window.clicked = {this: 0, other: 0, pressed: 0};
	let turn = 0;
	const place = () => {
		turn++;
		document.getElementById("this").style.top = turn % 2 ? "10px" : "100px";
		document.getElementById("other").style.top = turn % 2 ? "100px" : "10px";
	};
	place();
	setInterval(place, 61);
	for (const id of ["this", "other"]) {
		document.getElementById(id).addEventListener("click", () => clicked[id]++);
		document.getElementById(id).addEventListener("mousedown", () => clicked.pressed++);
	}
</script>`

// TestClick clicks a button that moves between the look and the click: each click reaches it, and none the other.
func TestClick(t *testing.T) {
	tab := newPage(t, restless)
	const times = 30
	for range times {
		if err := tab.Click("#this"); err != nil {
			t.Fatal(err)
		}
	}
	got, err := Eval[struct{ This, Other, Pressed int }](tab, "clicked")
	if err != nil || got.This != times || got.Other != 0 || got.Pressed < times {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestClickBehind names what cannot be clicked.
func TestClickBehind(t *testing.T) {
	tab := newPage(t, `<button id="this" hidden>Open</button>`)
	if err := tab.Click("#this"); err == nil || !strings.Contains(err.Error(), "nothing to click: #this") {
		t.Error(err)
	}
}

// restlessFocus is a page whose focus rests until it was looked at, and then goes to another field and back.
const restlessFocus = `<!doctype html><title>restless</title><input id="this"><input id="other"><script>
	window.pressed = [];
	for (const id of ["this", "other"]) document.getElementById(id).addEventListener("keydown", e => pressed.push(id + e.key));
	let turn = 0;
	const place = () => document.getElementById(turn++ % 2 ? "other" : "this").focus();
	place();
	setInterval(place, 61);
</script>`

// TestPressIn presses keys in a field whose focus goes between the look and the key: each reaches it once, and none the other.
func TestPressIn(t *testing.T) {
	tab := newPage(t, restlessFocus)
	const times = 20
	for range times {
		if err := tab.PressIn("#this", "x"); err != nil {
			t.Fatal(err)
		}
	}
	got, err := Eval[[]string](tab, "pressed")
	if err != nil || len(got) != times || slices.Contains(got, "otherx") {
		t.Errorf("%d keys, %q, %v", len(got), got, err)
	}
}

// TestAwaitMoving waits for what comes, and says what the page shows if it does not.
func TestAwaitMoving(t *testing.T) {
	tab := newPage(t, `<p>no pods</p><script>setTimeout(() => document.title = "come", 1500)</script>`)
	if err := tab.AwaitMoving(`document.title === "come"`); err != nil {
		t.Error(err)
	}
	if err := tab.Await(`document.title === "gone"`, time.Second); err == nil || !strings.Contains(err.Error(), "no pods") {
		t.Error(err)
	}
}

// TestDownloaded reads a file only once the browser says that it is whole.
func TestDownloaded(t *testing.T) {
	const size = 4 << 20
	tab, dir := newPage(t, `<a id="this" download="pods.csv">Save</a><script>
		document.getElementById("this").href = URL.createObjectURL(new Blob(["x".repeat(4 << 20)]));
	</script>`), t.TempDir()
	for _, err := range []error{tab.Downloads(dir), tab.Click("#this")} {
		if err != nil {
			t.Fatal(err)
		}
	}
	path, err := tab.Downloaded(filepath.Join(dir, "pods*.csv"), time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(path); err != nil || len(text) != size {
		t.Errorf("%d bytes, %v", len(text), err)
	}
}

// newPage returns a tab with a page.
func newPage(t *testing.T, html string) *Tab {
	t.Helper()
	b, err := Start(context.WithoutCancel(t.Context())) // it is stopped after the test
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Stop(); err != nil {
			t.Error(err)
		}
	})
	tab, err := b.NewTab()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(tab.Close)
	if err := tab.Open("data:text/html," + url.PathEscape(html)); err != nil {
		t.Fatal(err)
	}
	if err := tab.Await(`document.readyState === "complete"`, time.Minute); err != nil {
		t.Fatal(err)
	}
	return tab
}
