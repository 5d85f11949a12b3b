// Package web is part of hop 8 of 8, the page around the grid: the top bar, the kinds, the drawer with the open
// object, keys, and what joins the packages below it into one page.
//
// In: the worker's patches, states and details, and what the browser reports. Out: requests to the
// worker, and the drawn page. A Page holds the lock and passes each report to a part. A part owns
// its state, its actions and its drawing, and does not touch the browser. Most parts are packages below this one,
// such as list and filter: each says in its Host what it needs of the page, which has that in host.go and host_*.go.
// What the page shows is in its address, a route.Address, which the parts change. The shell draws the parts with
// go-app; browser_js.go is the only file that touches the browser. The package has one variable that
// changes, thePage, because go-app creates components from nothing but their type.
package web
