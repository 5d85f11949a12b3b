// Package local is part of hop 7 of 8: the kinds whose rows the hub makes itself, such as problems and releases. Whoever
// reads a source asks here whether the server has it, and need not know which kinds these are.
//
// In: what each such kind is, and who makes its rows. Out: the kind of a request or a name, if the hub makes its rows.
package local
