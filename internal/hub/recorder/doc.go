// Package recorder is part of hop 7 of 8: it tells the history of a cluster what happens in its sources, and when it may
// have missed something. It reads the sources that it is given, and knows nothing of the cluster.
//
// In: the changes and states of informers. Out: inputs of package history.
package recorder
