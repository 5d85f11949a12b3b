//go:build !js

package edge

import (
	_ "embed"
	"errors"
	"html/template"
	"io"
	"net/http"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"
)

//go:embed signin.html
var signinText string

var signinPage = template.Must(template.New("signin").Parse(signinText))

// signinPolicy lets the page have its style, and send its form to us. Its form says
// where it comes from, so its referrer does too.
const signinPolicy = "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

// signin is what the page shows.
type signin struct {
	Mode, Context, To, C, Base, Style, Icon string
	Why, Wrong, Provider                    string
}

// reasons are the words for why somebody has to sign in, by what stands in the address.
var reasons = map[string]string{
	"out":  "You have signed out, in every tab of this browser that showed this cluster.",
	"over": "Your session is over. What was on screen is gone from this browser; sign in, and it comes back.",
}

// SignIn is the page where users say who they are.
func (d *Door) SignIn() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			d.submitted(w, r)
			return
		}
		if no := d.reading(r); no != nil {
			d.refuse(w, no)
			return
		}
		m, ok := d.mode.(*openid)
		if ok && reasons[r.URL.Query().Get("why")] == "" {
			d.leave(w, r, m)
			return
		}
		d.show(w, r, http.StatusOK, "")
	})
}

// submitted takes the form of token mode.
func (d *Door) submitted(w http.ResponseWriter, r *http.Request) {
	no := d.ours(r, http.MethodPost)
	if _, ok := d.mode.(*tokens); no == nil && !ok {
		no = refusing(http.StatusNotFound, "mode", "nothing is signed in with here")
	}
	if no != nil {
		d.refuse(w, no)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxGiven+4<<10))
	form, wrong := url.ParseQuery(string(body))
	if err = errors.Join(err, wrong); err != nil {
		d.show(w, r, http.StatusRequestEntityTooLarge, "That is no token: it is too long.")
		return
	}
	about := r.Clone(r.Context())
	about.URL.RawQuery = url.Values{"c": {form.Get("c")}, "to": {form.Get("to")}}.Encode()
	s, err := d.session(w, about, strings.TrimSpace(form.Get("token")))
	if err != nil {
		d.o.Refused("token")
		d.show(w, about, codeOf(err), err.Error())
		return
	}
	d.enter(w, d.destination(form.Get("to")), s)
}

// enter sends the browser to the page, with the proof of its session where browsers do
// not send it on.
func (d *Door) enter(w http.ResponseWriter, to string, s Session) {
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Location", to+"#proof="+d.o.Key.Proof(s))
	w.WriteHeader(http.StatusSeeOther)
}

// destination is a view of ours, whatever an address asks for.
func (d *Door) destination(to string) string {
	u, err := url.Parse(to)
	if err != nil || u.IsAbs() || u.Host != "" || u.User != nil || u.Opaque != "" || strings.ContainsAny(to, "\\\r\n\t") ||
		!strings.HasPrefix(u.Path, d.o.Base+"/") || strings.HasPrefix(u.Path, "//") || strings.HasPrefix(u.Path, d.o.Base+"/-/") || strings.Contains(u.Path, "..") {
		return d.o.Base + "/"
	}
	return (&url.URL{Path: u.Path, RawQuery: u.RawQuery}).String()
}

// show draws the page.
func (d *Door) show(w http.ResponseWriter, r *http.Request, code int, wrong string) {
	q := r.URL.Query()
	page := signin{
		Mode: d.Mode(), Context: d.o.Place(r).Context, C: q.Get("c"), To: d.destination(q.Get("to")), Base: d.o.Base, Style: d.o.Style, Icon: d.o.Icon,
		Why: reasons[q.Get("why")], Wrong: sentence(wrong),
	}
	if m, ok := d.mode.(*openid); ok {
		page.Provider = m.provider.Name()
	}
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", signinPolicy)
	h.Set("Referrer-Policy", "same-origin")
	w.WriteHeader(code)
	_ = signinPage.Execute(w, page) // who is gone needs none
}

// sentence is an error's words as they stand alone.
func sentence(words string) string {
	if words == "" {
		return ""
	}
	first, size := utf8.DecodeRuneInString(words)
	return string(unicode.ToUpper(first)) + strings.TrimSuffix(words[size:], ".") + "."
}

// codeOf is how a request is answered that was not let in.
func codeOf(err error) int {
	var no *refusal
	if errors.As(err, &no) {
		return no.code
	}
	return http.StatusInternalServerError
}
