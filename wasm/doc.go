// Package main is the program that runs in the tab, twice, in two roles: as the
// page it is what a person sees (package web), as the worker it is hops 3 to 7.
// It only puts these together.
//
// In: a role, which depends on whether there is a document. Out: a page that shows what
// the worker keeps.
package main
