//go:build !js

package apiserver

import (
	"errors"
	"net/http"

	"k8s.io/client-go/transport"
)

// Identity is who requests are made as, where that is not who the target was loaded
// with: the bearer of a token, or somebody who is impersonated.
type Identity struct {
	Token  string
	User   string
	Groups []string
}

// As is the way to the apiserver for somebody. All share the connections, and none the
// credentials: those are set on each request on its way out, where nothing that a
// browser sent can reach.
func (t *Target) As(i Identity) (http.RoundTripper, error) {
	switch {
	case i.Token != "" && !t.bare:
		return nil, errors.New("requests with a token of a user's go with nothing else, and this cluster has credentials of its own")
	case i.Token != "":
		return transport.NewBearerAuthRoundTripper(i.Token, t.Transport), nil
	case i.User != "" && t.bare:
		return nil, errors.New("to impersonate somebody takes credentials, and this cluster has none")
	case i.User != "":
		return transport.NewImpersonatingRoundTripper(transport.ImpersonationConfig{UserName: i.User, Groups: i.Groups}, t.Transport), nil
	}
	return nil, errors.New("nobody is asking")
}
