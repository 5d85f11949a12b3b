package detail

import (
	"fmt"
	"strings"
	"time"

	"github.com/chromedp/chromedp/kb"
	corev1 "k8s.io/api/core/v1"

	"watchglass/e2e/stage"
)

// structuredLines are what programs write, in several formats.
var structuredLines = []string{
	`{"level":"info","ts":1763779637.1,"msg":"listening","port":8080}`,
	`W1122 02:47:17.123456       1 reflector.go:302] watch closed`,
	`time="2026-11-22T02:47:17Z" level=debug msg="cache hit" key=item:7`,
	`2026-11-22 02:47:17,123 [main] ERROR com.acme.Orders - cannot save`,
	`java.lang.IllegalStateException: closed`,
	`	at com.acme.Orders.save(Orders.java:12)`,
	`Caused by: java.io.IOException: no space`,
	`	... 3 more`,
	`{"level":"error","msg":"request failed","status":503,"user":{"name":"ana","id":7},"note":"<b>\n\u001b[31m"}`,
	`10.0.0.1 - eve [22/Nov/2026:02:47:17 +0000] "GET /x HTTP/1.1" 404 7 "-" "curl"`,
	`plain text`,
}

// structured reads lines of several formats by their levels and fields, folds a trace, expands it,
// and saves all as it was.
func (n node) structured() {
	pod := n.runs("shop", func(p *corev1.Pod) { p.Spec.Containers = containers("main", "side") })
	status := stage.Running(0)
	status.ContainerStatuses = append(status.ContainerStatuses, *status.ContainerStatuses[0].DeepCopy())
	status.ContainerStatuses[1].Name = "side"
	status.ContainerStatuses[1].State = corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: 3, Reason: "Error"}}
	stage.SetStatus(n.T, pod, status)
	n.writes("shop/main", 0, "of main")
	n.writes("shop/side", 0, structuredLines...)
	n.opensAs("pods", "shop", "")
	n.Await(`document.querySelector("#logs-container").selectedOptions[0].innerText === "side (failed)"`)
	var shown []string
	for _, l := range []struct {
		number int
		text   string
	}{
		{1, "INFO  listening port=8080"}, {2, "WARN  watch closed pid=1 caller=reflector.go:302"}, {3, "DEBUG cache hit key=item:7"},
		{4, "ERROR cannot save thread=main logger=com.acme.Orders ▸ 4 more lines"}, {9, `ERROR request failed status=503 user={"name":"ana","id":7} note="<b>\n\u001b[31m"`},
		{10, `      "GET /x HTTP/1.1" 404 7 "-" "curl" client=10.0.0.1 user=eve`}, {11, "      plain text"},
	} {
		shown = append(shown, fmt.Sprint(l.number, " ", noon.UTC().Add(time.Duration(l.number-1)*time.Second).Format("15:04:05.000"), " ", l.text))
	}
	n.shows(shown...)
	counts := `[...document.querySelectorAll("[data-action=logs-level]")].map(e => e.innerText.replace(/\s+/g, " ")).join()`
	n.Await(counts + ` === "Error 2,Warn 1,Info 1,Debug 1"`)
	n.Await(`Math.abs(document.querySelector(".logs .bar").getBoundingClientRect().height - 36) <= 1`)

	// A click expands the trace, and another folds it. Enter expands what was found.
	const fourth = `[...document.querySelectorAll("#text .line:not([hidden]) .code")].find(e => /cannot save/.test(e.textContent))`
	stage.Eval[any](n, fourth+`.click()`)
	n.Await(`[...document.querySelectorAll("#text .line:not([hidden]) .code")].filter(e => /^[\d:.]+ +(java|Caused|at com|\.\.\. 3)/.test(e.textContent)).length === 4`)
	n.Keep("trace")
	stage.Eval[any](n, fourth+`.click()`)
	n.shows(shown...)
	n.Must(n.Type("#logs-find", "ana"))
	n.Await(`document.querySelector("#text .current .hit")`)
	n.Press(kb.Escape)
	n.Press(kb.Enter)
	n.Await(`[...document.querySelectorAll("#text .line:not([hidden]) .code")].some(e => /^ +name: ana$/.test(e.textContent))`)
	n.KeepLooks("tree")
	n.Axe(stage.AxeSource(n.T))
	n.Press(kb.Enter)
	n.Must(n.Type("#logs-find", ""))

	// Conditions narrow the lines, and are in the address.
	for _, c := range []struct {
		filter string
		want   []int
	}{{"level>=warn", []int{1, 3, 4}}, {"status>=500", []int{4}}, {"user.name:ana", []int{4}}, {"user:eve status>400", []int{5}}, {"no space", []int{3}}, {"level:error !request", []int{3}}, {"", []int{0, 1, 2, 3, 4, 5, 6}}} {
		n.Must(n.Type("#logs-filter", c.filter))
		var want []string
		for _, i := range c.want {
			want = append(want, shown[i])
		}
		n.shows(want...)
		n.Await(fmt.Sprintf(`(new URLSearchParams(location.search).get("lq") ?? "") === %q`, c.filter))
	}
	n.Must(n.Click(`[data-action=logs-level][data-value=warn]`))
	n.shows(shown[1])
	n.Await(`document.querySelector("#logs-filter").value === "level:warn" && ` + counts + `.startsWith("Error 2")`)
	n.Must(n.Type("#logs-filter", "level:warn pod:shop "))
	n.Must(n.Type("#logs-filter", "stat"))
	n.Await(`[...document.querySelectorAll("#logs-fields option")].some(o => o.value === "status:" && /2 lines|1 line/.test(o.label))`)

	// A link shows the same to somebody else. J shows all as it was, and so it is saved.
	n.opensAs("pods", "shop", "&lq=level:warn&wrap=true")
	n.shows(shown[1])
	n.Await(`document.querySelector("#logs-filter").value === "level:warn"`)
	n.Must(n.Type("#logs-filter", ""))
	n.Must(n.Click("#tab-logs"))
	n.Press("w") // as the link had it
	n.Press("J")
	var raw []string
	for i, text := range structuredLines {
		raw = append(raw, fmt.Sprint(i+1, " ", strings.ReplaceAll(text, "\t", "        ")))
	}
	n.shows(raw...)
	n.Await(`location.search.includes("raw=true")`)
	if have, want := n.saves("shop", "raw"), n.kubectl("shop", "-c", "side"); have != want {
		n.T.Errorf("%q is saved, and not %q", have, want)
	}
	n.Press("J")
}
