// Package quote is a noun: a command line for a shell.
//
// In: the words of a command, and the shell that will read it. Out: the words quoted for that
// shell, or the reason why one of them cannot be quoted. A quoted command runs nothing else, even
// if it is pasted into another of the shells.
package quote
