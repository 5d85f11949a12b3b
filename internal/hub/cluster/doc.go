// Package cluster is part of hop 7 of 8: one cluster as one user sees it. It joins the socket, the informers of all
// sources, and what is known of the kinds, the user and the session. It knows nothing of pages, lists or open objects.
//
// In: a way to dial the proxy, and requests for sources. Out: leases of sources that all pages share, and the state of
// the connection.
package cluster
