// Package tab is part of hop 8 of 8: what a tab of the open object is to the page, and what it may ask of the page.
//
// In: documents about the object from the worker, and what the user does in the tab. Out: the drawn tab, and the options
// with which the worker is asked. Each tab is a package below this one, and knows no other. Package web
// has a table with a row for each (drawer_tabs.go), and implements Host (host_tab.go). The package has no state.
package tab
