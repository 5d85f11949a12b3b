// Package whocan is part of hop 8 of 8: the Access tab, with who can do what to an object, or to all objects of a kind.
//
// In: subjects and their verbs, from the worker, which reads roles and bindings. Out: the drawn table, with the roles that
// could not be read, and the filters, which are in the address, for the worker. It reaches the page only through its Host,
// which is tab.Host with the namespaces of the list and the shell for commands.
package whocan
