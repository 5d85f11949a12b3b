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
)

// Front is what stands before us and has asked users who they are: it says so in
// headers, which are believed of nobody else.
type Front struct {
	// From are the addresses that it comes from, and Names those that its certificate
	// may have, which the listener has verified. What is given has to hold.
	From  []netip.Prefix
	Names []string
	// Certificate says that it has to have one.
	Certificate bool
	// UserHeader has the user's name. GroupHeader has the groups, with commas between; none:
	// the front sets no such header, and nobody's is believed.
	UserHeader, GroupHeader string
	// UserPrefix and GroupPrefix go before each name, so that nobody can be named as who
	// the cluster knows by other means.
	UserPrefix, GroupPrefix string
	Log                     *slog.Logger
}

// Validate says what a front lacks.
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

// fronted is proxy mode.
type fronted struct {
	front Front
	life  Life
}

// NewProxy returns the door of proxy mode.
func NewProxy(o Options, f Front) *Door {
	return newDoor(o, &fronted{front: f, life: o.Life})
}

func (*fronted) name() string { return "proxy" }

func (m *fronted) login(r *http.Request, _ string, by shown) (Session, error) {
	who, err := m.front.who(r)
	if err != nil {
		return Session{}, err
	}
	now := time.Now()
	switch {
	case !by.proven || by.had.User != who.User:
		s := m.life.begun(now)
		s.User, s.Groups = who.User, who.Groups
		return s, nil
	case !by.had.due(now) && slices.Equal(by.had.Groups, who.Groups):
		return *by.had, nil
	}
	s := m.life.renewed(*by.had, now)
	s.Groups = who.Groups
	return s, nil
}

// admit holds the session to who the front says is asking now.
func (m *fronted) admit(r *http.Request, s Session) (Session, error) {
	who, err := m.front.who(r)
	if err != nil {
		return s, err
	}
	if who.User != s.User {
		return s, refusing(http.StatusUnauthorized, "user", "the session is another user's")
	}
	s.Groups = who.Groups
	return s, nil
}

// who is asking, as the front says.
func (f Front) who(r *http.Request) (Who, error) {
	if !f.is(r) {
		return Who{}, refusing(http.StatusForbidden, "peer", "only the front that signs users in is let in here: open its address")
	}
	users := r.Header.Values(f.UserHeader)
	if len(users) != 1 || !isPrincipal(users[0]) {
		return Who{}, refusing(http.StatusUnauthorized, "user", "the front names nobody: it is to say in %s who is asking", f.UserHeader)
	}
	groups, err := f.groups(r)
	if err != nil {
		return Who{}, err
	}
	return impersonable(f.UserPrefix+users[0], groups, f.Log)
}

// groups are those that the front names. A second header is somebody else's: fronts that
// set one add it to what the client sent.
func (f Front) groups(r *http.Request) (groups []string, err error) {
	if f.GroupHeader == "" {
		return nil, nil
	}
	values := r.Header.Values(f.GroupHeader)
	if len(values) > 1 {
		return nil, refusing(http.StatusUnauthorized, "groups", "The %s header came %d times. The front must replace the client's header, not add to it.", f.GroupHeader, len(values))
	}
	for group := range strings.SplitSeq(strings.Join(values, ""), ",") {
		if group = strings.TrimSpace(group); group != "" {
			groups = append(groups, f.GroupPrefix+group)
		}
	}
	return groups, nil
}

// impersonable is who may be impersonated of whom somebody names: nobody of the
// cluster's own, in no group of the cluster's own.
func impersonable(user string, groups []string, log *slog.Logger) (Who, error) {
	if !isPrincipal(user) || reserved(user) {
		return Who{}, refusing(http.StatusForbidden, "user", "nobody comes in as %q: names that begin with system: are the cluster's own", user)
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

// is reports whether a request comes from the front.
func (f Front) is(r *http.Request) bool {
	if f.Certificate {
		if r.TLS == nil || len(r.TLS.VerifiedChains) == 0 {
			return false
		}
		leaf := r.TLS.VerifiedChains[0][0]
		if len(f.Names) > 0 && !slices.ContainsFunc(append([]string{leaf.Subject.CommonName}, leaf.DNSNames...), func(name string) bool { return slices.Contains(f.Names, name) }) {
			return false
		}
	}
	return len(f.From) == 0 || within(addressOf(r.RemoteAddr), f.From)
}

// reserved are names that the cluster gives.
func reserved(name string) bool { return strings.HasPrefix(strings.ToLower(name), "system:") }

// isPrincipal reports whether a user or a group may be called that: nothing in the name is
// invisible, and nothing turns the line around that it stands in.
func isPrincipal(s string) bool {
	return s != "" && len(s) <= 512 && utf8.ValidString(s) && s == strings.TrimSpace(s) &&
		!strings.ContainsFunc(s, func(c rune) bool { return unicode.In(c, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) })
}
