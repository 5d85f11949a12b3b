// Package problem is a noun: what is wrong in a cluster, and why.
//
// In: changes of objects, as hops 4 to 7 carry them, and the time. Out: a Row for each cause,
// grouped by the workload that owns the objects, with words, severity and evidence; the totals of
// the overview; and the last rollouts.
//
// The packages below read and judge: facts reads an object, rule judges it alone, joint beside others, and topic has the
// events about it. An Engine here keeps their causes, and the facts that decide whether causes of other objects count, and
// no memory of a healthy pod. It groups causes, dates them, and says which explain others. It does no I/O and starts no
// goroutine.
package problem
