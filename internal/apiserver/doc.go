//go:build !js

// Package apiserver is hop 1 of 8: the way to the Kubernetes apiserver, with credentials.
//
// In: flags and a kubeconfig, the credentials of a pod, or the demo cluster. Out: a base URL
// and a RoundTripper for hop 2. The RoundTripper adds all credentials, so no request carries
// or changes them.
//
// It resolves contexts as kubectl does, with client-go's own code. It is the only package that
// imports client-go.
package apiserver
