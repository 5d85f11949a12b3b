//go:build !js

// Package relay is hop 2 of 8: one browser connection, and the requests that it makes.
//
// In: requests and credit from the tab, over one WebSocket, and the apiserver's answers from
// hop 1. Out: those answers in frames, to the tab's end of the WebSocket.
//
// It is a GET tunnel with a policy. The tab never sends a path: it sends a wire.Request, and
// the relay builds the URL. The relay can only read. Objects pass as the apiserver wrote them,
// with two exceptions, applied while they stream: managedFields are dropped, and Secrets are
// rebuilt without values from the fields that may pass. The annotations of a Secret keep their
// names.
//
// Streams that watch the same as the same user share one watch of the apiserver; see Sharing.
//
// Nothing queues without bound. The relay stops reading a stream when the tab gives no credit;
// the apiserver then treats it like any slow reader.
package relay
