// Package port is the seam between page and worker: the messages that they exchange, as bytes.
//
// In: a ListQuery, a Focus and an Ask, from the page to the worker. Out: a Patch, a Detail, a State
// and an Answer, from the worker to the page. The same messages cross a Worker's port, a
// SharedWorker's port and a pipe in memory, and do not say which.
package port
