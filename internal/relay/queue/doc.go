//go:build !js

// Package queue bounds how many lists are in flight at an apiserver: requested, and not yet complete.
//
// In: the lists that the sessions of hop 2 want to request. Out: a place for each, in turn. It sends
// nothing itself.
//
// An apiserver that gets more lists than it can serve keeps them in a queue of its own, refuses those
// that have waited too long, and serves nothing else meanwhile. Clients that give up and ask again
// make that queue longer. So the lists of all users wait here, where each can be told how many are
// before it, and nothing that is live has to wait for them.
package queue
