// Package meter reads the numbers of objects that a list sums: requests, restarts, how many are unhealthy. It stands beside
// view, in hop 7 of 8.
//
// In: objects, and the columns to sum. Out: Readings, and Sums of them, which print as their columns do. Most objects have the
// same readings as many others, so a Meter puts them into classes, and who sums counts classes.
package meter
