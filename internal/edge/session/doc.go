//go:build !js

// Package session stands between browsers and hop 2: it says what a session is, and makes a copied
// one worthless. A session is encrypted, and stored in a cookie or, by a page in a frame, in the
// page's memory. It is bound to a key of the browser, which signs proofs, and ends in time.
//
// In: a user who has signed in, cookies and proofs. Out: sessions, their cookies, and the connections
// that are open in them, whose number and requests are limited for each user. It decides nothing
// about who may sign in, knows no HTTP but cookies, and imports none of our packages.
package session
