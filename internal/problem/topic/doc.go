// Package topic is a noun: what the events about one object say.
//
// In: the events, as they come and go. Out: a Topic for those with the same reason, of which one speaks for all: what
// explains a cause that the object has, and what is a cause on its own.
package topic
