// Package chart is part of hop 8 of 8: timelines as charts of bars and lanes, above the list and in a tab of the open
// object, and the keys and the pointer in all bars of the page.
//
// In: the worker's pictures of timelines, and keys and the pointer. Out: requests for timelines, each for as many bars as
// there is room for, and the drawn charts. A ui.Brush has what is selected. The package reaches the page only through its
// Host, which for the chart above the list is ListHost.
package chart
