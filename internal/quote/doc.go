// Package quote is a noun: a command line for a shell.
//
// In: the words of a command, and the shell that will read it. Out: the words quoted for that
// shell, or the reason why one of them cannot be. Such a command runs nothing else, whichever
// of the shells it is pasted into.
package quote
