// Package logs is part of hop 7 of 8: the tab that shows what the containers of a pod
// write, or those of all the pods of an owner.
//
// In: versions of the object, the pods that belong to it, streams of log text, and the
// tab's options. Out: documents with the rows of a window and the state of each container's
// log, and the text of a file that is saved or of lines that are copied.
package logs
