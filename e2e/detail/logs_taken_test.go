package detail

import (
	"fmt"
	"path/filepath"
	"strings"

	"watchglass/e2e/stage"
)

// taken copies lines and saves them: they are what kubectl prints.
func (n node) taken() {
	n.runs("taken")
	n.writes("taken/main", 0, "one", "", "\ttabbed, and spaces   ", "grüße 漢字 😀", `{"a": "<b>"}`, "last")
	n.opens("pods", "taken", "")
	want := n.kubectl("taken")
	n.Await(fmt.Sprintf(`%s.length === %d`, logLines, strings.Count(want, "\n")))
	stage.Eval[bool](n, keepCopies)
	for _, c := range []struct {
		clicks   []int
		from, to int
	}{{nil, 0, 5}, {[]int{0, 5}, 0, 5}, {[]int{4, 1}, 1, 4}} {
		stage.Eval[bool](n, `(window.copied = null, true)`)
		for _, line := range c.clicks {
			gutter := fmt.Sprintf(`#text .line:not([hidden]) .gutter[data-value="%d"]`, line)
			n.Must(n.Click(gutter))
			n.Await(fmt.Sprintf(`document.querySelector(%q).closest(".picked")`, gutter))
		}
		if c.clicks != nil {
			n.Await(fmt.Sprintf(`document.querySelectorAll("#text .picked:not([hidden])").length === %d`, c.to-c.from+1))
		}
		n.picks("[data-action=logs-copy]")
		n.Await(`window.copied !== null`)
		lines := strings.Join(strings.SplitAfter(want, "\n")[c.from:c.to+1], "")
		if have := stage.Eval[string](n, `window.copied`); have != lines {
			n.T.Errorf("%q is copied, and not %q", have, lines)
		}
	}
	for _, how := range []string{"text", "raw"} {
		if have := n.saves("taken", how); have != want {
			n.T.Errorf("%s: %q is saved, and not %q", how, have, want)
		}
	}
}

// saves is the file that is saved of a pod's log.
func (n node) saves(pod, how string) string {
	n.T.Helper()
	dir := n.T.TempDir()
	n.Must(n.Downloads(dir))
	n.picks(`[data-action=logs-save][data-value=` + how + `]`)
	return n.Downloaded(filepath.Join(dir, pod+"-*.log"))
}

// hostile writes lines that mean no good: they are text, in colours, and come as they are
// into a file.
func (n node) hostile() {
	n.Must(n.Resize(1400, 2600)) // all of them are painted
	defer func() { n.Must(n.Resize(1400, 900)) }()
	n.runs("hostile")
	lines := strings.Split(strings.Join(hostileTexts, "\n"), "\n")
	n.writes("hostile/main", 0, lines...)
	n.opens("pods", "hostile", "")
	n.Await(fmt.Sprintf(`%s.length === %d`, logLines, len(lines)))
	n.Keep("hostile")
	if wrong := stage.Eval[[]string](n, fmt.Sprintf(`(%s)(%q, "Pod hostile", ["logs"])`, visit, "/pods?n="+n.ns+"&sel="+n.ns+"/hostile&raw=true")); len(wrong) > 0 {
		n.T.Error(strings.Join(wrong, "; "))
	}
	const codes = `[...document.querySelectorAll("#text .line:not([hidden]):not(.blank) .code")]`
	for what, holds := range map[string]string{
		"every line is there":       fmt.Sprintf(`%s.length === %d`, codes, len(lines)),
		"they are spans, and text":  codes + `.every(c => [...c.querySelectorAll("*")].every(e => e.tagName === "SPAN" && e.getAttributeNames().every(a => a === "class")))`,
		"the colour is shown":       codes + `.filter(c => c.textContent === "red " && c.querySelector(".c2")?.textContent === "red").length === 1`,
		"nothing is turned around":  codes + `.every(c => !/[\u202a-\u202e\u2066-\u2069]/.test(c.textContent))`,
		"no other escape is left":   codes + `.every(c => !/[\x00-\x08\x0a-\x1f\x7f-\x9f]|\[31m|\]0;|\[2J/.test(c.textContent))`,
		"markup is shown as it was": fmt.Sprintf(`%s.filter(c => c.textContent === %q).length === 1`, codes, hostileTexts[0]),
		"no script ran":             `window.canary === undefined`,
		"the policy is kept":        `violations.length === 0`,
	} {
		if !stage.Eval[bool](n, holds) {
			n.T.Errorf("it is not so that %s", what)
		}
	}
	n.picks("[data-action=logs-raw]")
	n.Await(codes + `.some(c => /^[\d:.]+ $/.test(c.querySelector(".time")?.textContent))`)
	n.Keep("hostile-structured")
	for what, holds := range map[string]string{
		"they are spans, and text":       codes + `.every(c => [...c.querySelectorAll("*")].every(e => e.tagName === "SPAN" && e.getAttributeNames().every(a => a === "class")))`,
		"nothing is turned around":       codes + `.every(c => !/[\u202a-\u202e\u2066-\u2069]/.test(c.textContent))`,
		"no escape is left":              codes + `.every(c => !/[\x00-\x08\x0a-\x1f\x7f-\x9f]|\]0;|\[2J/.test(c.textContent))`,
		"no script ran, the policy kept": `window.canary === undefined && violations.length === 0`,
	} {
		if !stage.Eval[bool](n, holds) {
			n.T.Errorf("with fields, it is not so that %s", what)
		}
	}
	if have, want := n.saves("hostile", "raw"), n.kubectl("hostile"); have != want {
		n.T.Errorf("%q is saved, and not %q", have, want)
	}
}
