//go:build !js

// Package limit stands between browsers and hop 2: it limits what clients may use before anybody
// has signed in, and what the proxy's memory keeps of them. It limits connections,
// requests in progress and sign-ins, in total and for each address.
//
// In: a listener, a handler, and requests to sign in. Out: the same within the limits; others are
// replaced, refused or closed. It knows nothing of sessions but whether a request has one, and
// imports none of our packages.
package limit
