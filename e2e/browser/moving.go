package browser

import (
	"fmt"
	"time"
)

// How long AwaitMoving waits: at least leastWait, then while something has moved within quietFor, and mostWait in all. On a
// machine with much to do, work takes longer; a page that lost an event stands still.
const (
	leastWait = time.Minute
	quietFor  = 30 * time.Second
	mostWait  = 5 * time.Minute
)

// moving is a text that is another once the tab or its sources have got on: what it shows, but for ages, and what each
// source has received.
const moving = `(async () => {
	const sources = await Promise.race([
		Promise.resolve(window.watchglass?.inspect?.()).then(i => i?.sources?.map(s => [s.state, s.resourceVersion, s.events, s.bytes, s.queue]), () => null),
		new Promise(next => setTimeout(() => next("no answer"), 500)),
	]);
	const text = (document.body?.innerText ?? "").replace(/\d+(\.\d+)?\s?(ms|s|m|h|d)\b/g, "");
	return JSON.stringify([location.href, document.readyState, document.documentElement.dataset.state, performance.getEntriesByType("resource").length, text, sources]);
})()`

// AwaitMoving waits until an expression, or the promise that it returns, is true in the page, as long as the tab gets on.
// An error says what the page shows.
func (t *Tab) AwaitMoving(expression string) error {
	return t.awaitMoving(expression, func() (bool, error) { return t.comesTrue(expression) })
}

// AwaitValue waits until an expression, or the promise that it returns, comes to a right value, as long as the tab gets on.
// It returns the last value. An error says what the page shows.
func AwaitValue[T any](t *Tab, expression string, right func(T) bool) (last T, err error) {
	err = t.awaitMoving(expression, func() (bool, error) {
		for until := time.Now().Add(time.Second); ; {
			v, err := Eval[T](t, expression)
			if err == nil {
				if last = v; right(v) {
					return true, nil
				}
			}
			if time.Now().After(until) {
				return false, err
			}
			if err := t.pause(); err != nil {
				return false, err
			}
		}
	})
	return last, err
}

// awaitMoving looks again and again, each time for a second at most, until it finds what the expression stands for.
func (t *Tab) awaitMoving(expression string, find func() (bool, error)) error {
	begun, last := time.Now(), ""
	for moved := begun; ; {
		ok, err := find()
		if ok {
			return nil
		}
		if seen, failed := Eval[string](t, moving); failed == nil && seen != last {
			last, moved = seen, time.Now()
		}
		switch waited, quiet := time.Since(begun).Round(time.Second), time.Since(moved).Round(time.Second); {
		case waited > mostWait:
			return fmt.Errorf("the tab still moves, but it is %w", t.unmet(expression, waited, err))
		case waited > leastWait && quiet > quietFor:
			return fmt.Errorf("nothing has moved for %s: %w", quiet, t.unmet(expression, waited, err))
		}
		if err := t.pause(); err != nil {
			return err
		}
	}
}
