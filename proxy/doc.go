//go:build !js

// Command watchglass shows a live view of a Kubernetes cluster in a browser tab. It reaches
// the apiserver as kubectl does, serves the page, and relays lists and watches to it. It is
// read-only: no code in it makes a request that writes.
//
// In: flags, environment variables, a configuration file, a kubeconfig. Out: an address to
// open; for operators, logs, metrics and health checks. This package connects hops 1 and 2
// and package edge, and serves.
package main
