package main

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"watchglass/e2e/cluster"
)

// Programs that are not ours and not client-go's.
const (
	kubectlGet nativeKind = "kubectl"
	clientNode nativeKind = "client-node"
)

const clientNodeVersion = "1.4.0" // the last that runs under the Node of the tests

// clientNodeScript has the informer of @kubernetes/client-node list all pods, in pages, as its list
// of 100,000 would be longer than a string may be.
//
//go:embed clientnode.js
var clientNodeScript string

// program returns the path of what a kind runs: kubectl, or the folder with client-node.
func (k nativeKind) program(ctx context.Context) (string, error) {
	switch k {
	case kubectlGet:
		binaries, err := cluster.Build(ctx, func(string, ...any) {})
		return binaries.Kubectl, err
	case clientNode:
		return installed(ctx, "@kubernetes/client-node", clientNodeVersion)
	}
	return "", nil
}

// installed returns the folder in which npm has installed a package, from the cache or now.
func installed(ctx context.Context, name, version string) (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(cache, "watchglass", filepath.Base(name), version)
	if _, err := os.Stat(dir); err == nil {
		return dir, nil
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return "", err
	}
	part, err := os.MkdirTemp(filepath.Dir(dir), "part-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(part)
	npm := exec.CommandContext(ctx, "npm", "install", "--prefix", part, "--silent", "--no-audit", "--no-fund", "--ignore-scripts", name+"@"+version)
	if out, err := npm.CombinedOutput(); err != nil {
		return "", fmt.Errorf("npm install %s: %w: %s", name, err, out)
	}
	return dir, os.Rename(part, dir)
}

// runProgram has a program read all pods. What it takes to start is counted for kubectl, as whoever
// types it waits for that, and not for Node, as little as for client-go's informers.
func runProgram(ctx context.Context, kind nativeKind, program, kubeconfig string) (r nativeResult, err error) {
	cmd := exec.CommandContext(ctx, program, "get", "pods", "--all-namespaces", "--no-headers", "--kubeconfig="+kubeconfig)
	cmd.Env = append(os.Environ(), "KUBERC=off", "KUBECACHEDIR="+filepath.Join(filepath.Dir(kubeconfig), "kubectl-cache"))
	if kind == clientNode {
		cmd = exec.CommandContext(ctx, "node", "--expose-gc", "--max-old-space-size=8192", "--input-type=module", "-e", clientNodeScript, kubeconfig)
		cmd.Dir = program
	}
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	begin := time.Now()
	if err := cmd.Run(); err != nil {
		return r, fmt.Errorf("%w: %s", err, strings.TrimSpace(stderr.String()))
	}
	r.Took, r.Objects = time.Since(begin), bytes.Count(stdout.Bytes(), []byte{'\n'})
	if kind == clientNode {
		if err := json.Unmarshal(stdout.Bytes(), &r); err != nil {
			return r, err
		}
	}
	used, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	if !ok {
		return r, errors.New("the system does not say what a process used")
	}
	r.MaxRSS = used.Maxrss << 10
	return r, nil
}
