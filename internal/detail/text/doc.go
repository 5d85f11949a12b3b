// Package text is a noun: a line of text on a screen with letters of one width. It does no I/O.
//
// In: any text. Out: its width, where it breaks, and replacements for characters that cannot be
// shown.
package text
