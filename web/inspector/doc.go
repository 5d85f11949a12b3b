// Package inspector is part of hop 8 of 8: the page's inspector, a dialog which shows what the worker is doing: every
// source, its traffic and its checks.
//
// In: the worker's account of itself, for which it asks every two seconds while it is open. Out: the drawn dialog, and
// the same as a text for a bug report, which has no names of objects, hosts or contexts. The package may reach the
// dialogs and the shared pieces (web/dialog, web/ui, web/words), and the page only through its Host.
package inspector
