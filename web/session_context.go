package web

import (
	"slices"
	"strings"

	"github.com/maxence-charriere/go-app/v9/pkg/app"

	"watchglass/web/ui"
)

// contexts returns the contexts to switch to, including the current one. A frame has none: its host
// chooses the context, and gives a token for that one only.
func (s *session) contexts() []string {
	if s.page.frame.on() || s.page.state.Proxy == nil || s.page.state.Proxy.Contexts == "" {
		return nil
	}
	return strings.Split(s.page.state.Proxy.Contexts, "\n")
}

func (s *session) contextOffers() []ui.Offer {
	var all []ui.Offer
	for _, name := range s.contexts() {
		if name != s.context() {
			all = append(all, ui.Offer{Action: SwitchContext, Value: name, Text: name, Hint: ui.Contexts, Names: []string{ui.Contexts + " " + strings.ToLower(name)}})
		}
	}
	return all
}

// drawContext draws the current context. It is a button if there are others to switch to.
func (s *session) drawContext() app.UI {
	if len(s.contexts()) < 2 {
		return app.Elem("strong").Title(s.server()).Text(s.context())
	}
	return app.Button().Class("context").DataSet("action", ui.OpenPalette).DataSet("value", ui.Contexts).Title(s.server()).Attr("aria-label", "Switch context: "+s.context()).Body(
		app.Elem("strong").Text(s.context()), app.Span().Class("dim").Text(" ▾"),
	)
}

// contextLost reports whether the context in the address is not in the kubeconfig, but others
// are.
func (s *session) contextLost() bool {
	return len(s.contexts()) > 0 && !slices.Contains(s.contexts(), s.context())
}

// switchContext loads the same view of another context, without namespaces and selection.
// Nothing else is carried over: the page is loaded again, with a connection of its own.
func (s *session) switchContext(name string) {
	to := s.page.address.View()
	to.Context, to.Namespaces = name, nil
	to.With = s.page.marked.elsewhere(name)
	s.page.browser.Switch(name, to.String(s.page.base))
}
