// Package chart is part of hop 8 of 8, the page around the grid: timelines as charts of bars and lanes, above the list and
// beside an object, and the keys and the pointer in all bars of the page.
//
// In: the hub's pictures of timelines, and what the user does. Out: requests for timelines, and the drawn charts. A chart
// asks for as many bars as it has room for. What is pointed at and selected is a ui.Brush. What the page is asked for
// stands in Host, and in ListHost for the chart above the list.
package chart
