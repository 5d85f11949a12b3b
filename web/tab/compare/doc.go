// Package compare is part of hop 8 of 8: the Compare tab of an open object, with the object beside the one that is marked,
// which may be of another context.
//
// In: the fields that differ, from the worker, the marked object, and the contexts that the user allows to connect to. Out:
// the drawn tab, the comparison as a text, and which contexts the worker connects to. It reaches the page only through
// its Host, which is tab.Host with the mark and the contexts.
package compare
