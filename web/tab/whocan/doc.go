// Package whocan is part of hop 8 of 8: the Access tab, with who can do what to an object, or to all objects of a kind.
//
// In: subjects and their verbs from the worker, which reads roles and bindings. Out: the drawn table, what it does not
// know, and which subjects the worker is asked for: the filters are in the address. It reaches the page through Host
// only, which is tab.Host and what is about kinds as a whole and commands.
package whocan
