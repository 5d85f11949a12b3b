// Package route is part of hop 8 of 8: the address of the page, which says what the page shows.
// A copied link, a reload and Back show the same, because an address survives its URL unchanged.
//
// In: a path and a query string, or an Address that the page has changed. Out: an Address, its
// shortest URL, the parameters of a URL that mean nothing, and the query for the worker. The
// package may reach the filter's language, the columns and the names of objects (query, view,
// detail, port), and nothing of the page, the grid or the browser. It has no state: each result
// depends on the arguments alone.
package route
