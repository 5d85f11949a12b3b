//go:build !js

// Package demo is a demo cluster, at hop 1 in place of a real one.
//
// In: a seed, a size and a clock. Out: an http.Handler that answers like an apiserver, over a
// cluster in memory in which things happen.
//
// Everything follows from the seed and the start time. Events are a queue of timed steps. A
// step reads the time of the queue and the numbers of the seed, and nothing else. So two
// clusters with the same seed at the same time hold the same bytes, whether they got there in
// one go or in many.
package demo
