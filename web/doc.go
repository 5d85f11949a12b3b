// Package web is part of hop 8 of 8, the page around the grid: the top bar, the kinds, the
// facets, the open object, dialogs and keys.
//
// In: the worker's patches, states and details, and what the browser reports. Out: requests to the
// worker, and the drawn page. A Page holds the lock and passes each report to a part. A part owns
// its state, its actions and its drawing, and does not touch the browser. Most parts are packages
// below this one: each knows the page by an interface, Host. What the page shows is in
// its address, a route.Address, which the parts change. The shell draws the parts with go-app;
// browser_js.go is the only file that touches the browser. The package has one variable that
// changes, thePage, because go-app creates components from nothing but their type.
package web
