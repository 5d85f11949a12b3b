// Package access is part of hop 8 of 8: what the user of the page may list, as far as it is known, and the namespaces that
// the user added because no list of them may be read.
//
// In: the rights that the worker reported, the states of lists, and the namespaces that the user types. Out: the
// namespaces to list, which the worker and the browser's storage are given, and what is denied, in words and buttons. The
// package reaches the page only through its Host.
package access
