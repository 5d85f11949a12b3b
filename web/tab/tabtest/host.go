package tabtest

import (
	"github.com/maxence-charriere/go-app/v9/pkg/app"

	"watchglass/internal/detail"
	"watchglass/web/grid"
	"watchglass/web/route"
	"watchglass/web/tab"
	"watchglass/web/ui"
)

// Host is a page that shows a tab, and does nothing. What a test doesn't say of it is empty.
type Host struct {
	tab.Host // nil: a tab that asks for more than a test expects panics

	Of tab.Subject
	At tab.Moment
	In route.Address
}

// Address, Subject and Moment return what the test said.
func (h *Host) Address() route.Address { return h.In }
func (h *Host) Subject() tab.Subject   { return h.Of }
func (h *Host) Moment() tab.Moment     { return h.At }

// KeyOf returns that no action has a key, and Tip that none has a tooltip.
func (h *Host) KeyOf(ui.Action) string       { return "" }
func (h *Host) Tip(ui.Action, string) string { return "" }

// Popover returns that no menu is open.
func (h *Host) Popover() string { return "" }

// Follow, Redraw, RedrawSoon and Cancel do nothing.
func (h *Host) Follow()       {}
func (h *Host) Redraw()       {}
func (h *Host) RedrawSoon()   {}
func (h *Host) Cancel(uint32) {}

// Locked calls f.
func (h *Host) Locked(f func()) { f() }

// Text returns a view of no height, Browser a browser that remembers nothing, and Kinds no kinds.
func (h *Host) Text() tab.Text       { return text{} }
func (h *Host) Browser() tab.Browser { return browser{} }
func (h *Host) Kinds() tab.Kinds     { return kinds{} }

type text struct{}

func (text) Box() grid.Geometry { return grid.Geometry{} }
func (text) Columns() int       { return 0 }
func (text) Paint()             {}
func (text) Show(int)           {}
func (text) Scroll(int)         {}
func (text) Scrolled(int)       {}

type browser struct{ tab.Browser }

func (browser) Focus(string)              {}
func (browser) SetField(_, _ string)      {}
func (browser) Recall(string) string      { return "" }
func (browser) Remember(_, _ string) bool { return false }

type kinds struct{ tab.Kinds }

func (kinds) Count() int                                    { return 0 }
func (kinds) Link(_ detail.Ref, text string) app.UI         { return app.Span().Text(text) }
func (kinds) ListLink(_ detail.Listing, text string) app.UI { return app.Span().Text(text) }
