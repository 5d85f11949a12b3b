// Package loop is part of hop 7 of 8: the one goroutine that all state of the hub belongs to. It imports nothing of
// the hub; clusters, lists and objects run on it.
//
// In: functions and requests for a step, from any goroutine. Out: both, one after another, to the
// hub, which runs the loop.
package loop
