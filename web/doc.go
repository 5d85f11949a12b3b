// Package web is the page around the grid: the top line that says what is true,
// the kinds, the namespaces, the words on errors, addresses and keys.
//
// In: the worker's patches and states, and what a person does. Out: what is
// asked of the worker, and a page. A Page decides, and knows no browser; the
// shell draws what it says with go-app; the one file that touches the browser
// brings it what happens there.
package web
