// Package drawer is part of hop 8 of 8: the open object beside the list on the page, in tabs, or who can access a kind as a
// whole, and the object that is marked to compare others with.
//
// In: the object, the tab and the mark in the page's address, the worker's details of it, and what the user does in its tabs.
// Out: a port.Focus, which asks the worker for the object, other objects and tabs in the address, and the drawn drawer. Each
// tab is a package below web/tab, and knows the drawer as its tab.Host. The package reaches the page only through its Host.
package drawer
