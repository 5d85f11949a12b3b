//go:build !js

package edge

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"watchglass/internal/edge/limit"
	"watchglass/internal/edge/session"
)

// Front is a reverse proxy that signs users in and names them in headers. Those headers are
// ignored from anybody else.
type Front struct {
	// From are its addresses. Names are the accepted names in its certificate, which the listener
	// has verified. If both are set, both have to match.
	From  []netip.Prefix
	Names []string
	// Certificate says that it needs a certificate.
	Certificate bool
	// UserHeader is the header with the user's name, GroupHeader the one with the groups, separated
	// by commas. Without a GroupHeader, no groups are read.
	UserHeader, GroupHeader string
	// UserPrefix and GroupPrefix are put before each name, so that the front cannot name users that
	// the cluster knows by other means.
	UserPrefix, GroupPrefix string
	Log                     *slog.Logger
}

// Validate returns an error if the configuration is incomplete.
func (f Front) Validate() error {
	if len(f.From) == 0 && !f.Certificate {
		return errors.New("set the addresses of the front, or the CA that signs its certificate")
	}
	for _, name := range []string{f.UserHeader, f.GroupHeader} {
		if strings.Contains(name, "_") || strings.ContainsAny(name, " :\t") {
			return fmt.Errorf("%q is not accepted as a header: some servers treat _ as -", name)
		}
	}
	if f.UserHeader == "" {
		return errors.New("the header with the user name has no name")
	}
	return nil
}

// proxyMode is proxy mode.
type proxyMode struct {
	session.Life
	front Front
}

// NewProxy returns the authenticator of proxy mode.
func NewProxy(o Options, f Front) *Authenticator {
	return newAuthenticator(o, &proxyMode{o.Life, f})
}

func (*proxyMode) name() string { return "proxy" }

func (*proxyMode) framed() bool { return false }

func (m *proxyMode) login(r *http.Request, _ string, by caller) (session.Session, error) {
	who, err := m.front.named(r)
	if err != nil {
		return session.Session{}, err
	}
	now := time.Now()
	switch {
	case !by.proven || by.session.User != who.User:
		s := m.Begin(now)
		s.User, s.Groups = who.User, who.Groups
		return s, nil
	case !by.session.Due(now) && slices.Equal(by.session.Groups, who.Groups):
		return *by.session, nil
	}
	s := m.Renew(*by.session, now)
	s.Groups = who.Groups
	return s, nil
}

// admit checks that the front still names the session's user.
func (m *proxyMode) admit(r *http.Request, s session.Session) (session.Session, error) {
	who, err := m.front.named(r)
	if err != nil {
		return s, err
	}
	if who.User != s.User {
		return s, refusing(http.StatusUnauthorized, "user", "the session belongs to another user")
	}
	s.Groups = who.Groups
	return s, nil
}

// named returns the user that the front names.
func (f Front) named(r *http.Request) (Who, error) {
	if !f.sent(r) {
		return Who{}, refusing(http.StatusForbidden, "peer", "requests must come through the reverse proxy that signs users in: open its address")
	}
	user, err := f.user(r)
	if err != nil {
		return Who{}, err
	}
	groups, err := f.groups(r)
	if err != nil {
		return Who{}, err
	}
	return impersonable(f.UserPrefix+user, groups, f.Log)
}

// user returns the user that the front names. Two headers, a comma, or white space are an error: the front may
// have added its value to the client's, or a line of the client's to its own. The page shows the text of a 403; after a 401 it asks the
// user to sign in, which doesn't help here.
func (f Front) user(r *http.Request) (string, error) {
	users := r.Header.Values(f.UserHeader)
	switch {
	case len(users) > 1:
		return "", refusing(http.StatusForbidden, "user", "The %s header came %d times. The front must replace the client's header, not add to it.", f.UserHeader, len(users))
	case len(users) == 0 || !isPrincipal(users[0]):
		return "", refusing(http.StatusUnauthorized, "user", "the reverse proxy did not name a user: it must set the header %s", f.UserHeader)
	case strings.Contains(users[0], ","):
		return "", refusing(http.StatusForbidden, "user", "The %s header contains a comma. It must name one user: the front must replace the client's header, not add to it.", f.UserHeader)
	case strings.ContainsFunc(users[0], unicode.IsSpace): // so net/http leaves a header that goes on in the next line
		return "", refusing(http.StatusForbidden, "user", "The %s header contains white space. It must name one user: the front must replace the client's header, and pass on no line that begins with a space.", f.UserHeader)
	}
	return users[0], nil
}

// groups returns the groups that the front names. Two headers are an error: a front that adds its
// header passes on the one that the client sent.
func (f Front) groups(r *http.Request) (groups []string, err error) {
	if f.GroupHeader == "" {
		return nil, nil
	}
	values := r.Header.Values(f.GroupHeader)
	if len(values) > 1 {
		return nil, refusing(http.StatusForbidden, "groups", "The %s header came %d times. The front must replace the client's header, not add to it.", f.GroupHeader, len(values))
	}
	for group := range strings.SplitSeq(strings.Join(values, ""), ",") {
		if group = strings.TrimSpace(group); group != "" {
			groups = append(groups, f.GroupPrefix+group)
		}
	}
	return groups, nil
}

// impersonable returns the user to impersonate. Reserved users are an error; reserved groups are
// dropped.
func impersonable(user string, groups []string, log *slog.Logger) (Who, error) {
	if !isPrincipal(user) || reserved(user) {
		return Who{}, refusing(http.StatusForbidden, "user", "cannot sign in as %q: names that begin with system: are reserved", user)
	}
	who := Who{User: user}
	for _, group := range groups {
		switch {
		case group == "" || slices.Contains(who.Groups, group):
		case !isPrincipal(group) || reserved(group):
			log.Warn("group dropped: reserved or invalid name", "group", group, "user", user)
		default:
			who.Groups = append(who.Groups, group)
		}
	}
	return who, nil
}

// sent reports whether a request comes from the front.
func (f Front) sent(r *http.Request) bool {
	if f.Certificate {
		if r.TLS == nil || len(r.TLS.VerifiedChains) == 0 {
			return false
		}
		leaf := r.TLS.VerifiedChains[0][0]
		if len(f.Names) > 0 && !slices.ContainsFunc(append([]string{leaf.Subject.CommonName}, leaf.DNSNames...), func(name string) bool { return slices.Contains(f.Names, name) }) {
			return false
		}
	}
	return len(f.From) == 0 || limit.From(r, f.From)
}

// reserved reports whether a name is reserved for the cluster.
func reserved(name string) bool { return strings.HasPrefix(strings.ToLower(name), "system:") }

// isPrincipal reports whether a text is accepted as the name of a user or a group. It has no
// invisible or bidirectional characters.
func isPrincipal(s string) bool {
	return s != "" && len(s) <= 512 && utf8.ValidString(s) && s == strings.TrimSpace(s) &&
		!strings.ContainsFunc(s, func(c rune) bool { return unicode.In(c, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) })
}
