package session

import (
	"slices"
	"strings"

	"github.com/maxence-charriere/go-app/v9/pkg/app"

	"watchglass/web/ui"
)

// Contexts returns the contexts to switch to, including the current one. A frame has none: its host
// chooses the context, and gives a token for that one only.
func (s *Session) Contexts() []string {
	if s.host.Framed() || s.host.State().Proxy == nil || s.host.State().Proxy.Contexts == "" {
		return nil
	}
	return strings.Split(s.host.State().Proxy.Contexts, "\n")
}

// Offers returns the palette's entries for the other contexts.
func (s *Session) Offers() []ui.Offer {
	var all []ui.Offer
	for _, name := range s.Contexts() {
		if name != s.Context() {
			all = append(all, ui.Offer{Action: switchContext, Value: name, Text: name, Hint: ui.Contexts, Names: []string{ui.Contexts + " " + strings.ToLower(name)}})
		}
	}
	return all
}

// DrawContext draws the current context. It is a button if there are others to switch to.
func (s *Session) DrawContext() app.UI {
	if len(s.Contexts()) < 2 {
		return app.Elem("strong").Title(s.server()).Text(s.Context())
	}
	return app.Button().Class("context").DataSet("action", ui.OpenPalette).DataSet("value", ui.Contexts).Title(s.server()).Attr("aria-label", "Switch context: "+s.Context()).Body(
		app.Elem("strong").Text(s.Context()), app.Span().Class("dim").Text(" ▾"),
	)
}

// Lost reports whether the context in the address is not in the kubeconfig, but others
// are.
func (s *Session) Lost() bool {
	return len(s.Contexts()) > 0 && !slices.Contains(s.Contexts(), s.Context())
}

// switchContext loads the same view of another context, without namespaces and selection.
// Nothing else is carried over: the page is loaded again, with a connection of its own.
func (s *Session) switchContext(name string) {
	to := s.host.Address().View()
	to.Context, to.Namespaces = name, nil
	to.With = s.host.MarkedIn(name)
	s.browser.Switch(name, s.host.Href(to))
}
