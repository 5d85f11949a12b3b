// Package related is part of hop 7: what belongs to what, for the tab that shows it.
//
// In: the objects of some sources as they come and go, and one of them, the focus.
// Out: a Graph of it with its owners, what it owns, and what selects, mounts, routes
// to or scales any of these; where each node of it stands when it is drawn; and the
// same as a tree of lines; and which kinds the focus may own objects of. It is pure: it
// knows no source, and never waits.
//
// An object tells what it refers to by a few paths into its packed bytes, which
// stand in a table. An Index keeps who refers to whom in both directions.
package related
