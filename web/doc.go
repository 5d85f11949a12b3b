// Package web is part of hop 8 of 8, the page around the grid: the top bar, the kinds, the
// facets, the open object, dialogs, addresses and keys.
//
// In: the worker's patches, states and details, and what the browser reports. Out: questions for
// the worker, and what is drawn. A Page holds the lock and hands each report to a part; a part
// owns its state, its actions and its drawing, and knows no browser. The shell draws the parts
// with go-app; browser_js.go is the one file that touches the browser. One variable of the
// package changes, thePage, since go-app makes components of nothing but their type.
package web
