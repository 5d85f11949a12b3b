//go:build !js

// Package demo is a cluster to show, at hop 1 in the place of a real one: it
// takes a seed, a size and a clock, and hands out an http.Handler that answers
// as an apiserver would, over a cluster in memory that lives.
//
// Everything in it follows from the seed and the time of its start. Life is a
// queue of steps, each at its own time; a step reads the clock of the queue and
// the numbers of the seed, and nothing else. So a cluster of the same seed that
// has been taken to the same time holds the same bytes, whether it got there in
// one go or in many.
package demo
