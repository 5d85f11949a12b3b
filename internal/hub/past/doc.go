// Package past is part of hop 7 of 8: the moment that a page shows, and the files of recordings that it opens and saves.
// It reaches the page only through its Host, and clusters of the past only through its Hub.
//
// In: a page's requests for a moment (port.Travel), the pieces of a file that it opens, and the history of its cluster.
// Out: the moment shown and the range to choose from, and the pieces of a file that it saves.
package past
