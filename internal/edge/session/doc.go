//go:build !js

// Package session stands between browsers and hop 2: it says what a session is, and has all that makes one worthless to anybody else. A session is encrypted into a cookie or, for a
// page in a frame, into the page's memory. It is bound to a key of the browser, which signs proofs,
// and ends in time.
//
// In: a user who has signed in, cookies and proofs. Out: sessions, their cookies, and the connections
// that are open in them, whose number and requests are limited for each user. It decides nothing
// about who may sign in, knows no HTTP but cookies, and imports none of our packages.
package session
