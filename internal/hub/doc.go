// Package hub is hop 7 of 8, the worker: one informer for each source, shared by every view
// of every page. It joins hops 3 to 6 of each cluster with the lists and the open objects
// of the pages that are connected.
//
// Read it downwards: a Hub has Pages and Clusters; a Page has Lists and Objects, under ids
// that the page chose; both lease sources from a Cluster; everything runs on one loop. Clusters,
// lists, open objects, reports, the past and the loop are packages below this one, and know
// nothing of it: what they need of a page or of the hub is in their interfaces Host and Hub.
//
// In: the messages of package port, one port for each page, and a way to dial the proxy.
// Out: patches, states and details, each to the page that asked.
package hub
