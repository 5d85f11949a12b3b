package detail

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"watchglass/e2e/stage"
)

// The rows of the log that are painted, without those of ours.
const logRows = `[...document.querySelectorAll("#text .line:not([hidden]):not(.told):not(.blank) .code")].map(e => e.textContent)`

// atEnd says that the log is scrolled to its end.
const atEnd = `(t => t.scrollHeight > t.clientHeight && t.scrollTop + t.clientHeight >= t.scrollHeight - 20)(document.querySelector("#text"))`

// logsOf opens the logs of the first object of a list of the demo cluster that the
// filter finds.
func (e eyes) logsOf(address, more string) {
	e.T.Helper()
	e.Visit(address)
	e.Await(`document.querySelector(".row[data-key]")`)
	key := e.Rows().Rows[0].Key
	e.GoTo(address + "&sel=" + key + "&tab=logs" + more)
	e.onTab("logs")
}

// TestLogs opens the log of a pod, and does all that one does with it.
func TestLogs(t *testing.T) {
	e := eyes{demo.Synced(t, "/pods")}
	e.logsOf("/pods?q=status:Running&sort=-Age", "")
	e.Await(logRows + `.length > 5`)
	e.Await(`document.querySelector(".logs .stands[data-tone=ok]")`)
	e.Keep("logs")

	// It follows.
	before := stage.Eval[string](e, `document.querySelector("#text .lines").style.height`)
	e.Await(fmt.Sprintf(`document.querySelector("#text .lines").style.height !== %q`, before))
	e.Await(atEnd)

	// Who scrolls up is left where they are, and told how much is below.
	stage.Eval[any](e, `document.querySelector("#text").scrollTop = 0`)
	e.Await(`/new below/.test(document.querySelector(".logs .chip:not([hidden])")?.innerText)`)
	if stage.Eval[bool](e, atEnd) {
		t.Error("it follows although one scrolled up")
	}
	e.Must(e.Click(".logs .chip"))
	e.Await(atEnd)
	e.Await(`document.querySelector(".logs .chip").hidden`)

	// A filter, one that is wrong, and an expression.
	e.Must(e.Type("#logs-filter", "/(request|cache)/"))
	e.Await(logRows + `.length > 0 && ` + logRows + `.every(l => /request|cache/.test(l))`)
	e.Await(`document.querySelectorAll("#text .hit").length > 0`)
	e.Must(e.Type("#logs-filter", "/a(b/"))
	e.Await(`document.querySelector("#logs-filter").getAttribute("aria-invalid") === "true" && /missing "\)"/.test(document.querySelector(".logs .wrong-text").innerText)`)
	e.Keep("wrong")
	e.Must(e.Type("#logs-filter", "!info"))
	e.Await(logRows + `.length > 0 && ` + logRows + `.every(l => !l.includes("INFO"))`)
	e.Must(e.Type("#logs-filter", ""))
	e.Await(logRows + `.some(l => l.includes("INFO"))`)

	// A search, and what it found, one after the other.
	e.Must(e.Type("#logs-find", "items"))
	e.Await(`/^[0-9,]+ of [0-9,]+$/.test(document.querySelector("#logs-hits").innerText) && document.querySelector("#text .current .hit")`)
	at := stage.Eval[string](e, `document.querySelector("#logs-hits").innerText.split(" ")[0]`)
	e.Press(kb.Enter)
	e.Await(fmt.Sprintf(`document.querySelector("#logs-hits").innerText.split(" ")[0] !== %q`, at))
	e.Press(kb.Escape)
	e.Await(`document.activeElement.id === "text"`)
	e.Press("n")
	e.Keep("found")
	e.Press("G")

	// A pause holds still, and counts.
	e.Press("p")
	e.Await(`/pending/.test(document.querySelector(".logs .chip:not([hidden])")?.innerText) && !/^0 /.test(document.querySelector(".logs .chip").innerText)`)
	height := stage.Eval[string](e, `document.querySelector("#text .lines").style.height`)
	e.Await(`parseInt(document.querySelector(".logs .chip").innerText) > 2`)
	if got := stage.Eval[string](e, `document.querySelector("#text .lines").style.height`); got != height {
		t.Errorf("it was %s high, and is %s", height, got)
	}
	e.Press("p")
	e.Await(atEnd)

	// Times, and lines that wrap.
	e.Press("t")
	e.Await(`/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}Z $/.test(document.querySelector("#text .line:not([hidden]) .time")?.textContent)`)
	e.Must(e.Resize(700, 700))
	e.Press("w")
	e.Await(`[...document.querySelectorAll("#text .line:not([hidden]) .gutter")].some(g => g.textContent.includes("↪"))`)
	e.Await(`(t => t.scrollWidth <= t.clientWidth)(document.querySelector("#text"))`)
	e.Keep("narrow")
	e.Must(e.Prefer("prefers-color-scheme", "dark"))
	e.Must(e.Resize(1300, 800))
	e.Keep("dark")
	e.Axe(stage.AxeSource(t))
}

// TestLogsSave saves the lines as they came.
func TestLogsSave(t *testing.T) {
	e := eyes{demo.Synced(t, "/pods")}
	e.logsOf("/pods?q=status:Running&sort=-Age", "")
	e.Await(logRows + `.length > 5`)
	dir := t.TempDir()
	e.Must(e.Downloads(dir))
	e.picks(`[data-action=logs-save][data-value=raw]`)
	text := e.Downloaded(filepath.Join(dir, "*.log"))
	if strings.Count(text, "\n") < 5 || !strings.HasPrefix(text, `{"level"`) {
		t.Errorf("%.300q", text)
	}
}

// TestLogsOfOwner reads the logs of all pods of a Deployment, all their containers, in
// one.
func TestLogsOfOwner(t *testing.T) {
	e := eyes{demo.Synced(t, "/pods")}
	e.logsOf("/deployments.apps?q=ready:3/3", "&ct=*")
	e.Await(`new Set([...document.querySelectorAll("#text .line:not([hidden]) .gutter")].map(g => g.textContent.trim())).size > 1`)
	e.Await(`/\d+ live/.test(document.querySelector(".logs .status").innerText)`)
	e.Keep("owner")
}
