//go:build !js

// Package contract is a seam for tests: the behaviour that the demo's apiserver and a real one
// must share.
//
// In: an apiserver, as a base URL and a RoundTripper. Out: failures of the given testing.T.
//
// It reads over plain HTTP and changes nothing. The cluster may change while it reads. It needs
// some pods and namespaces, and pods that keep changing.
package contract
