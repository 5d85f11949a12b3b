//go:build !js

// Package api is the apiserver of the demo cluster, which stands at hop 1 where
// a real one would: it takes HTTP requests and hands out what kube-apiserver
// would answer, from a store of encoded objects. It reads only: every method
// that writes is refused, but for the reviews of who one is and what one may.
//
// What it says is held to what kube-apiserver says by one contract, which is
// run against both. Where they differ on purpose: built-in kinds are not
// printed as Tables, so that whoever prints them is never checked against
// himself, and there is no YAML.
package api
