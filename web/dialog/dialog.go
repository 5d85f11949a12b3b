package dialog

import (
	"sync/atomic"

	"github.com/maxence-charriere/go-app/v9/pkg/app"

	"watchglass/web/ui"
)

// Dialog is what a dialog shows and does. Its methods are called with the page's lock, except OnKey.
type Dialog interface {
	Draw() app.UI
	// OnKey returns what a key does, or nil. It may read only what never changes; what it returns needs the lock.
	OnKey(k ui.Key) func()
	// Typed handles the text of a field, and reports whether the field is the dialog's.
	Typed(field, text string) bool
}

// Base has the methods of a dialog that has no keys and no fields.
type Base struct{}

// OnKey reports that no key does anything.
func (Base) OnKey(ui.Key) func() { return nil }

// Typed reports that the dialog has no field.
func (Base) Typed(string, string) bool { return false }

// Host is what the dialogs need of the page.
type Host interface {
	// CloseOverlays closes what lies over the list, except dialogs.
	CloseOverlays()
	// CloseChooser closes the column chooser.
	CloseChooser()
	// HideNotice hides the notice, which would cover the dialog's buttons.
	HideNotice()
	// Bound reports whether the page has a shortcut for a key. It does not wait for the lock.
	Bound(k ui.Key) bool
	// Redraw draws the page soon.
	Redraw()
}

// Browser is what the dialogs need of the browser.
type Browser interface {
	// Focus moves the focus to the element with an ID, if there is one.
	Focus(id string)
}

// Dialogs has the open dialog, if there is one. Its methods are called with the page's lock, except Open and OnKey.
type Dialogs struct {
	host    Host
	browser Browser
	open    atomic.Pointer[Dialog] // written with the lock
}

// New returns Dialogs of which none is open.
func New(h Host, b Browser) *Dialogs { return &Dialogs{host: h, browser: b} }

// Open returns the open dialog, or nil.
func (ds *Dialogs) Open() Dialog {
	if d := ds.open.Load(); d != nil {
		return *d
	}
	return nil
}

// Show opens a dialog instead of the one that is open, and moves the focus to an element of it.
func (ds *Dialogs) Show(d Dialog, focus string) {
	ds.host.HideNotice()
	ds.host.CloseOverlays()
	ds.host.CloseChooser()
	ds.open.Store(&d)
	ds.host.Redraw()
	ds.browser.Focus(focus)
}

// Replace shows another state of the open dialog.
func (ds *Dialogs) Replace(d Dialog) {
	ds.open.Store(&d)
	ds.host.Redraw()
}

// Hide closes the open dialog, if there is one, and moves the focus to the list.
func (ds *Dialogs) Hide() {
	if ds.open.Swap(nil) != nil {
		ds.host.Redraw()
		ds.browser.Focus("grid")
	}
}

// OnKey returns what a key does while a dialog is open, and whether one is: nothing behind it gets a key then. The page's
// shortcuts do nothing, and the browser handles all other keys, such as Tab.
func (ds *Dialogs) OnKey(k ui.Key) (press func(), open bool) {
	d := ds.Open()
	if d == nil {
		return nil, false
	}
	if k.Name == "Escape" {
		return ds.Hide, true
	}
	if press = d.OnKey(k); press == nil && ds.host.Bound(k) {
		press = ui.Nothing
	}
	return press, true
}

// Typed passes the text of a field to the open dialog, and reports whether the field is the dialog's.
func (ds *Dialogs) Typed(field, text string) bool {
	d := ds.Open()
	if d == nil || !d.Typed(field, text) {
		return false
	}
	ds.host.Redraw()
	return true
}

// Draw draws the open dialog.
func (ds *Dialogs) Draw() app.UI {
	if d := ds.Open(); d != nil {
		return d.Draw()
	}
	return app.Div().Hidden(true)
}
