// Package compare is part of hop 8 of 8: the Compare tab of an open object, with the object beside the one that is marked,
// which may be of another context.
//
// In: the fields that differ, from the worker, the marked object, and what the user allows a context to do. Out: the
// drawn tab, the comparison as a text, and which contexts the worker connects to. It reaches the page through Host only,
// which is tab.Host and what is about marks and contexts.
package compare
