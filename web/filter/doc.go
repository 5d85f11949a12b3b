// Package filter is part of hop 8 of 8: the bar above the list on the page, with the filter, its suggestions, and
// the other terms of the query.
//
// In: what the user types, the columns and counts of the list, and the labels that the worker counts. Out: the
// filter in the page's address, and the drawn bar. The package reaches the page only through its Host.
package filter
