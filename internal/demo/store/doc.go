//go:build !js

// Package store is what etcd is to the demo cluster of hop 1: it takes encoded
// objects, one after the other, gives each write the next version, and hands out
// whole states at a version, and the events since one.
//
// Objects are immutable, and so is a state: whoever has one reads it without a
// lock, however long that takes, while writes go on. Nothing is queued for a
// reader: it comes back for the events since the last it has seen, and if it
// stayed away for longer than the history reaches, it is told so.
package store
