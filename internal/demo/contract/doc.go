//go:build !js

// Package contract is a seam for tests: what the demo's apiserver and a real one
// must both do. It takes an apiserver, as a base URL and a RoundTripper, and hands
// its testing.T whatever is not so.
//
// It reads over plain HTTP, and changes nothing. What it reads may change while
// it does; it needs some pods and namespaces, and that pods go on changing.
package contract
