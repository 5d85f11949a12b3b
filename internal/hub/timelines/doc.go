// Package timelines is part of hop 7 of 8: it keeps the timeline of a cluster, which is what happened
// there, while a page shows one.
//
// In: the record of a cluster, and questions with a filter, lanes and a range of time. Out: a picture
// for each question that is due, and the newest entries as rows of a list.
package timelines
