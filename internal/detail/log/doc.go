// Package log is hop 7 of 8, of logs: it takes what containers write, and holds as
// much of it as there is room for, in the order of its time.
//
// In: chunks as they come, of many containers, and what is asked: a filter, a search,
// a window. Out: the rows of the window, what was dropped, and all that is held as a
// file. It is pure: it knows no stream, and never waits.
package log
