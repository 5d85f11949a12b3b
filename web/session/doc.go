// Package session is part of hop 8 of 8: the cluster and the user on screen, with the dialog that says who the user is, and
// the contexts to switch to.
//
// In: what the proxy and the apiserver said of the user and the contexts. Out: both names and the dialog as drawn, kubectl's
// flags for them, the end of the session, and the page of another context. The package reaches the page and its other parts
// only through its Host and the interfaces beside it.
package session
