//go:build !js

// Package oidc is a part of signing in, before hop 2: it authenticates users through an OpenID Connect provider.
// It is a client of the provider (authorization code flow with PKCE, refresh, revocation) and
// keeps no sessions. What must survive between two requests is returned as a value, which the
// caller seals into a cookie.
//
// In: the provider's address, and the answers that browsers bring back from it. Out: addresses
// to send a browser to, verified ID tokens, and errors. An error says who refused and why, and
// never contains a token, a code or a secret.
package oidc
