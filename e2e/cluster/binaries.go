package cluster

import (
	"context"
	"fmt"
	"path/filepath"

	"watchglass/e2e/tools"
)

// Version is the Kubernetes release that is run. It must be the one that
// e2e/go.mod requires, since the binaries are built from that module.
const Version = "v1.36.3"

// Binaries are the paths of the programs a cluster is made of.
type Binaries struct {
	Etcd              string
	Etcdutl           string
	APIServer         string
	ControllerManager string
	Scheduler         string
	Kubectl           string
}

// Without these the apiserver reports v0.0.0 under /version, and clients that
// look at the server's version take it for an ancient one. etcd has no such variables.
const versionFlags = "-X k8s.io/component-base/version.gitVersion=" + Version +
	" -X k8s.io/component-base/version.gitMajor=1" +
	" -X k8s.io/component-base/version.gitMinor=36"

var programs = []tools.Program{
	{Name: "etcd", Package: "go.etcd.io/etcd/server/v3"},
	{Name: "etcdutl", Package: "go.etcd.io/etcd/etcdutl/v3"},
	{Name: "kube-apiserver", Package: "k8s.io/kubernetes/cmd/kube-apiserver"},
	{Name: "kube-controller-manager", Package: "k8s.io/kubernetes/cmd/kube-controller-manager"},
	{Name: "kube-scheduler", Package: "k8s.io/kubernetes/cmd/kube-scheduler"},
	{Name: "kubectl", Package: "k8s.io/kubernetes/cmd/kubectl"},
}

// Build returns the paths of the binaries and builds the ones that are missing,
// with nothing but the go command. They are kept in
// $WATCHGLASS_CACHE/controlplane/VERSION, where $WATCHGLASS_CACHE defaults to
// the folder watchglass in the user's cache. The first build takes minutes, so
// log (which may be nil) hears what is built and how long it took.
func Build(ctx context.Context, log func(format string, args ...any)) (Binaries, error) {
	cache, err := tools.CacheDir()
	if err != nil {
		return Binaries{}, fmt.Errorf("find the cache for the control plane: %w", err)
	}
	dir := filepath.Join(cache, "controlplane", Version)
	// Package tools is in the module watchglass/e2e, whose go.mod pins the versions.
	p := tools.Programs{Title: "the control plane " + Version, Dir: dir, Module: tools.Dir(), LDFlags: versionFlags, List: programs}
	if err := p.Build(ctx, log); err != nil {
		return Binaries{}, err
	}
	return Binaries{
		Etcd:              filepath.Join(dir, "etcd"),
		Etcdutl:           filepath.Join(dir, "etcdutl"),
		APIServer:         filepath.Join(dir, "kube-apiserver"),
		ControllerManager: filepath.Join(dir, "kube-controller-manager"),
		Scheduler:         filepath.Join(dir, "kube-scheduler"),
		Kubectl:           filepath.Join(dir, "kubectl"),
	}, nil
}
