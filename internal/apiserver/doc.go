//go:build !js

// Package apiserver is hop 1 of 8: it takes flags and a kubeconfig, or the
// credentials a pod is given, or the demo cluster, and hands hop 2 the apiserver:
// a base URL and a RoundTripper that holds all credentials, so that no request
// can touch them.
//
// It resolves as kubectl does, because client-go's own code does it. It is the
// only package that imports client-go.
package apiserver
