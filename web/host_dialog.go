package web

import (
	"watchglass/web/dialog"
	"watchglass/web/ui"
)

var _ dialog.Host = (*page)(nil)

// CloseChooser closes the column chooser.
func (p *page) CloseChooser() { p.columns.Close() }

// HideNotice hides the notice.
func (p *page) HideNotice() { p.notices.Hide() }

// Bound reports whether the page has a shortcut for a key.
func (p *page) Bound(k ui.Key) bool { return p.table.ofKey(k) != nil }
