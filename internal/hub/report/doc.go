// Package report is part of hop 7 of 8: the overview of a cluster, and the timelines of a page. It reaches the cluster,
// and the page only through its Host.
//
// In: port.OpenOverview and port.OpenTimeline, and the problems and the timeline of a cluster. Out: documents, each only
// when it differs from the one before.
package report
