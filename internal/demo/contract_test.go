//go:build !js

package demo_test

import (
	"context"
	"testing"
	"testing/synctest"

	"watchglass/internal/apiserver"
	"watchglass/internal/demo/contract"
)

// TestContract holds the demo, as the proxy reaches it, to what a real apiserver
// does; the tests of the whole hold a real one to the same. Each part has a
// bubble, which ends when nothing is left behind.
func TestContract(t *testing.T) {
	const databases = "/apis/data.example.com/v1/databases"
	for _, part := range contract.Parts {
		t.Run(part.Name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				target := apiserver.Demo(200, 3)
				ctx, cancel := context.WithCancel(t.Context())
				t.Cleanup(cancel)
				go target.Run(ctx)
				part.Test(t, contract.Server{Base: target.Base, Transport: target.Transport, Expired: 1, ExpiredKind: databases, Custom: databases})
			})
		})
	}
}
