package web

import (
	"fmt"
	"strings"

	"github.com/maxence-charriere/go-app/v9/pkg/app"

	"watchglass/web/dialog"
	"watchglass/web/ui"
	"watchglass/web/words"
)

// session is the part with the cluster and the user.
type session struct {
	page *page
	dialog.Base
}

// The actions of the session.
const (
	SwitchContext ui.Action = "context" // value: name
	WhoAmI        ui.Action = "whoami"
	SignOut       ui.Action = "sign-out"
)

func (s *session) Commands() []ui.Command {
	return []ui.Command{
		{ID: SwitchContext, Run: s.switchContext},
		{ID: WhoAmI, Title: "Who am I", Do: func() { s.page.dialogs.Show(s, "who-close") }, Offer: func(o *ui.Offer) bool { o.Hint = s.user(); return true }},
		{ID: SignOut, Title: "Sign out", Names: []string{"log out", "logout"}, Do: s.signOut, Offer: func(*ui.Offer) bool { return s.signedIn() }},
	}
}

// signOut ends the session in every tab of this browser.
func (s *session) signOut() {
	s.page.browser.SignOut(func(why string) {
		s.page.locked(func() { s.page.notices.say(notice{text: "Sign-out failed: " + why}) })
	})
}

// signedIn reports whether there is a session to end. In local mode the user is always signed
// in.
func (s *session) signedIn() bool {
	return s.page.state.Proxy != nil && s.page.state.Proxy.Auth != "" && s.page.state.Proxy.Auth != "local"
}

// drawUser draws the current user as a button that opens the details.
func (s *session) drawUser() app.UI {
	return app.Button().ID("who").Class("context dim").Hidden(s.user() == "").DataSet("action", WhoAmI).Title(s.whoami()).Attr("aria-haspopup", "dialog").Attr("aria-label", "Signed in as "+s.user()).
		Body(app.Span().Text(strings.TrimSuffix("as "+s.user(), "as ")))
}

// whoami returns the user as the apiserver sees them.
func (s *session) whoami() string {
	switch {
	case s.user() == "":
		return ""
	case s.page.state.Groups == "":
		return fmt.Sprintf("You are %s.", s.user())
	}
	return fmt.Sprintf("You are %s, in groups %s.", s.user(), strings.Join(words.SplitList(s.page.state.Groups), ", "))
}

// Draw draws the dialog with the current user, as the apiserver sees them.
func (s *session) Draw() app.UI {
	w := s.page.state.Proxy
	facts := []app.UI{}
	fact := func(name, value string) {
		if value != "" {
			facts = append(facts, app.Div().Class("fact").Body(app.Span().Class("dim").Text(name), app.Span().Text(value)))
		}
	}
	fact("User", s.user())
	fact("Groups", strings.Join(words.SplitList(s.page.state.Groups), ", "))
	fact("Limits", s.page.access.Limits())
	text := ""
	if w != nil {
		fact("Context", w.Context)
		fact("Server", s.server())
		text = words.AuthModes[w.Auth]
		if !w.Bound && !s.page.past.On() { // in the past it is another link's Welcome, which knows no session
			fact("Session", "Not bound to this browser: binding requires HTTPS. Anyone who copies the browser's cookies and storage can use the session for up to 12 hours.")
		}
	}
	return app.Div().ID("whoami").Class("help keep").Attr("role", "dialog").Attr("aria-modal", "true").Attr("aria-label", "Current user").Body(
		app.H1().Text("Current user"),
		app.Div().Class("facts").Body(facts...),
		app.P().Class("dim").Text(text+" Access is read-only."),
		app.Div().Class("ways").Body(
			app.Button().ID("who-close").Class("way").DataSet("action", ui.Leave).Text("Close"),
			app.Button().ID("sign-out").Class("way").DataSet("action", SignOut).Hidden(!s.signedIn()).Text("Sign out"),
		),
	)
}

func (s *session) context() string {
	if s.page.state.Proxy == nil || s.page.state.Proxy.Context == "" {
		return "Watchglass"
	}
	return s.page.state.Proxy.Context
}

// reach returns kubectl's flags for the cluster and the user on screen, or none if they are not known.
func (s *session) reach() []string {
	if s.page.state.Proxy == nil {
		return nil
	}
	return s.page.state.Proxy.Reach
}

func (s *session) server() string {
	switch recorded := s.page.past.Recorded(); {
	case recorded != nil: // its server is not known, and the proxy's is another one
		return recorded.Cluster
	case s.page.state.Proxy == nil:
		return ""
	}
	return s.page.state.Proxy.Cluster + " at " + s.page.state.Proxy.Server
}

func (s *session) user() string {
	if s.page.state.User != "" {
		return s.page.state.User
	}
	if s.page.state.Proxy != nil {
		return s.page.state.Proxy.User
	}
	return ""
}
