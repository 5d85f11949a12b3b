// Package tabtest is part of hop 8 of 8, for the tests of tabs: a page that does nothing, and the text of what is drawn.
//
// In: the open object, the moment and the address, as a test sets them, and drawn elements. Out: a tab.Host that returns
// the same, and texts. The package has no lock and reaches no browser.
package tabtest
