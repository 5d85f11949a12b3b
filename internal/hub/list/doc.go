// Package list is part of hop 7 of 8: a list of a page, which is a query and a window over the sources of one kind. It
// reaches the cluster that it is of, and knows nothing of the page but where to send.
//
// In: a Look of the page, and what its sources and those of derived columns report. Out: patches, states and rights,
// and what is shown, for those who read it with the list.
package list
