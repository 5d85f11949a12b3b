// Package commands is part of hop 8 of 8: the dialog of kubectl commands for an object of the page, and the shell that
// the user's commands are quoted for.
//
// In: the object that keys act on, and keys. Out: the drawn dialog, and the text of a command for the clipboard: it runs
// nothing. The package may reach the texts of commands, quoting, the dialogs and the shared pieces (web/kubectl, quote,
// web/dialog, web/ui), and the page only through its Host.
package commands
