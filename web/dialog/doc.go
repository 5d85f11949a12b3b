// Package dialog is part of hop 8 of 8: the place of the page's dialogs. One is open at a time. What it shows and does
// is the business of the part that opened it.
//
// In: the dialog to show, and keys and texts while it is open. Out: the drawn dialog, and keys and texts for it; it
// takes the page's shortcuts away from what is behind it. The package may reach the shared pieces (web/ui), and no part
// of the page.
package dialog
