package e2e

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"watchglass/e2e/proxy"
)

// The rows of the log that are painted, without those of ours.
const logRows = `[...document.querySelectorAll("#text .line:not([hidden]):not(.told):not(.blank) .code")].map(e => e.textContent)`

// atEnd says that the log is scrolled to its end.
const atEnd = `(t => t.scrollHeight > t.clientHeight && t.scrollTop + t.clientHeight >= t.scrollHeight - 20)(document.querySelector("#text"))`

// logsOf opens the logs of the first object of a list of the demo cluster that the
// filter finds.
func logsOf(t *testing.T, p *proxy.Proxy, address, more string) eyes {
	t.Helper()
	e := synced(t, p.At(address))
	e.await(`document.querySelector(".row[data-key]")`)
	key := e.rows().Rows[0].Key
	e.must(e.Open(p.At(address + "&sel=" + key + "&tab=logs" + more)))
	e.onTab("logs")
	return e
}

// TestLogs opens the log of a pod, and does all that one does with it.
func TestLogs(t *testing.T) {
	p := serve(t, proxy.Options{Args: []string{"--demo", "--demo-seed", "5"}})
	e := logsOf(t, p, "/pods?q=status:Running&sort=-Age", "")
	e.await(logRows + `.length > 5`)
	e.await(`document.querySelector(".logs .stands[data-tone=ok]")`)
	e.keep("logs")

	// It follows.
	before := eval[string](e, `document.querySelector("#text .lines").style.height`)
	e.await(fmt.Sprintf(`document.querySelector("#text .lines").style.height !== %q`, before))
	e.await(atEnd)

	// Who scrolls up is left where they are, and told how much is below.
	eval[any](e, `document.querySelector("#text").scrollTop = 0`)
	e.await(`/new below/.test(document.querySelector(".logs .chip:not([hidden])")?.innerText)`)
	if eval[bool](e, atEnd) {
		t.Error("it follows although one scrolled up")
	}
	e.must(e.Click(".logs .chip"))
	e.await(atEnd)
	e.await(`document.querySelector(".logs .chip").hidden`)

	// A filter, one that is wrong, and an expression.
	e.must(e.Type("#logs-filter", "/msg.:.(request|cache)/"))
	e.await(logRows + `.length > 0 && ` + logRows + `.every(l => /request|cache/.test(l))`)
	e.await(`document.querySelectorAll("#text .hit").length > 0`)
	e.must(e.Type("#logs-filter", "/a(b/"))
	e.await(`document.querySelector("#logs-filter").getAttribute("aria-invalid") === "true" && /missing closing/.test(document.querySelector(".logs .wrong-text").innerText)`)
	e.keep("wrong")
	e.must(e.Type("#logs-filter", "!info"))
	e.await(logRows + `.every(l => !l.includes("info"))`)
	e.must(e.Type("#logs-filter", ""))
	e.await(logRows + `.some(l => l.includes("info"))`)

	// A search, and what it found, one after the other.
	e.must(e.Type("#logs-find", "items"))
	e.await(`/^[0-9,]+ of [0-9,]+$/.test(document.querySelector("#logs-hits").innerText) && document.querySelector("#text .current .hit")`)
	at := eval[string](e, `document.querySelector("#logs-hits").innerText.split(" ")[0]`)
	e.press(kb.Enter)
	e.await(fmt.Sprintf(`document.querySelector("#logs-hits").innerText.split(" ")[0] !== %q`, at))
	e.press(kb.Escape)
	e.await(`document.activeElement.id === "text"`)
	e.press("n")
	e.keep("found")
	e.press("f")

	// A pause holds still, and counts.
	e.press("p")
	e.await(`/waiting/.test(document.querySelector(".logs .chip:not([hidden])")?.innerText) && !/^0 /.test(document.querySelector(".logs .chip").innerText)`)
	height := eval[string](e, `document.querySelector("#text .lines").style.height`)
	e.await(`parseInt(document.querySelector(".logs .chip").innerText) > 2`)
	if got := eval[string](e, `document.querySelector("#text .lines").style.height`); got != height {
		t.Errorf("it was %s high, and is %s", height, got)
	}
	e.press("p")
	e.await(atEnd)

	// Times, and lines that wrap.
	e.press("t")
	e.await(`/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}Z $/.test(document.querySelector("#text .line:not([hidden]) .time")?.textContent)`)
	e.must(e.Resize(700, 700))
	e.press("w")
	e.await(`[...document.querySelectorAll("#text .line:not([hidden]) .gutter")].some(g => g.textContent.includes("↪"))`)
	e.await(`(t => t.scrollWidth <= t.clientWidth)(document.querySelector("#text"))`)
	e.keep("narrow")
	e.must(e.Prefer("prefers-color-scheme", "dark"))
	e.must(e.Resize(1300, 800))
	e.keep("dark")
	e.axe(axeSource(t))
}

// TestLogsSave saves what shows, and copies lines.
func TestLogsSave(t *testing.T) {
	p := serve(t, proxy.Options{Args: []string{"--demo", "--demo-seed", "5"}})
	e := logsOf(t, p, "/pods?q=status:Running&sort=-Age", "")
	e.await(logRows + `.length > 5`)
	dir := t.TempDir()
	e.must(e.Downloads(dir))
	e.must(e.Click(`[data-action=logs-save][data-value=raw]`))
	text := e.downloaded(filepath.Join(dir, "*.log"))
	if strings.Count(text, "\n") < 5 || !strings.HasPrefix(text, `{"level"`) {
		t.Errorf("%.300q", text)
	}
}

// TestLogsOfOwner reads the logs of all pods of a Deployment, all their containers, in
// one.
func TestLogsOfOwner(t *testing.T) {
	p := serve(t, proxy.Options{Args: []string{"--demo", "--demo-seed", "5"}})
	e := logsOf(t, p, "/deployments.apps?q=ready:3/3", "&ct=*")
	e.await(`new Set([...document.querySelectorAll("#text .line:not([hidden]) .gutter")].map(g => g.textContent.trim())).size > 1`)
	e.await(`/\d+ live/.test(document.querySelector(".logs .status").innerText)`)
	e.keep("owner")
}
