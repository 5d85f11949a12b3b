package tab

import (
	"github.com/maxence-charriere/go-app/v9/pkg/app"

	"watchglass/web/ui"
)

// Tab is one tab of the open object. It keeps state only while it is open. Its methods are called with the
// page's lock.
type Tab interface {
	ui.Actor
	// Draw draws the tab, which is open.
	Draw() app.UI
	// OnDetail handles a document from the worker, and reports whether to redraw the page.
	OnDetail(doc []byte) (redraw bool)
	// Typed handles the text of a field, and reports whether the field is the tab's.
	Typed(field, value string) bool
	// Open is called when the tab, or another object in it, is shown; Close when it no longer is.
	Open()
	Close()
	// Moved is called after Back or Forward, if the tab is still open.
	Moved()
	// Offers returns the tab's entries of the palette.
	Offers() []ui.Offer
	// Options returns what the worker is asked with; nil is nothing. It is called after Open, when the address has
	// changed, and by Host.Follow.
	Options() any
	// Long returns the long text that the tab shows, or nil. Fit is called when the number of characters in its rows
	// changes.
	Long() ui.LongText
	Fit()
}

// Base has the methods of a tab that does not need them, and the tab's host. The host is a field: if it were embedded, the
// program would have a copy of each of its methods for each tab.
type Base struct{ Host Host }

// Commands returns none.
func (Base) Commands() []ui.Command { return nil }

// Typed reports that no field is the tab's.
func (Base) Typed(_, _ string) bool { return false }

// Close has nothing to release.
func (Base) Close() {}

// Moved has nothing to follow.
func (Base) Moved() {}

// Offers returns no entry.
func (Base) Offers() []ui.Offer { return nil }

// Options returns none.
func (Base) Options() any { return nil }

// Long returns no text.
func (Base) Long() ui.LongText { return nil }

// Fit has nothing to fit.
func (Base) Fit() {}
