package browser

import (
	"fmt"
	"time"

	"github.com/chromedp/chromedp"
)

// pressWithin is how long keys may take until they reach the element that has the focus.
const pressWithin = 30 * time.Second

// Press presses keys, one after the other; kb has names for those without a letter. It waits until the page's script is
// ready and the focus rests. If another element has the focus at the very moment of the first key, no key reaches the page,
// and all are pressed again. A key and the text that it types are two events, between which the focus may still go.
func (t *Tab) Press(keys string) error { return t.PressIn("*", keys) }

// PressIn does so once the element that has the focus matches a CSS selector.
func (t *Tab) PressIn(selector, keys string) error {
	for until := time.Now().Add(pressWithin); ; {
		_, err := Eval[bool](t, fmt.Sprintf(`(%s)(%s)`, aimKeys, quote(selector)))
		if err == nil {
			err = t.do(chromedp.KeyEvent(keys))
		}
		if err != nil {
			return err
		}
		missed, err := Eval[bool](t, `window.keyed?.missed() ?? false`)
		if err != nil || !missed { // after an error, the keys have led to another page, or closed this one
			return t.ctx.Err()
		}
		if time.Now().After(until) {
			return fmt.Errorf("the focus never rests on %s", selector)
		}
	}
}

// aimKeys waits until the page's script is ready, or has stopped, and two looks find the focus on the same element, which
// matches the selector. From then on, the page lets keys reach nothing if the first finds the focus elsewhere, until missed
// has been asked. A frame of another process handles its keys itself.
const aimKeys = `async (selector) => {
	if (!window.keyed) {
		const keyed = window.keyed = {focus: null, hit: null, missed: () => {
			const missed = keyed.hit === false;
			keyed.focus = keyed.hit = null;
			return missed;
		}};
		const judge = e => {
			if (!keyed.focus || !e.isTrusted) return;
			if (e.type === "keydown") keyed.hit ??= document.activeElement === keyed.focus;
			if (keyed.hit === false) { e.stopImmediatePropagation(); e.preventDefault(); }
		};
		for (const type of ["keydown", "keypress", "keyup"]) addEventListener(type, judge, {capture: true});
	}
	let before = null;
	for (const until = performance.now() + 30000; performance.now() < until; await new Promise(next => setTimeout(next, 20))) {
		const ready = document.querySelector("script[data-worker]") ? performance.getEntriesByName("watchglass:boot").length || document.querySelector(".crash") : document.readyState === "complete";
		const now = ready && document.activeElement?.matches(selector) ? document.activeElement : null;
		if (now && now === before) {
			window.keyed.focus = now;
			return true;
		}
		before = now;
	}
	throw new Error("nothing to press keys in: the page's script is not ready, or the focus is not on " + selector);
}`
