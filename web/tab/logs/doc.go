// Package logs is part of hop 8 of 8: the Logs tab of an open object.
//
// In: windows of the log and the lines of files, from the worker, and what the user picks, types and scrolls. Out: the drawn
// tab, the rows in view, and the options with which the worker reads, filters and searches. It reaches the page through
// tab.Host only.
package logs
