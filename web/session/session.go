package session

import (
	"fmt"
	"strings"

	"github.com/maxence-charriere/go-app/v9/pkg/app"

	"watchglass/web/dialog"
	"watchglass/web/ui"
	"watchglass/web/words"
)

// Session is the part with the cluster and the user.
type Session struct {
	host    Host
	browser Browser
	dialogs *dialog.Dialogs
	past    Past
	access  Access
	dialog.Base
}

// New returns the session of a page.
func New(h Host, b Browser, d *dialog.Dialogs, p Past, a Access) *Session {
	return &Session{host: h, browser: b, dialogs: d, past: p, access: a}
}

// The actions of the session.
const (
	switchContext ui.Action = "context" // value: name
	whoAmI        ui.Action = "whoami"
	signOut       ui.Action = "sign-out"
)

// Commands returns the commands of the session.
func (s *Session) Commands() []ui.Command {
	return []ui.Command{
		{ID: switchContext, Run: s.switchContext},
		{ID: whoAmI, Title: "Who am I", Do: func() { s.dialogs.Show(s, "who-close") }, Offer: func(o *ui.Offer) bool { o.Hint = s.user(); return true }},
		{ID: signOut, Title: "Sign out", Names: []string{"log out", "logout"}, Do: s.signOut, Offer: func(*ui.Offer) bool { return s.signedIn() }},
	}
}

// signOut ends the session in every tab of this browser.
func (s *Session) signOut() {
	s.browser.SignOut(func(why string) {
		s.host.Locked(func() { s.host.Notify("Sign-out failed: " + why) })
	})
}

// signedIn reports whether there is a session to end. In local mode the user is always signed
// in.
func (s *Session) signedIn() bool {
	return s.host.State().Proxy != nil && s.host.State().Proxy.Auth != "" && s.host.State().Proxy.Auth != "local"
}

// DrawUser draws the current user as a button that opens the details.
func (s *Session) DrawUser() app.UI {
	return app.Button().ID("who").Class("context dim").Hidden(s.user() == "").DataSet("action", whoAmI).Title(s.Whoami()).Attr("aria-haspopup", "dialog").Attr("aria-label", "Signed in as "+s.user()).
		Body(app.Span().Text(strings.TrimSuffix("as "+s.user(), "as ")))
}

// Whoami returns the user as the apiserver sees them.
func (s *Session) Whoami() string {
	switch {
	case s.user() == "":
		return ""
	case s.host.State().Groups == "":
		return fmt.Sprintf("You are %s.", s.user())
	}
	return fmt.Sprintf("You are %s, in groups %s.", s.user(), strings.Join(words.SplitList(s.host.State().Groups), ", "))
}

// Draw draws the dialog with the current user, as the apiserver sees them.
func (s *Session) Draw() app.UI {
	w := s.host.State().Proxy
	facts := []app.UI{}
	fact := func(name, value string) {
		if value != "" {
			facts = append(facts, app.Div().Class("fact").Body(app.Span().Class("dim").Text(name), app.Span().Text(value)))
		}
	}
	fact("User", s.user())
	fact("Groups", strings.Join(words.SplitList(s.host.State().Groups), ", "))
	fact("Limits", s.access.Limits())
	text := ""
	if w != nil {
		fact("Context", w.Context)
		fact("Server", s.server())
		text = words.AuthModes[w.Auth]
		if !w.Bound && !s.past.On() { // in the past it is another link's Welcome, which knows no session
			fact("Session", "Not bound to this browser: binding requires HTTPS. Anyone who copies the browser's cookies and storage can use the session for up to 12 hours.")
		}
	}
	return app.Div().ID("whoami").Class("help keep").Attr("role", "dialog").Attr("aria-modal", "true").Attr("aria-label", "Current user").Body(
		app.H1().Text("Current user"),
		app.Div().Class("facts").Body(facts...),
		app.P().Class("dim").Text(text+" Access is read-only."),
		app.Div().Class("ways").Body(
			app.Button().ID("who-close").Class("way").DataSet("action", ui.Leave).Text("Close"),
			app.Button().ID("sign-out").Class("way").DataSet("action", signOut).Hidden(!s.signedIn()).Text("Sign out"),
		),
	)
}

// Context returns the name of the context on screen.
func (s *Session) Context() string {
	if s.host.State().Proxy == nil || s.host.State().Proxy.Context == "" {
		return "Watchglass"
	}
	return s.host.State().Proxy.Context
}

// Reach returns kubectl's flags for the cluster and the user on screen, or none if they are not known.
func (s *Session) Reach() []string {
	if s.host.State().Proxy == nil {
		return nil
	}
	return s.host.State().Proxy.Reach
}

func (s *Session) server() string {
	switch recorded := s.past.Recorded(); {
	case recorded != nil: // its server is not known, and the proxy's is another one
		return recorded.Cluster
	case s.host.State().Proxy == nil:
		return ""
	}
	return s.host.State().Proxy.Cluster + " at " + s.host.State().Proxy.Server
}

func (s *Session) user() string {
	if s.host.State().User != "" {
		return s.host.State().User
	}
	if s.host.State().Proxy != nil {
		return s.host.State().Proxy.User
	}
	return ""
}
