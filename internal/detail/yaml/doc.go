// Package yaml is part of hop 7 of 8: it lays out the YAML of an object for reading.
//
// In: successive versions of the YAML, as kubectl prints it. Out: rows for the page, with the
// role of each piece, where lines fold, which lines are new, and where a word was found. It
// does no I/O, and knows neither the worker nor the page.
package yaml
