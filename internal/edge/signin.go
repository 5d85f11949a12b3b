//go:build !js

package edge

import (
	_ "embed"
	"html/template"
	"net/http"
	"net/url"
	"strings"
)

//go:embed signin.html
var signinText string

var signinPage = template.Must(template.New("signin").Parse(signinText))

// signinPolicy allows the page its style sheet and scripts, which may connect to us.
const signinPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; " +
	"require-trusted-types-for 'script'; trusted-types 'none'"

// signInData is the data of the page.
type signInData struct {
	Mode, Context, To, C, Base, Why, Provider string
	Back                                      bool // the browser returns from the provider
	Files                                     Files
}

// Files are the addresses of the sign-in page's files.
type Files struct{ Style, Icon, Session, SignIn string }

// reasons explain why the user has to sign in, by the address's why parameter.
var reasons = map[string]string{
	"out":  "You have signed out of this cluster, in every tab of this browser.",
	"over": "Your session has ended, and its data was removed from this browser. Sign in to continue where you left off.",
}

// SignIn serves the sign-in page. Its script signs in, because it has the key that the session
// will be bound to; a key in an address could come from anybody.
func (a *Authenticator) SignIn() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			a.beginSignIn(w, r)
			return
		}
		a.serveSignIn(w, r, false)
	})
}

// destination returns the address to open after signing in. It is always one of our pages.
func (a *Authenticator) destination(to string) string {
	u, err := url.Parse(to)
	if err != nil || !clean(u) || u.IsAbs() || u.Host != "" || u.User != nil || u.Opaque != "" || strings.ContainsAny(to, "\\\r\n\t") ||
		!strings.HasPrefix(u.Path, a.o.Base+"/") || strings.HasPrefix(u.Path, "//") || strings.HasPrefix(u.Path, a.o.Base+"/-/") || strings.Contains(u.Path, "..") {
		return a.o.Base + "/"
	}
	return (&url.URL{Path: u.Path, RawQuery: u.RawQuery}).String()
}

// serveSignIn serves the page.
func (a *Authenticator) serveSignIn(w http.ResponseWriter, r *http.Request, back bool) {
	if no := a.checkRead(r); no != nil {
		a.refuse(w, no)
		return
	}
	q := r.URL.Query()
	page := signInData{
		Mode: a.Mode(), Context: a.o.Place(r).Context, C: q.Get("c"), To: a.destination(q.Get("to")), Base: a.o.Base,
		Why: reasons[q.Get("why")], Back: back, Files: a.o.Files,
	}
	if a.oidc != nil {
		page.Provider = a.oidc.provider.Name()
	}
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", signinPolicy)
	_ = signinPage.Execute(w, page) // the client may be gone
}
