// Package port is the seam between page and worker: what the page asks and what
// the worker shows, as messages of bytes.
//
// In and out: a Look, a Focus and an Ask go to the worker; a Patch, a Detail, a State and
// an Answer come back. The same messages cross a Worker's port, a SharedWorker's port and
// a pipe in memory; nothing in them says which.
package port
