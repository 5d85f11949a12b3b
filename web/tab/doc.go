// Package tab is part of hop 8 of 8: the interfaces between the page and a tab of the open object. Tab is what the page
// calls, Host what a tab may ask of the page.
//
// In: documents about the object from the worker, and actions and texts from the user. Out: the drawn tab, and the options
// with which the worker is asked. Each tab is a package below this one, and knows no other. Package drawer has a table with
// a row for each (tabs.go), and package web implements Host (host_drawer.go). The package has no state.
package tab
