// Package text is a noun: what objects say, as the words of a row.
//
// In: messages, names and numbers of objects, which anybody may have written. Out: short texts of one line, cut to what is
// specific, without characters that cannot be seen; and a Table, lists of words by a key.
package text
