// Package focus is part of hop 7 of 8: an object that a page has open, and the tab of it that is on screen. It reaches
// the cluster that the object is of, and the page only through its Host.
//
// In: a port.Focus, and what the object's source reports. Out: the object's head, and the documents of the tab.
package focus
