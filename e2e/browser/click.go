package browser

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"
)

// clickWithin is how long an element may take until it is hit.
const clickWithin = 30 * time.Second

// place is a point of the page.
type place struct{ X, Y float64 }

// Click clicks the middle of the first element that matches a CSS selector. It waits until the element is on screen and
// at rest, as a person does. If something else is there at the very moment of the click, that is not clicked, and
// the element is aimed at again.
func (t *Tab) Click(selector string) error {
	return t.act(selector, true, func(at place) error { return t.do(chromedp.MouseClickXY(at.X, at.Y)) })
}

// act aims at an element and has something done with the mouse there, until the element was hit. If that is a click, press
// and release have to hit it.
func (t *Tab) act(selector string, clicks bool, do func(place) error) error {
	for until := time.Now().Add(clickWithin); ; {
		at, err := Eval[place](t, fmt.Sprintf(`(%s)(%s, %t)`, aim, quote(selector), clicks))
		if err == nil {
			err = do(at)
		}
		if err != nil {
			return err
		}
		missed, err := Eval[bool](t, `window.aimed?.missed() ?? false`)
		if err != nil || !missed { // after an error, the click has led to another page, or closed this one
			return t.ctx.Err()
		}
		if time.Now().After(until) {
			return fmt.Errorf("something else is always in front of %s", selector)
		}
	}
}

// Opens clicks an element as people do to open a link in another tab, by the middle button or
// with Ctrl held, and returns the address that the other tab opened.
func (t *Tab) Opens(selector string, middle bool) (string, error) {
	how := chromedp.ButtonModifiers(chromedp.ModifierCtrl)
	if middle {
		how = chromedp.ButtonMiddle
	}
	before, err := chromedp.Targets(t.ctx)
	if err == nil {
		err = t.act(selector, true, func(at place) error { return t.do(chromedp.MouseClickXY(at.X, at.Y, how)) })
	}
	for until := time.Now().Add(10 * time.Second); err == nil && time.Now().Before(until); time.Sleep(look) {
		var now []*target.Info
		now, err = chromedp.Targets(t.ctx)
		for _, other := range now {
			known := slices.ContainsFunc(before, func(b *target.Info) bool { return b.TargetID == other.TargetID })
			if other.Type == "page" && !known && strings.HasPrefix(other.URL, "http") {
				_, err = chromedp.CallBrowser(t.ctx, target.CloseTarget, target.CloseTargetParams{TargetID: other.TargetID})
				return other.URL, err
			}
		}
	}
	return "", errors.Join(err, fmt.Errorf("%s opened no other tab", selector))
}

// aim returns the middle of an element that is on screen, once two looks find it in the same place. From then on, the page
// lets a press of the mouse, and what follows from it, reach nothing but that element, until missed has been asked.
const aim = `async (selector, clicks) => {
	const where = el => { const r = el.getBoundingClientRect(); return [r.x, r.y, r.width, r.height].join() };
	if (!window.aimed) {
		const aimed = window.aimed = {selector: null, hit: null, missed: () => {
			const missed = aimed.hit === false;
			aimed.selector = aimed.hit = null;
			return missed;
		}};
		const judge = e => {
			if (aimed.selector === null || !e.isTrusted) return;
			const el = document.querySelector(aimed.selector), on = !!el?.contains(e.composedPath()[0]);
			if (e.type === "pointerdown") aimed.hit = on;
			if (aimed.clicks && /click$/.test(e.type) && !on && el && where(el) !== aimed.at) aimed.hit = false; // it moved between press and release
			if (aimed.hit === false) { e.stopImmediatePropagation(); e.preventDefault(); }
		};
		for (const type of ["pointerdown", "mousedown", "pointerup", "mouseup", "click", "auxclick", "contextmenu"]) addEventListener(type, judge, {capture: true});
	}
	let before = "";
	for (const until = performance.now() + 10000; performance.now() < until; await new Promise(next => setTimeout(next, 20))) {
		const el = document.querySelector(selector);
		el?.scrollIntoView({block: "nearest"});
		const r = el?.getBoundingClientRect(), now = el ? where(el) : "";
		if (r?.width && r.height && now === before) {
			Object.assign(window.aimed, {selector, clicks, at: now});
			return {X: r.x + r.width/2, Y: r.y + r.height/2};
		}
		before = now;
	}
	throw new Error("nothing to click: " + selector + " is not on screen, or never rests");
}`

// Drag takes hold of the middle of an element and lets it go so many pixels to the
// right.
func (t *Tab) Drag(selector string, by float64) error {
	held := func(p *input.DispatchMouseEventParams) {
		p.Button, p.Buttons, p.ClickCount = input.MouseButtonLeft, 1, 1
	}
	return t.act(selector, false, func(at place) error {
		return t.do(
			chromedp.MouseEvent(chromedp.MousePressed, at.X, at.Y, held),
			chromedp.MouseEvent(chromedp.MouseMoved, at.X+by/2, at.Y, held),
			chromedp.MouseEvent(chromedp.MouseMoved, at.X+by, at.Y, held),
			chromedp.MouseEvent(chromedp.MouseReleased, at.X+by, at.Y, func(p *input.DispatchMouseEventParams) { held(p); p.Buttons = 0 }),
		)
	})
}
