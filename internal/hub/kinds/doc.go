// Package kinds is part of hop 7 of 8, the hub's knowledge of one server: which kinds it
// serves, how it prints them, and which kinds were seen to own objects of which.
//
// In: discovery documents, the server's version and definitions, owner references. Out: a
// kind by any name that kubectl accepts, ready to decode its objects.
package kinds
