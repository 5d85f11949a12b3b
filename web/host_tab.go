package web

import (
	"strings"

	"github.com/maxence-charriere/go-app/v9/pkg/app"

	"watchglass/internal/detail"
	"watchglass/internal/view"
	tabs "watchglass/web/tab"
	"watchglass/web/ui"
	"watchglass/web/words"
)

// tabHost is what the page and its drawer are to a tab.
type tabHost struct{ *page }

func (h tabHost) Browser() tabs.Browser { return h.browser }
func (h tabHost) Popover() string       { return h.top.open }
func (h tabHost) Subject() tabs.Subject { return h.drawer.subject() }
func (h tabHost) Text() tabs.Text       { return h.drawer.text }
func (h tabHost) Kinds() tabs.Kinds     { return kinds{h.page} }
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

// kinds is what is known of the cluster's kinds.
type kinds struct{ page *page }

func (k kinds) Count() int                { return len(k.page.sidebar.kinds) }
func (k kinds) ListName(id string) string { return k.page.sidebar.listName(id) }

func (k kinds) Gaps(gaps []view.Gap) []words.Gap { return k.page.sidebar.named(gaps) }

// resource returns the resource of a reference as addresses name it, or "".
func (k kinds) resource(r detail.Ref) string {
	if r.Resource != "" {
		return r.Resource
	}
	if id := detail.ResourceOf(r.Group, r.Kind); id != "" {
		return id
	}
	for _, known := range k.page.sidebar.kinds {
		if _, group, _ := strings.Cut(known.ID, "."); known.Name == r.Kind && group == r.Group {
			return known.ID
		}
	}
	return ""
}

// Link returns a link to an object, or plain text if its resource is not known.
func (k kinds) Link(r detail.Ref, text string) app.UI {
	resource := k.resource(r)
	if resource == "" || r.Name == "" {
		return app.Span().Text(text)
	}
	return app.A().Class("ref").Href(k.page.address.ToObject(resource, r.Key()).String(k.page.base)).DataSet("action", ui.GoObject).DataSet("value", resource+" "+r.Key()).Title(r.Kind + " " + r.Key()).Text(text)
}

// ListLink returns a link to a list.
func (k kinds) ListLink(l detail.Listing, text string) app.UI {
	return app.A().Class("ref").Href(k.page.address.ToListing(l).String(k.page.base)).DataSet("action", ui.GoListing).
		DataSet("value", strings.Join([]string{l.Resource, l.Namespace, l.Labels, l.Filter}, "\n")).Text(text)
}
