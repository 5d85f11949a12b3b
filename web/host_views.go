package web

// What the page is to the saved views.

// Resume ends the list's pause.
func (p *page) Resume() { p.list.Resume() }

// ShowImport opens the dialog in which views are imported, with the reason why none were, if that is so.
func (p *page) ShowImport(failed string) { p.share.Show(failed, "import") }
