//go:build !js

// Package edge is the door between browsers and hop 2: it decides who may come
// in, before anything else is done.
//
// In: requests as browsers send them. Out: requests that were meant for us, that a
// page of ours sent, and whose session is good; everything else is answered here.
//
// Users say who they are in one of four ways, the modes: whoever has the address of
// the launch (local), by a token of theirs (token), by a provider of OpenID Connect
// (oidc), or through a front that has asked them already (proxy). What was found out
// is a Session, sealed into a cookie; the proxy keeps none. A cookie alone opens
// nothing: the page holds a proof of its session, which is sent in its socket's first
// frame and when the session is renewed.
package edge
