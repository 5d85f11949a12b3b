//go:build !js

// Package apiserver is hop 1 of 8. In: flags and a kubeconfig, a pod's service account, or the
// demo cluster. Out: the apiserver for hop 2, which is a base URL and a RoundTripper that adds
// the credentials, so that no request has access to them.
//
// It resolves a kubeconfig as kubectl does, with client-go's own code. No other package imports
// client-go.
package apiserver
