// Package hub is hop 7 of 8, the worker: one informer for each source, shared by every view
// of every page. It joins hops 3 to 6 of each cluster with the lists and the open objects
// of the pages that are connected.
//
// Read it downwards: a Hub has Pages and Clusters; a Page has lists, objects, overviews and
// timelines, under IDs that the page chose; all lease sources from a Cluster; everything runs
// on one loop. All but Hub and Page are packages below this one, as are the search by name and
// the past. None of them imports it: what one needs of the page or the hub is an interface.
//
// In: the messages of package port, one port for each page, and a way to dial the proxy.
// Out: patches, states and details, each to the page that asked.
package hub
