//go:build !js

// Package oidc is a part of the door: it signs users in at an OpenID Connect provider. It is a
// client of the provider (authorization code flow with PKCE, refresh, revocation) and stores no
// sessions. What has to survive between two requests is returned as a value, which the caller
// encrypts into a cookie.
//
// In: the provider's address, and the answers that browsers bring back from it. Out: addresses to
// send a browser to, verified ID tokens, and errors. Errors say who refused and why, and never
// contain a token, a code or a secret.
package oidc
