// Package facets is part of hop 8 of 8: the pane beside the list on the page, with the namespaces and the other
// facets that filter the list, which can also be grouped by one of them.
//
// In: the counts that the worker sent, and what the user clicks and types. Out: namespaces, filter, group and sum in
// the page's address, and the drawn pane. The package reaches the page only through its Host.
package facets
