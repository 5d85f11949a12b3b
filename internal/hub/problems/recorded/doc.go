//go:build !js

// Package recorded is a seam for tests: what a cluster with real controllers answered, and the rows that the list of
// problems must have of it. The tests of e2e/problems write the recordings; a native test shows them to the real hub.
//
// In: the faults of testdata, with their rows, and the answers of an apiserver. Out: a tab without a browser, which
// reads the answers through the relay, and how its rows differ from the faults'.
package recorded
