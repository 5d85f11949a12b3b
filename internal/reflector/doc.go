// Package reflector is hop 4 of 8: it takes the streams of hop 3 and hands hop 5 the objects of one
// source, as the server has them.
//
// It lists and then watches: with one watch-list where the server has it, otherwise with a list and
// a watch. A watch that ends, for whatever reason, is followed by one from the version that was
// reached (resume.go). Only when the server has forgotten that version, or so much has changed that a list
// is faster, does it list again, and then the new list replaces the old one at once. A source that the user
// may list but not watch is polled (wait.go).
//
// A server that answers after an outage may be another one, and one that was restored from a backup
// does not say so. So where there is doubt, the server is asked before anything of a watch is read,
// and an outage is followed by one comparison of everything (identity.go, audit.go). Audit requests such
// a comparison at any other time; a difference makes the source list again.
//
// A run may start from objects saved by an earlier one, and resumes from their version (resume.go).
//
// A run goes from state to state (run.go). When nothing fails, it goes this way:
//
//	starting ─┬→ listingByWatch ──────────────────────────┬→ watching ─┐
//	          ├→ listingByPage ─┬→ opening ─┬─────────────┤            │
//	          └→ restoring ─────┤           └→ verifying ─┘            │
//	                            └───────────── next watch ─────────────┘
//
// These are the states and all arrows between them:
//
//	starting        chooses how to list            → listingByWatch, listingByPage, restoring
//	restoring       restores saved objects         → opening, starting
//	listingByWatch  lists with a watch-list        → watching, listingByWatch, listingByPage, relisting
//	listingByPage   lists, one page at a time      → opening, listingByPage, waiting, relisting
//	opening         requests a watch               → watching, verifying, opening, waiting, waitingToPoll, relisting
//	verifying       asks who accepted the watch    → watching, opening, waiting, waitingToPoll, relisting
//	watching        hands over what changes        → opening, waiting, relisting
//	waiting         backs off after an error       → opening, listingByPage, relisting, starting
//	waitingToPoll   waits for the next list        → starting
//	relisting       decides how soon to list again → starting, waiting
//
// What outlives a state is kept in a few small types: what the server supports and refuses (server.go),
// whether it is still the same one (identity.go), the version that was reached (resume.go), what the sink
// was given (source.go), the last complete list (list.go), and when the next attempt is due (wait.go).
//
// What it does at each error is what client-go does, where that is right. Where it differs, a
// comment says why.
package reflector
