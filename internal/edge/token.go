//go:build !js

package edge

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"time"

	"watchglass/internal/edge/limit"
	"watchglass/internal/edge/session"
)

// Who is a user.
type Who struct {
	User   string
	Groups []string
}

// Verify asks the apiserver of a context who the user of a token is. The error is ErrUnknown if the
// apiserver rejects the token.
type Verify func(ctx context.Context, context, token string) (Who, error)

// ErrUnknown says that the apiserver rejected a token.
var ErrUnknown = errors.New("the apiserver does not accept this token: it is wrong or has expired")

// tokenMode is token mode: users paste a token of the cluster, or a front adds it to their requests. It is
// stored in the session, and used for the user's requests to the apiserver.
type tokenMode struct {
	session.Life
	verify  Verify
	place   func(r *http.Request) session.Place
	signIns *limit.SignIns
}

// NewToken returns the authenticator of token mode.
func NewToken(o Options, verify Verify) *Authenticator {
	m := &tokenMode{Life: o.Life, verify: verify}
	a := newAuthenticator(o, m)
	m.place, m.signIns = a.o.Place, a.signIns
	return a
}

func (*tokenMode) name() string { return "token" }

func (*tokenMode) framed() bool { return true }

func (m *tokenMode) login(r *http.Request, given string, by caller) (session.Session, error) {
	now := time.Now()
	given, err := offered(r, given)
	if err != nil {
		return session.Session{}, err
	}
	goesOn := by.proven && (given == "" || given == by.session.Bearer)
	switch {
	case goesOn && !by.doubt && !by.session.Due(now):
		return *by.session, nil
	case goesOn:
		given = by.session.Bearer
	case given == "":
		return session.Session{}, refusing(http.StatusUnauthorized, "session", "sign in with a token")
	case !isToken(given):
		return session.Session{}, refusing(http.StatusUnauthorized, "token", "this is not a token: tokens contain no spaces")
	}
	var who Who
	ask := func() (err error) {
		who, err = verified(m.verify(r.Context(), m.place(r).Context, given))
		return err
	}
	if goesOn {
		err = m.signIns.Renew(by.session.ID, by.doubt, ask)
	} else {
		err = m.signIns.Do(r, ask)
	}
	if err != nil {
		return session.Session{}, err
	}
	s := m.Begin(now)
	if _, framed := frameSession(r); goesOn {
		s = m.Renew(*by.session, now)
	} else if framed && by.proven && by.session.User == who.User { // its host's next token: one sign-out ends it all
		s.ID, s.Key = by.session.ID, by.session.Key
	}
	s.User, s.Groups, s.Bearer = who.User, who.Groups, given
	return s.RenewableUntil(expiry(given)), nil
}

// launchHeader says that the token was in the page's address. Only the token of a launch is
// accepted from there: otherwise somebody else's link could sign the user in as them.
const launchHeader = "Watchglass-Launch"

// offered returns the token to sign in with: that of a front, or else the given one. The host of a frame must give
// the front's own: it may count the rows of the user whose token it has, and of nobody else.
func offered(r *http.Request, given string) (string, error) {
	if r.Header.Get(launchHeader) != "" {
		given = ""
	}
	token, ok := bearerOf(r)
	if !ok {
		return given, nil
	}
	if _, framed := frameSession(r); framed && given != token {
		return "", refusing(http.StatusForbidden, "frame", "The proxy in front of Watchglass signs its users in. A page around this one cannot sign them in with another token.")
	}
	return token, nil
}

// bearerOf returns the token that a front added to a request.
func bearerOf(r *http.Request) (string, bool) {
	token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	return strings.TrimSpace(token), ok
}

// verified returns the user that the apiserver named, if the name is acceptable.
func verified(who Who, err error) (Who, error) {
	switch {
	case err != nil:
		return Who{}, verifyError(err)
	case !isPrincipal(who.User):
		return Who{}, refusing(http.StatusForbidden, "user", "The user name %q is not accepted: it is too long, or has surrounding spaces or invisible characters.", who.User)
	}
	return who, nil
}

// verifyError returns why a token was not accepted.
func verifyError(err error) error {
	if errors.Is(err, ErrUnknown) {
		return refusing(http.StatusUnauthorized, "token", "%v.", err)
	}
	return refusing(http.StatusBadGateway, "upstream", "The token could not be checked: %v.", err)
}

// admit checks that the session has the token that a front adds, if it adds one.
func (*tokenMode) admit(r *http.Request, s session.Session) (session.Session, error) {
	if token, ok := bearerOf(r); ok && token != s.Bearer {
		return s, refusing(http.StatusUnauthorized, "user", "the session belongs to another token")
	}
	return s, nil
}

// isToken reports whether a text can be sent as a bearer token.
func isToken(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(c rune) bool { return c <= ' ' || c > '~' })
}

// expiry returns when a token expires, or the zero time if it is not a JWT with that claim. The claim
// is not verified, since it can only make the session shorter.
func expiry(token string) time.Time {
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return time.Time{}
	}
	payload, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil {
		return time.Time{}
	}
	var claims struct {
		Exp float64 `json:"exp"`
	}
	if json.Unmarshal(payload, &claims) != nil || claims.Exp <= 0 || claims.Exp > 1<<40 {
		return time.Time{}
	}
	return time.Unix(int64(claims.Exp), 0)
}
