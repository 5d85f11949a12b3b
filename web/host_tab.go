package web

import tabs "watchglass/web/tab"

// tabHost is what the page and its drawer are to a tab.
type tabHost struct{ *page }

func (h tabHost) Browser() tabs.Browser { return h.browser }
func (h tabHost) Popover() string       { return h.top.open }
func (h tabHost) Subject() tabs.Subject { return h.drawer.subject() }
func (h tabHost) Text() tabs.Text       { return h.drawer.text }
func (h tabHost) Kinds() tabs.Kinds     { return h.sidebar }
func (h tabHost) Moment() tabs.Moment {
	return tabs.Moment{Now: h.past.Now(), Past: h.past.On(), Recorded: h.past.Recorded() != nil}
}

// Follow asks the worker again if the tab's options have changed. While the tab opens it does nothing: the drawer asks
// once it is open.
func (h tabHost) Follow() {
	if !h.drawer.opening {
		h.drawer.follow()
	}
}
