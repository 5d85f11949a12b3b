//go:build !js

// Package edge authenticates requests from browsers before hop 2: it decides which of them to pass
// on, and as which user, before anything else happens.
//
// In: requests from browsers. Out: requests that were meant for us, that a page of ours sent
// and that have a valid session. All others are answered here. Package session knows what a
// session is, and package limit bounds what clients may use before they have one.
//
// There are four authentication modes: the address of the launch (local), the user's own token
// (token), an OpenID Connect provider (oidc), and a proxy in front of us that has authenticated
// the user (proxy). The result is a session, sealed into a cookie; the server stores no
// sessions. A cookie alone opens nothing. Each sign-out, each renewal and each socket's first
// frame also carries a proof: a signature by a key of the browser that cannot be exported or,
// where the browser has no such keys, a secret that the page keeps.
package edge
