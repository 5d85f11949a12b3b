package sidebar

import (
	"strings"

	"github.com/maxence-charriere/go-app/v9/pkg/app"

	"watchglass/internal/detail"
	"watchglass/web/ui"
)

// Count returns how many kinds are known.
func (s *Sidebar) Count() int { return len(s.kinds) }

// resource returns the resource of a reference as addresses name it, or "".
func (s *Sidebar) resource(r detail.Ref) string {
	if r.Resource != "" {
		return r.Resource
	}
	if id := detail.ResourceOf(r.Group, r.Kind); id != "" {
		return id
	}
	for _, known := range s.kinds {
		if _, group, _ := strings.Cut(known.ID, "."); known.Name == r.Kind && group == r.Group {
			return known.ID
		}
	}
	return ""
}

// Link returns a link to an object, or plain text if its resource is not known.
func (s *Sidebar) Link(r detail.Ref, text string) app.UI {
	resource := s.resource(r)
	if resource == "" || r.Name == "" {
		return app.Span().Text(text)
	}
	return app.A().Class("ref").Href(s.host.Href(s.host.Address().ToObject(resource, r.Key()))).DataSet("action", ui.GoObject).DataSet("value", resource+" "+r.Key()).Title(r.Kind + " " + r.Key()).Text(text)
}

// ListLink returns a link to a list.
func (s *Sidebar) ListLink(l detail.Listing, text string) app.UI {
	return app.A().Class("ref").Href(s.host.Href(s.host.Address().ToListing(l))).DataSet("action", ui.GoListing).
		DataSet("value", strings.Join([]string{l.Resource, l.Namespace, l.Labels, l.Filter}, "\n")).Text(text)
}
