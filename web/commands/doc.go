// Package commands is part of hop 8 of 8: the dialog of kubectl commands for an object of the page, and the shell that
// the user's commands are quoted for.
//
// In: the object that keys act on, and keys. Out: the drawn dialog, and the text of a command for the clipboard: it runs
// nothing. The texts come from web/kubectl. The package may reach that, the dialogs and the shared pieces
// (web/kubectl, web/dialog, web/ui), and no other part of the page.
package commands
