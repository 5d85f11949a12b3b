package stage

import (
	"fmt"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"watchglass/e2e/browser"
)

// AwaitValue waits until an expression, or the promise that it returns, comes to a right value, and returns that.
func AwaitValue[T any](of interface{ eyes() Eyes }, expression string, right func(T) bool) T {
	e := of.eyes()
	e.T.Helper()
	last, err := browser.AwaitValue(e.Tab, expression, right)
	if err != nil {
		e.T.Fatalf("%+v is not right: %v", last, err)
	}
	return last
}

// Is waits until an expression, or the promise that it returns, comes to a value.
func Is[T any](of interface{ eyes() Eyes }, expression string, want T) {
	e := of.eyes()
	e.T.Helper()
	last, err := browser.AwaitValue(e.Tab, expression, func(have T) bool { return cmp.Equal(have, want, cmpopts.EquateEmpty()) })
	if err != nil {
		e.T.Fatalf("%v\n%+v, want %+v (-have +want):\n%s", err, last, want, cmp.Diff(last, want, cmpopts.EquateEmpty()))
	}
}

// IsText waits until the text of an element is exactly this.
func (e Eyes) IsText(selector, want string) {
	e.T.Helper()
	Is(e, browser.TextOf(selector), want)
}

// Now returns what an expression comes to at this moment, for a test to compare. It is for what must hold at once: what must
// never have been, or must not change, and what is measured. All else may come a moment later: use Is or AwaitValue.
func Now[T any](of interface{ eyes() Eyes }, expression string) T {
	e := of.eyes()
	e.T.Helper()
	return Eval[T](e, expression)
}

// AwaitVersion waits until the tab has a version of a resource, or a later one, and the list on screen has the rows that it has
// then, by their UIDs. What their cells say may be older: use AwaitCell.
func (e Eyes) AwaitVersion(resource, version string) {
	e.T.Helper()
	e.Await(fmt.Sprintf(`watchglass.snapshot(%q).then(async s => {
		if (BigInt(s.resourceVersion) < %sn) return false;
		const {total, rows} = await %s, grid = document.querySelector("[role=grid]");
		return +grid.getAttribute("aria-rowcount") === total + 1 &&
			[...grid.querySelectorAll("[role=row][data-key]:not([hidden])")].every(el => rows[el.getAttribute("aria-rowindex") - 2]?.uid === el.dataset.uid);
	})`, resource, version, browser.AllRows))
}
