//go:build !js

// Package edgetest is a browser, for tests of what stands before hop 2: it has a key like the one
// that a real browser makes with WebCrypto.
//
// In: what a request is for and where it goes. Out: the headers and the hello that prove which
// browser sends it. It shares no code with package edge, which it tests.
package edgetest
