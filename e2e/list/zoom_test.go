package list

import (
	"testing"

	"github.com/chromedp/chromedp/kb"

	"watchglass/e2e/proxy"
	"watchglass/e2e/stage"
)

// overflowing returns the chips and the badge of which a part lies outside. The words of a long term end in an ellipsis.
const overflowing = `[...document.querySelectorAll(".chips .term, #badge")].filter(box => {
	const b = box.getBoundingClientRect(), text = new Range();
	text.selectNodeContents(box);
	const parts = [...text.getClientRects()].filter(r => r.width > 0 && r.height > 0), children = [...box.children].map(c => c.getBoundingClientRect()).filter(r => r.width > 0);
	const across = box.querySelector(".name") ? children : parts;
	return box.checkVisibility() && (parts.some(r => r.top < b.top - 1 || r.bottom > b.bottom + 1) || across.some(r => r.left < b.left - 1 || r.right > b.right + 1));
}).map(box => box.outerHTML.slice(0, 200))`

// alike returns what at least seven cells of a column show of texts that differ and are cut. A folded character is not
// seen: its rectangle has no width.
const alike = `(() => {
	const seen = {};
	for (const cell of document.querySelectorAll(".grid .body .row[data-key]:not([hidden]) .cell[data-column]")) {
		const nodes = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT), r = new Range();
		let shown = "";
		for (let n; (n = nodes.nextNode()); ) {
			let right = cell.getBoundingClientRect().right;
			for (let p = n.parentElement; p !== cell; p = p.parentElement) if (getComputedStyle(p).overflow === "hidden") right = Math.min(right, p.getBoundingClientRect().right);
			for (let i = 0; i < n.length; i++) {
				r.setStart(n, i), r.setEnd(n, i + 1);
				const at = r.getBoundingClientRect();
				if (at.width > 0 && at.right <= right + 1) shown += n.data[i];
			}
		}
		const whole = cell.textContent;
		if (shown.trim() !== whole.trim()) ((seen[cell.dataset.column] ??= {})[shown] ??= []).push(whole);
	}
	return Object.entries(seen).flatMap(([column, texts]) => Object.entries(texts).filter(([, all]) => all.length >= 7 && new Set(all).size > 1).map(([shown, all]) => column + ": " + shown + "… is " + all.slice(0, 3).join(", ")));
})()`

// TestZoom looks at a window of 1280 px, at 100 and at 150 %, by touch: each chip and the badge contain their text, no
// column shows the same beginning of different texts again and again, and the open tab of an object is in view, also
// the last one, its timeline.
func TestZoom(t *testing.T) {
	p := stage.Serve(t, proxy.Options{Args: []string{"--demo", "--demo-seed", "5", "--demo-objects", "4000"}})
	for name, size := range map[string][2]int64{"100 %": {1280, 800}, "150 %": {853, 533}} { // in pixels of CSS
		t.Run(name, func(t *testing.T) {
			e := open(t, p.At("/pods"))
			e.Must(e.Touch(size[0], size[1]))
			for _, address := range []string{"/overview", "/pods?sort=-Restarts", "/pods?q=crashloop+status:*&sort=Name", "/replicasets.apps", "/events", "/timeline"} {
				e.Must(e.Open(p.Origin() + address))
				e.AwaitState("live")
				e.Await(`matchMedia("(pointer: coarse)").matches && !!document.querySelector(".grid .row[data-key]:not([hidden])")`)
				e.Says("#badge", "Live")
				for _, box := range stage.Eval[[]string](e, overflowing) {
					t.Errorf("%s: the text is not inside of %s", address, box)
				}
				for _, column := range stage.Eval[[]string](e, alike) {
					t.Errorf("%s: %s", address, column)
				}
			}
			e.Must(e.Open(p.Origin() + "/pods?sort=-Restarts"))
			e.AwaitState("live")
			e.Press("j", kb.Enter)
			for _, tab := range []string{"yaml", "timeline"} {
				e.Await(`!document.querySelector(".drawer").hidden && !!document.querySelector("#tab-` + tab + `")`)
				e.Press(map[string]string{"yaml": "2", "timeline": "9"}[tab])
				e.Await(`(({left, right, top, bottom}, bar) => left >= bar.left - 1 && right <= bar.right + 1 && top >= 0 && bottom <= innerHeight)(document.querySelector("#tab-` + tab + `[aria-selected=true]")?.getBoundingClientRect() ?? {}, document.querySelector(".tabs").getBoundingClientRect())`)
			}
			e.Keep("zoom")
		})
	}
}
