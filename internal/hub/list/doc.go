// Package list is part of hop 7 of 8: a list of a page, which is a query and a window over the sources of one kind. It
// reaches the cluster that it is of, and of the page only a port.Sender.
//
// In: a port.ListQuery, and what its sources and those of derived columns report. Out: patches, states and rights,
// and what is shown, for those who read it with the list.
package list
