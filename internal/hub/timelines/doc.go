// Package timelines is hop 7 for what happened: it keeps the timeline of a cluster while a page looks
// at one, and draws it.
//
// In: the record of a cluster and questions. Out: a picture of each question that is due, and the
// newest entries as rows of a list.
package timelines
