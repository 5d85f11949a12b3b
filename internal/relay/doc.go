//go:build !js

// Package relay is hop 2 of 8: it takes the apiserver's lists and watches from
// hop 1 and hands them, framed, to the tab at the other end of one WebSocket.
//
// It is a GET tunnel with a policy. The tab never sends a path: it sends a
// wire.Request, and the relay builds the URL of it, and knows only how to read.
// Objects pass as the apiserver wrote them, except for what is withheld here, in
// the stream: managedFields, and the values of Secrets. A Secret is rebuilt from
// the fields that may pass; its annotations keep their names.
//
// Nothing queues without bound. A stream whose tab gives no credit is not read,
// and the apiserver does with a slow reader what it does.
package relay
