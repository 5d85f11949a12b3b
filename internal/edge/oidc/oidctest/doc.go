//go:build !js

// Package oidctest is the other side of the door for tests: a real OpenID
// Connect provider, small, in this process. It signs in whom the test says, and
// holds its clients to the protocol: codes are for once, PKCE is asked for,
// refresh tokens rotate, and who uses one twice loses the session.
//
// In: requests of browsers, of the proxy and of an apiserver. Out: codes, tokens
// and keys; and, to the test, what was asked.
package oidctest
