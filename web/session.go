package web

import (
	"strings"

	"github.com/maxence-charriere/go-app/v9/pkg/app"

	"watchglass/internal/port"
)

// Renewed says that the session was renewed, here or in another tab. The ID is that of the
// renewal.
func (p *Page) Renewed(id string) {
	p.port.Send(port.Renewed{ID: id})
}

// signOut ends the session in every tab of this browser.
func (p *Page) signOut() {
	p.browser.SignOut(func(why string) {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.say(notice{text: "You are still signed in: " + why})
	})
}

// signedIn reports whether there is a session that can be ended: who is by the
// kubeconfig always is.
func (g sight) signedIn() bool {
	return g.state.Proxy != nil && g.state.Proxy.Auth != "" && g.state.Proxy.Auth != "local"
}

// modes are the words for how users say who they are.
var modes = map[string]string{
	"local": "This proxy runs on your machine, and goes to the cluster with the credentials of your kubeconfig.",
	"token": "You signed in with a token of yours. The proxy goes to the cluster with it, and with nothing else.",
	"oidc":  "A provider signed you in. The proxy goes to the cluster as you.",
	"proxy": "What stands before the proxy said who you are. The proxy goes to the cluster as you.",
}

// who says as whom the cluster is looked at, and leads to more.
func (g sight) who() app.UI {
	return app.Button().ID("who").Class("context dim").Hidden(g.user() == "").DataSet("action", WhoAmI).Title(g.whoami()).Attr("aria-haspopup", "dialog").Attr("aria-label", "as "+g.user()+": who you are").
		Body(app.Span().Text(strings.TrimSuffix("as "+g.user(), "as ")))
}

// drawWho draws who the apiserver takes the user for.
func (g sight) drawWho() app.UI {
	w := g.state.Proxy
	facts := []app.UI{}
	fact := func(name, value string) {
		if value != "" {
			facts = append(facts, app.Div().Class("fact").Body(app.Span().Class("dim").Text(name), app.Span().Text(value)))
		}
	}
	fact("User", g.user())
	fact("Groups", strings.Join(apart(g.state.Groups), ", "))
	said := ""
	if w != nil {
		fact("Context", w.Context)
		fact("Server", g.server())
		said = modes[w.Auth]
		if !w.Bound {
			fact("Session", "Not bound to this browser: that needs HTTPS. Anyone who copies the browser's cookies and storage can use the session for up to 12 hours.")
		}
	}
	return app.Div().ID("whoami").Class("help keep").Attr("role", "dialog").Attr("aria-modal", "true").Attr("aria-label", "Who you are").Body(
		app.H1().Text("Who you are"),
		app.Div().Class("facts").Body(facts...),
		app.P().Class("dim").Text(said+" It can only read."),
		app.Div().Class("ways").Body(
			app.Button().ID("who-close").Class("way").DataSet("action", Leave).Text("Close"),
			app.Button().ID("sign-out").Class("way").DataSet("action", SignOut).Hidden(!g.signedIn()).Text("Sign out"),
		),
	)
}
