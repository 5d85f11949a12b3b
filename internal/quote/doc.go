// Package quote is a noun: a command, as it is typed into a shell.
//
// In: the words of a command, and the shell that it is meant for.
// Out: the words as that shell reads them back, or why it cannot be given one of them.
// No such command runs anything else, whichever of the shells it is pasted into.
package quote
