// Package notice is part of hop 8 of 8: the short message at the edge of the page, which disappears by itself.
//
// In: a text, and what its button does, from any part of the page. Out: the drawn notice. The package reaches the page only
// through its Host.
package notice
