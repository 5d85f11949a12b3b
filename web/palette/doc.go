// Package palette is part of hop 8 of 8: the command palette of the page, which finds kinds, namespaces, views, commands
// and objects by name, and a kind in a namespace by both.
//
// In: the text, keys, entries of the other parts of the page (Host), and what the worker finds. Out: the drawn palette,
// and the action of the entry that the user chose. It keeps nothing while it is closed. The package may reach the
// address, what matches a text and the shared pieces (web/route, web/tools, web/ui, web/words), and the page only
// through its Host.
package palette
