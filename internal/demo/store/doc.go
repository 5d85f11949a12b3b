//go:build !js

// Package store is the demo cluster's etcd, behind the apiserver of hop 1.
//
// In: encoded objects, one after the other; each write gets the next version. Out: the whole
// state at a version, and the events since one.
//
// Objects and states are immutable, so a state is read without a lock, for any length of time,
// while writes go on. Nothing is queued for a reader: it asks for the events since the last one
// that it has seen, and gets ErrExpired if the history no longer reaches back that far.
package store
