//go:build !js

// Package oidc is a part of the door: it lets an OpenID Connect provider say who
// a browser's user is. It is a client of the provider (authorization code flow
// with PKCE, refresh, revocation) and keeps no sessions: what must survive
// between two requests goes out as a value, which the caller seals into a cookie.
//
// In: the provider's address, and the answers that browsers bring back from it.
// Out: addresses to send a browser to, verified ID tokens, and errors that say
// who refused and why, and never hold a token, a code or a secret.
package oidc
