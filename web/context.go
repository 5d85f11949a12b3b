package web

import (
	"slices"
	"strings"

	"github.com/maxence-charriere/go-app/v9/pkg/app"
)

// contextWord finds all contexts in the palette, and opens it for them alone.
const contextWord = "context"

// contexts are those that can be switched to.
func (g sight) contexts() []string {
	if g.state.Proxy == nil || g.state.Proxy.Contexts == "" {
		return nil
	}
	return strings.Split(g.state.Proxy.Contexts, "\n")
}

func (g sight) contextOffers() []offer {
	var all []offer
	for _, name := range g.contexts() {
		if name != g.context() {
			all = append(all, offer{action: SwitchContext, value: name, text: name, hint: contextWord, names: []string{contextWord + " " + strings.ToLower(name)}})
		}
	}
	return all
}

// contextName says which cluster this is, and leads to the others if there are any.
func (g sight) contextName() app.UI {
	if len(g.contexts()) < 2 {
		return app.Strong().Title(g.server()).Text(g.context())
	}
	return app.Button().Class("context").DataSet("action", OpenPalette).DataSet("value", contextWord).Title(g.server()).Attr("aria-label", "Context "+g.context()+": switch").Body(
		app.Strong().Text(g.context()), app.Span().Class("dim").Text(" ▾"),
	)
}

// contextLost reports that the address names a context which the kubeconfig does not
// have, and that it has others.
func (g sight) contextLost() bool {
	return len(g.contexts()) > 0 && !slices.Contains(g.contexts(), g.context())
}

// switchContext shows another cluster what this one was asked, but for what is only
// here: namespaces, and what is selected. Nothing of the one stays: the page begins
// anew, with a worker and a connection of its own.
func (p *Page) switchContext(name string) {
	to := p.address.View()
	to.Context, to.Namespaces = name, nil
	p.browser.Switch(name, to.String(p.base))
}
