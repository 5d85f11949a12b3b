//go:build !js

// Package api is the apiserver of the demo cluster, at hop 1 where a real one would be.
//
// In: HTTP requests, and a store of encoded objects. Out: the answers that kube-apiserver
// would give. It is read-only: it refuses every method that writes, except reviews of the user
// and of permissions.
//
// One contract (package contract) is run against this apiserver and a real one. They differ on
// purpose in two ways. Built-in kinds are not printed as Tables, so that the tab's printers
// are never compared with themselves. There is no YAML.
package api
