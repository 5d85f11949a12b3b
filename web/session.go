package web

import (
	"strings"

	"github.com/maxence-charriere/go-app/v9/pkg/app"
)

// session is which cluster this is, and who the user is there.
type session struct{ *page }

func (s *session) actions() map[Action]func(string) {
	return map[Action]func(string){
		SwitchContext: s.switchContext, SignOut: does(s.signOut),
		WhoAmI: does(func() { s.dialogs.show(dialog{kind: whoDialog}, "who-close") }),
	}
}

// signOut ends the session in every tab of this browser.
func (s *session) signOut() {
	s.browser.SignOut(func(why string) {
		s.locked(func() { s.notices.say(notice{text: "You are still signed in: " + why}) })
	})
}

// signedIn reports whether there is a session that can be ended: who is by the
// kubeconfig always is.
func (s *session) signedIn() bool {
	return s.state.Proxy != nil && s.state.Proxy.Auth != "" && s.state.Proxy.Auth != "local"
}

// modes are the words for how users say who they are.
var modes = map[string]string{
	"local": "This proxy runs on your machine, and goes to the cluster with the credentials of your kubeconfig.",
	"token": "You signed in with a token of yours. The proxy goes to the cluster with it, and with nothing else.",
	"oidc":  "A provider signed you in. The proxy goes to the cluster as you.",
	"proxy": "What stands before the proxy said who you are. The proxy goes to the cluster as you.",
}

// who says as whom the cluster is looked at, and leads to more.
func (s *session) drawUser() app.UI {
	return app.Button().ID("who").Class("context dim").Hidden(s.user() == "").DataSet("action", WhoAmI).Title(s.whoami()).Attr("aria-haspopup", "dialog").Attr("aria-label", "as "+s.user()+": who you are").
		Body(app.Span().Text(strings.TrimSuffix("as "+s.user(), "as ")))
}

// drawWho draws who the apiserver takes the user for.
func (s *session) draw() app.UI {
	w := s.state.Proxy
	facts := []app.UI{}
	fact := func(name, value string) {
		if value != "" {
			facts = append(facts, app.Div().Class("fact").Body(app.Span().Class("dim").Text(name), app.Span().Text(value)))
		}
	}
	fact("User", s.user())
	fact("Groups", strings.Join(apart(s.state.Groups), ", "))
	said := ""
	if w != nil {
		fact("Context", w.Context)
		fact("Server", s.server())
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
			app.Button().ID("sign-out").Class("way").DataSet("action", SignOut).Hidden(!s.signedIn()).Text("Sign out"),
		),
	)
}

func (s *session) context() string {
	if s.state.Proxy == nil || s.state.Proxy.Context == "" {
		return "Watchglass"
	}
	return s.state.Proxy.Context
}

func (s *session) server() string {
	if s.state.Proxy == nil {
		return ""
	}
	return s.state.Proxy.Cluster + " at " + s.state.Proxy.Server
}

func (s *session) user() string {
	if s.state.User != "" {
		return s.state.User
	}
	if s.state.Proxy != nil {
		return s.state.Proxy.User
	}
	return ""
}
