// Package panel is part of hop 8 of 8: what the page says of the list in place of rows and in the banner above them: its
// state, what is wrong with the query, what could not be read, and what the user can do about that.
//
// In: the state, the window and the query of the list, and what is known of rights, the past and the problems. Out: the drawn
// panel and banner, the notes in the headings, and the gaps for the count and for exports. The package has no state, and
// reaches the page and its other parts only through its Host and the interfaces beside it.
package panel
