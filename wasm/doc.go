// Package main is the program that the tab runs twice, in two roles. As the page it is what the
// user sees (package web); as the worker it is hops 3 to 7. It only connects these packages.
//
// In: a role; it is the page if there is a document. Out: a page that shows what the worker has
// loaded.
package main
