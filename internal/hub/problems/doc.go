// Package problems is part of hop 7 of 8: the list of problems, as a source whose rows the hub makes
// itself.
//
// In: the lists that the rules of package problem read, leased from a cluster. Out: a stream of rows
// that a Reflector reads like the relay's, so that lists of problems are filtered, sorted and shared
// like any other, and an Overview with counts, their history and the last rollouts.
package problems
