// Package inspection is a noun of the seam between worker and page: what the worker says of itself. It is one document,
// which watchglass.inspect() shows to scripts and the inspector draws.
//
// In: what the hub fills in. Out: the same, as JSON with a name for each value.
package inspection
