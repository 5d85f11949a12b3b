//go:build !js

// Package oidctest is the other side of package oidc, for tests of what stands before hop 2: a
// small but real OpenID Connect provider in this process. The test says whom it signs in. It holds its clients to the
// protocol: codes work once, PKCE is required, refresh tokens rotate, and a client that uses
// one twice loses its session.
//
// In: requests of browsers, of the proxy and of an apiserver. Out: codes, tokens and keys and,
// for the test, a record of the requests.
package oidctest
