// Package rewrite replaces texts in the bytes of an object, as a recording does to redact them.
//
// In: a payload as the apiserver sent it, an earlier version of it with its result, and an Edit that decides about
// each text. Out: the payload with the edited texts; no field that the schema does not know. Nothing is decoded
// into a tree, and what equals the earlier version is copied. It stands beside hop 7, where a recording is written.
package rewrite
