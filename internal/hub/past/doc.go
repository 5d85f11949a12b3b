// Package past is part of hop 7 of 8: the moment that a page shows, and the files of recordings that it opens and saves.
// It reaches the page only through a Host, and clusters of the past through a Hub.
//
// In: the Travels and the pieces of files of the page, and what is remembered of its cluster. Out: the moment shown and
// the range to choose from, and the pieces of files that are saved.
package past
