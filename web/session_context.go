package web

import (
	"slices"
	"strings"

	"github.com/maxence-charriere/go-app/v9/pkg/app"
)

// contextWord finds all contexts in the palette, and opens it for them alone.
const contextWord = "context"

// contexts are those that can be switched to.
func (s *session) contexts() []string {
	if s.state.Proxy == nil || s.state.Proxy.Contexts == "" {
		return nil
	}
	return strings.Split(s.state.Proxy.Contexts, "\n")
}

func (s *session) contextOffers() []offer {
	var all []offer
	for _, name := range s.contexts() {
		if name != s.context() {
			all = append(all, offer{action: SwitchContext, value: name, text: name, hint: contextWord, names: []string{contextWord + " " + strings.ToLower(name)}})
		}
	}
	return all
}

// contextName says which cluster this is, and leads to the others if there are any.
func (s *session) drawContext() app.UI {
	if len(s.contexts()) < 2 {
		return app.Strong().Title(s.server()).Text(s.context())
	}
	return app.Button().Class("context").DataSet("action", OpenPalette).DataSet("value", contextWord).Title(s.server()).Attr("aria-label", "Context "+s.context()+": switch").Body(
		app.Strong().Text(s.context()), app.Span().Class("dim").Text(" ▾"),
	)
}

// contextLost reports that the address names a context which the kubeconfig does not
// have, and that it has others.
func (s *session) contextLost() bool {
	return len(s.contexts()) > 0 && !slices.Contains(s.contexts(), s.context())
}

// switchContext shows another cluster what this one was asked, but for what is only
// here: namespaces, and what is selected. Nothing of the one stays: the page begins
// anew, with a worker and a connection of its own.
func (s *session) switchContext(name string) {
	to := s.address.View()
	to.Context, to.Namespaces = name, nil
	s.browser.Switch(name, to.String(s.base))
}
