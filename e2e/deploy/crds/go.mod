// The projects whose CRDs the tests install. Nothing imports them, so go mod tidy would
// remove them.
module watchglass/e2e/deploy/crds

go 1.26.0

require (
	github.com/prometheus-operator/prometheus-operator v0.85.0
	sigs.k8s.io/gateway-api v1.6.3
)
