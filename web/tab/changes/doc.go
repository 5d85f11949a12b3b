// Package changes is part of hop 8 of 8: the Changes tab of an open object, with the versions of it that were seen and the
// revisions of a workload.
//
// In: versions, revisions and what differs between two of them, from the worker, which keeps versions that
// the server no longer has. Out: the drawn tab, and which two to compare: revisions are in the address. It reaches the page through tab.Host only.
package changes
