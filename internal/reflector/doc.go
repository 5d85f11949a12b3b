// Package reflector is hop 4 of 8: it takes the streams of hop 3 and hands hop 5
// the objects of one source, kept as the server has them.
//
// It asks for what there is and then for what changes: in one watch-list where
// the server has it, else in a list and a watch. From then on it resumes: a
// watch that ends, for whatever reason, is followed by one from the version
// that was reached. Only a version that the server has forgotten makes it list
// anew, and then the new list replaces the old at once. What the user may list but
// not watch is listed anew every now and then (poll.go).
//
// A server that answers after an outage need not be the one that was left, and
// one that was restored from a backup says nothing of it. So where there is doubt
// it is asked before a watch goes on, and an outage is followed by one comparison of
// everything (doubt.go, audit.go).
//
// What it does at each error is client-go's, where that is right; what differs
// is said where it does.
package reflector
