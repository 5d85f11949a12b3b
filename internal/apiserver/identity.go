//go:build !js

package apiserver

import (
	"errors"
	"net/http"

	"k8s.io/client-go/transport"
)

// Identity is the user of requests, if it is not that of the target: the bearer of a token, or
// an impersonated user.
type Identity struct {
	Token  string
	User   string
	Groups []string
}

// As returns a transport that makes requests as another user. All users share connections, but
// not credentials: those are added to each request as it is sent, out of reach of what a
// browser sent.
func (t *Target) As(i Identity) (http.RoundTripper, error) {
	switch {
	case i.Token != "" && !t.bare:
		return nil, errors.New("a user's token cannot be combined with the credentials of this cluster")
	case i.Token != "":
		return transport.NewBearerAuthRoundTripper(i.Token, t.Transport), nil
	case i.User != "" && t.bare:
		return nil, errors.New("impersonation needs credentials, and this cluster has none")
	case i.User != "":
		return transport.NewImpersonatingRoundTripper(transport.ImpersonationConfig{UserName: i.User, Groups: i.Groups}, t.Transport), nil
	}
	return nil, errors.New("no user")
}
