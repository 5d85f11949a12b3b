// Package facts is a noun: what is read of one object before anything judges it.
//
// In: an object, with the columns of its list. Out: the Facts that decide about other objects, such as the selector of a
// Service; whether the object may have causes, so that its document is worth reading; and the Totals of the overview.
//
// A Reader uses cells and, for what they do not show, a scan of a few fields. It keeps nothing of an object.
package facts
