package list

import (
	"testing"

	"github.com/chromedp/chromedp/kb"

	"watchglass/e2e/proxy"
	"watchglass/e2e/stage"
)

// misplaced returns the chips and the badge whose text is not inside of them, or not at half of their height. The words
// of a long term end in an ellipsis, and its button is larger than the chip, for fingers.
const misplaced = `[...document.querySelectorAll(".chips .term, #badge")].filter(box => box.checkVisibility()).filter(box => {
	const b = box.getBoundingClientRect(), nodes = document.createTreeWalker(box, NodeFilter.SHOW_TEXT), text = new Range();
	const parts = [];
	for (let n; (n = nodes.nextNode()); ) {
		text.selectNodeContents(n);
		const of = n.parentElement.getBoundingClientRect(), cut = getComputedStyle(n.parentElement).overflow === "hidden";
		for (const r of text.getClientRects()) if (r.width > 0) parts.push({top: r.top, bottom: r.bottom, left: r.left, right: cut ? Math.min(r.right, of.right) : r.right});
	}
	return parts.length === 0 || parts.some(r => r.top < b.top || r.bottom > b.bottom || r.left < b.left - 1 || r.right > b.right + 1 ||
		Math.abs((r.top + r.bottom) / 2 - (b.top + b.bottom) / 2) > 4);
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

// TestZoom looks at a window of 1280 px, at 100 and at 150 %, by touch: each chip and the badge have their text in the middle, no
// column shows the same beginning of different texts again and again, and the open tab of an object is in view, also
// the last one, its timeline.
func TestZoom(t *testing.T) {
	p := stage.Serve(t, proxy.Options{Args: []string{"--demo", "--demo-seed", "5", "--demo-objects", "4000"}})
	e := open(t, "about:blank")
	e.Must(e.Touch(1280, 800))
	e.Must(e.Open(p.At("/pods")))
	e.AwaitState("live")
	for name, size := range map[string][2]int64{"100 %": {1280, 800}, "150 %": {853, 533}} { // in pixels of CSS
		t.Run(name, func(t *testing.T) {
			e := eyes{e.In(t)}
			e.Must(e.Touch(size[0], size[1]))
			for _, address := range []string{"/overview", "/pods?sort=-Restarts", "/pods?q=crashloop+status:*&sort=Name", "/replicasets.apps", "/events", "/timeline"} {
				e.Visit(address)
				e.Await(`matchMedia("(pointer: coarse)").matches && !!document.querySelector(".grid .row[data-key]:not([hidden])")`)
				e.Says("#badge", "Live")
				for _, box := range stage.Eval[[]string](e, misplaced) {
					t.Errorf("%s: the text is not in the middle of %s", address, box)
				}
				for _, column := range stage.Eval[[]string](e, alike) {
					t.Errorf("%s: %s", address, column)
				}
			}
			e.Visit("/pods?sort=-Restarts")
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
