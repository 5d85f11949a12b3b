// Package series is a noun: what a number was in the last 15 minutes.
//
// In: the number, at any time. Out: one value for each step of 15 seconds, which a sparkline draws.
package series
