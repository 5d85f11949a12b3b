// Package problem is a noun: what is wrong in a cluster, and why.
//
// In: changes of objects, as hops 4 to 7 carry them, and the time. Out: a Row for each cause,
// grouped by the workload that owns the objects, with words, severity and evidence; the totals of
// the overview; and the last rollouts.
//
// A table of rules says what is wrong with one object, from its document alone. Each Cause has the
// time from which, and until which, it holds, so that an object is read once per version and time
// alone needs no second reading. An Engine keeps the causes, the facts of other objects that
// decide whether they count, and no memory of a healthy pod. It does no I/O and starts no
// goroutine.
package problem
