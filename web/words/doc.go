// Package words is part of hop 8 of 8: the texts of the page that depend on data alone, such as what is wrong with a
// list and what to do about it, how long ago something was, and what changed in an image.
//
// In: states, gaps, totals and nodes as the worker sends them, numbers and times. Out: texts, some with a tone. The
// package may reach the types that cross the port and the objects' descriptions (port, wire, view, series, detail,
// history/timeline), and no markup, address, grid or browser. It has no state: each result depends on the arguments
// alone.
package words
