package drawer

import (
	"watchglass/web/tab"
	"watchglass/web/tab/compare"
	"watchglass/web/tab/whocan"
	"watchglass/web/words"
)

// The tabs' Hosts have these methods.
var (
	_ compare.Host = (*tabHost)(nil)
	_ whocan.Host  = (*tabHost)(nil)
)

// tabHost is what the page and its drawer are to a tab. It is a pointer: the methods of a value are compiled twice.
type tabHost struct {
	TabHost
	d *Drawer
}

// Subject returns the open object.
func (h *tabHost) Subject() tab.Subject { return h.d.Subject() }

// Text returns the view of the long text.
func (h *tabHost) Text() tab.Text { return h.d.text }

// Follow asks the worker again if the tab's options have changed. While the tab opens it does nothing: the drawer asks
// once it is open.
func (h *tabHost) Follow() {
	if !h.d.opening {
		h.d.Follow()
	}
}

// ListNamespaces returns the namespaces of the list on screen; none means all.
func (h *tabHost) ListNamespaces() []string {
	if in := h.Address().Namespaces; len(in) > 0 {
		return in
	}
	return words.SplitList(h.State().Source.Namespace)
}
