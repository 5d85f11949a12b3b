// Package text is a noun: a line of text as a screen of letters of one width has
// it. It does no I/O.
//
// In: what somebody wrote, whatever it holds. Out: how wide it is, where it breaks,
// and what is shown for what cannot be.
package text
