// Package log is part of hop 7 of 8: it stores what containers write, ordered by time, within a
// limit of memory.
//
// In: chunks of many containers' logs as they come, and a filter, a search and a window. Out:
// the rows of the window, what was dropped, and everything stored as a file. It knows no
// streams and never waits.
package log
