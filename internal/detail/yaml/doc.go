// Package yaml is of hop 7 of 8: the YAML of an object, to be read by people.
//
// In: YAML as kubectl prints it, again and again. Out: rows of a page: what each piece
// of them is, where lines fold, which are new, and where a word stands. It does no I/O,
// and knows neither the worker nor the page.
package yaml
