//go:build !js

// Command watchglass shows a Kubernetes cluster live in a browser tab: it
// reaches the apiserver as you do with kubectl, serves the page, and relays lists
// and watches to it. It cannot change anything: no code in it makes a request
// that writes.
//
// In: flags, the environment, a file with the same, a kubeconfig. Out: an address to
// open, and for operators logs, metrics and health. This package wires hops 1 and 2
// and the door together, and serves; nothing clever.
package main
