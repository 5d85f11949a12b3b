package kubeconfig_test

import (
	"bytes"
	"context"
	"sync"
	"testing"

	"watchglass/e2e/cluster"
)

// binaries are built when they are not there; the first row waits for them.
var binaries = sync.OnceValues(func() (cluster.Binaries, error) { return cluster.Build(context.Background(), nil) })

func kubectlPath(t *testing.T) string {
	t.Helper()
	b, err := binaries()
	if err != nil {
		t.Fatal(err)
	}
	return b.Kubectl
}

// kubectl lists pods, and returns what it said on stderr.
func (p *place) kubectl(t *testing.T, env, args []string) (said string, err error) {
	t.Helper()
	return p.kubectlIn(t, "", env, args)
}

// kubectlIn does the same in a folder, or where programs usually run.
func (p *place) kubectlIn(t *testing.T, dir string, env, args []string) (said string, err error) {
	t.Helper()
	c := p.command(t, kubectlPath(t), env, append([]string{"get", "pods"}, args...))
	if dir != "" {
		c.Dir = dir
	}
	var stderr bytes.Buffer
	c.Stderr = &stderr
	err = c.Run()
	return stderr.String(), err
}
