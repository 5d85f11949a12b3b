//go:build !js

// Package edgetest is a browser at the door, for tests: the key that a real one makes with
// WebCrypto, and what it signs.
//
// In: what a request is for and where it goes. Out: the headers and the hello that prove
// which browser sends it. It shares no code with the door, which it tests.
package edgetest
