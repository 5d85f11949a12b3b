// Package line is a noun: a line that a program has logged. It does no I/O.
//
// In: the text of a line, without escapes. Out: its level, where its time and its message are,
// its fields, and whether it continues the line before it, as in a stack trace.
//
// JSON and logfmt are read by their syntax. Other formats are read by what nearly all of them
// share: a time, a level and a few words in brackets at the beginning, and key=value pairs or a
// JSON object at the end. What is not recognised remains part of the message, so no text is ever
// lost.
package line
