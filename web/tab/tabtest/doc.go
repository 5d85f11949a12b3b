// Package tabtest is part of hop 8 of 8, for the tests of tabs: a page that does nothing.
//
// In: what a test says of the open object and of the page. Out: the same, as a tab.Host. The package holds no lock and
// reaches no browser.
package tabtest
