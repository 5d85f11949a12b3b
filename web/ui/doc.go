// Package ui is part of hop 8 of 8: the pieces of the page that its parts share, such as buttons, banners, sparklines,
// and bars that a brush narrows, with the types of actions, keys and files, and the names that both the parts and the
// browser's side know elements by.
//
// In: texts, numbers, and the actions that elements have. Out: drawn elements, which know nothing of the page: a click
// or a key becomes an action, and the page finds the part that handles it. The package may reach go-app, series of numbers
// (series) and what long texts are painted from (web/grid), and no part of the page, no address and no browser. It has
// no state.
package ui
