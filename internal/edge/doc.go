//go:build !js

// Package edge is the door between browsers and hop 2. It authenticates requests and enforces
// limits before anything else is done.
//
// In: requests as browsers send them. Out: requests with one of our host names, sent by one of
// our pages, with a valid session. Everything else is answered here.
//
// Users sign in in one of four modes: with the address of the launch (local), with their own token
// (token), at an OpenID Connect provider (oidc), or at a front that names them in headers (proxy).
// The result is a Session, encrypted into a cookie; the proxy stores none. A cookie alone is not
// enough: the page proves that it owns its session in the first frame of its socket, and when it
// renews the session.
package edge
