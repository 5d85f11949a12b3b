// Package dom is part of hop 8 of 8: the browser's side of the page. Only it, web/grid and internal/port touch the document,
// the browser's storage and files, and window.watchglass, the API for scripts.
//
// In: the browser's events, scripts' calls, and the page's calls of its Browser. Out: calls of the page, its Host, and what
// the browser shows, stores and saves. It listens on the document, and finds the action of an event in the attributes of
// its element.
package dom
