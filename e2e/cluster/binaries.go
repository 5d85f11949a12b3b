package cluster

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"time"
)

// Version is the Kubernetes release that is run. It must be the one that
// e2e/go.mod requires, since the binaries are built from that module.
const Version = "v1.36.3"

// Binaries are the paths of the programs a cluster is made of.
type Binaries struct {
	Etcd      string
	Etcdutl   string
	APIServer string
	Kubectl   string
}

// program is one binary and where its main package is.
type program struct {
	name    string // of the file
	pkg     string // a tool line of e2e/go.mod
	ldflags string
	remark  string // for those who wait
}

// Without these the apiserver reports v0.0.0 under /version, and clients that
// look at the server's version take it for an ancient one.
const versionFlags = " -X k8s.io/component-base/version.gitVersion=" + Version +
	" -X k8s.io/component-base/version.gitMajor=1" +
	" -X k8s.io/component-base/version.gitMinor=36"

var programs = []program{
	{name: "etcd", pkg: "go.etcd.io/etcd/server/v3"},
	{name: "etcdutl", pkg: "go.etcd.io/etcd/etcdutl/v3"},
	{name: "kube-apiserver", pkg: "k8s.io/kubernetes/cmd/kube-apiserver", ldflags: versionFlags, remark: " (takes minutes)"},
	{name: "kubectl", pkg: "k8s.io/kubernetes/cmd/kubectl", ldflags: versionFlags},
}

// Build returns the paths of the binaries and builds the ones that are missing,
// with nothing but the go command. They are kept in
// $WATCHGLASS_CACHE/controlplane/VERSION, where $WATCHGLASS_CACHE defaults to
// the folder watchglass in the user's cache. The first build takes minutes, so
// log (which may be nil) hears what is built and how long it took.
func Build(ctx context.Context, log func(format string, args ...any)) (Binaries, error) {
	if log == nil {
		log = func(string, ...any) {}
	}
	dir, err := binariesDir()
	if err != nil {
		return Binaries{}, fmt.Errorf("find the cache for the control plane: %w", err)
	}
	if len(missing(dir)) > 0 {
		if err := buildMissing(ctx, dir, log); err != nil {
			return Binaries{}, fmt.Errorf("build the control plane in %s: %w", dir, err)
		}
	}
	return Binaries{
		Etcd:      filepath.Join(dir, "etcd"),
		Etcdutl:   filepath.Join(dir, "etcdutl"),
		APIServer: filepath.Join(dir, "kube-apiserver"),
		Kubectl:   filepath.Join(dir, "kubectl"),
	}, nil
}

func binariesDir() (string, error) {
	cache := os.Getenv("WATCHGLASS_CACHE")
	if cache == "" {
		user, err := os.UserCacheDir()
		if err != nil {
			return "", err
		}
		cache = filepath.Join(user, "watchglass")
	}
	return filepath.Abs(filepath.Join(cache, "controlplane", Version))
}

// missing lists the programs that dir does not hold. A binary gets its name only
// when it is complete, so to be there is to be whole.
func missing(dir string) []program {
	var list []program
	for _, p := range programs {
		if _, err := os.Stat(filepath.Join(dir, p.name)); err != nil {
			list = append(list, p)
		}
	}
	return list
}

// buildMissing holds the lock of dir while it builds: two processes that need the
// same binaries must not compile Kubernetes twice at once.
func buildMissing(ctx context.Context, dir string, log func(string, ...any)) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	unlock, err := lock(ctx, filepath.Join(dir, ".lock"), log)
	if err != nil {
		return err
	}
	defer unlock()
	for _, p := range missing(dir) { // again: another process may have built them meanwhile
		start := time.Now()
		log("building %s of the control plane %s into %s%s", p.name, Version, dir, p.remark)
		if err := p.build(ctx, dir); err != nil {
			return fmt.Errorf("build %s: %w", p.name, err)
		}
		log("built %s in %s", p.name, time.Since(start).Round(time.Second))
	}
	return nil
}

func (p program) build(ctx context.Context, dir string) error {
	partial := filepath.Join(dir, fmt.Sprintf(".%s.%d", p.name, os.Getpid()))
	defer func() { _ = os.Remove(partial) }()
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags=-s -w"+p.ldflags, "-o", partial, p.pkg)
	cmd.Dir = moduleDir()
	// The caller's environment may aim at another target (the wasm tests do).
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off", "GOFLAGS=", "GOOS="+runtime.GOOS, "GOARCH="+runtime.GOARCH)
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w\n%s", cmd, err, tail(output.Bytes(), tailLines))
	}
	return os.Rename(partial, filepath.Join(dir, p.name))
}

// moduleDir is a folder of the module watchglass/e2e, whose go.mod pins the
// versions: the one this file is in, so that a caller may stand anywhere. A build
// with -trimpath does not know it; then the working directory must do.
func moduleDir() string {
	_, file, _, ok := runtime.Caller(0)
	if !ok || !filepath.IsAbs(file) {
		return "."
	}
	return filepath.Dir(file)
}

// lock takes the lock file's lock and returns the function that gives it back.
// The kernel gives it back as well when the process dies.
func lock(ctx context.Context, path string, log func(string, ...any)) (unlock func(), err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	told := false
	err = waitFor(ctx, "the lock "+path, func(context.Context) error {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return nil
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) {
			return fatal(err)
		}
		if !told {
			log("another process is building the control plane, waiting for it")
			told = true
		}
		return err
	})
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return func() { _ = f.Close() }, nil
}
