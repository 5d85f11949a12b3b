// Package text measures and breaks a line of text on a screen with a monospaced font. It does
// no I/O.
//
// In: any text. Out: its width, where it breaks, and replacements for characters that cannot be
// shown.
package text
