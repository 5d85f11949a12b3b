// Package focus is part of hop 7 of 8: an open object of a page, kept live, with the tab of it that shows. It reaches the
// cluster that the object is of, and the page only through a Host.
//
// In: a Focus of the page, and what the object's source reports. Out: the head of the object, and the documents of its
// panes.
package focus
