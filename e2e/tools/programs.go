package tools

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"time"
)

// Program is one binary and its main package.
type Program struct {
	Name    string // of the file
	Package string
}

// Programs are binaries that are built from one module and kept in one folder.
type Programs struct {
	Title   string // for the log, such as "the control plane v1.36.3"
	Dir     string // where the binaries are
	Module  string // folder whose go.mod pins the versions
	LDFlags string // of all of them
	Cgo     bool   // they need a C compiler
	List    []Program
}

// CacheDir returns the folder for what tests build once: $WATCHGLASS_CACHE, or the
// folder watchglass in the user's cache.
func CacheDir() (string, error) {
	cache := os.Getenv("WATCHGLASS_CACHE")
	if cache == "" {
		user, err := os.UserCacheDir()
		if err != nil {
			return "", err
		}
		cache = filepath.Join(user, "watchglass")
	}
	return filepath.Abs(cache)
}

// Build builds the programs that Dir does not have, with nothing but the go command.
// Processes that need the same programs wait for each other. log may be nil.
func (p Programs) Build(ctx context.Context, log func(format string, args ...any)) error {
	if log == nil {
		log = func(string, ...any) {}
	}
	if len(p.missing()) == 0 {
		return nil
	}
	if err := p.buildMissing(ctx, log); err != nil {
		return fmt.Errorf("build %s in %s: %w", p.Title, p.Dir, err)
	}
	return nil
}

// missing lists the programs that Dir does not have. A binary gets its name only
// when it is complete.
func (p Programs) missing() []Program {
	var list []Program
	for _, program := range p.List {
		if _, err := os.Stat(filepath.Join(p.Dir, program.Name)); err != nil {
			list = append(list, program)
		}
	}
	return list
}

// buildMissing holds the lock of Dir, so that two processes don't compile the same
// programs at once.
func (p Programs) buildMissing(ctx context.Context, log func(string, ...any)) error {
	if err := os.MkdirAll(p.Dir, 0o755); err != nil {
		return err
	}
	unlock, err := Lock(ctx, filepath.Join(p.Dir, ".lock"), func() { log("another process is building %s, waiting for it", p.Title) })
	if err != nil {
		return err
	}
	defer unlock()
	missing := p.missing() // again: another process may have built them meanwhile
	if len(missing) == 0 {
		return nil
	}
	var names []string
	for _, program := range missing {
		names = append(names, program.Name)
	}
	start := time.Now()
	log("building %s into %s: %s (may take minutes)", p.Title, p.Dir, strings.Join(names, ", "))
	if err := p.build(ctx, missing, log); err != nil {
		return err
	}
	log("built %s in %s", p.Title, time.Since(start).Round(time.Second))
	return nil
}

// build builds programs in one run of the go command, so that one is linked while
// another is compiled.
func (p Programs) build(ctx context.Context, list []Program, log func(string, ...any)) error {
	partial := filepath.Join(p.Dir, fmt.Sprintf(".partial.%d", os.Getpid()))
	defer func() { _ = os.RemoveAll(partial) }()
	args := []string{"build", "-v", "-trimpath", "-ldflags=-s -w " + p.LDFlags, "-o", partial + "/"}
	for _, program := range list {
		args = append(args, program.Package)
	}
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = p.Module
	cgo := "0"
	if p.Cgo {
		cgo = "1"
	}
	// The caller's environment may be for another target (the wasm tests' is).
	cmd.Env = append(os.Environ(), "CGO_ENABLED="+cgo, "GOWORK=off", "GOFLAGS=", "GOOS="+runtime.GOOS, "GOARCH="+runtime.GOARCH)
	var said progress
	cmd.Stdout, cmd.Stderr = &said, &said
	stop := said.report(p.Title, log)
	err := cmd.Run()
	if stop(); err != nil {
		return fmt.Errorf("%s: %w\n%s", cmd, err, &said)
	}
	for _, program := range list {
		if err := os.Rename(filepath.Join(partial, outputName(program.Package)), filepath.Join(p.Dir, program.Name)); err != nil {
			return err
		}
	}
	return nil
}

var majorVersion = regexp.MustCompile(`^v[0-9]+$`)

// outputName returns the file name that the go command gives a program: the last
// element of its path that is no major version.
func outputName(pkg string) string {
	if majorVersion.MatchString(path.Base(pkg)) {
		pkg = path.Dir(pkg)
	}
	return path.Base(pkg)
}

const pollInterval = 20 * time.Millisecond

// Lock locks a file and returns the function that unlocks it; the kernel also unlocks
// it when the process dies. onWait is called once if another process has the lock.
func Lock(ctx context.Context, path string, onWait func()) (unlock func(), err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	for waited := false; ; waited = true {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return func() { _ = f.Close() }, nil
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) {
			_ = f.Close()
			return nil, fmt.Errorf("lock %s: %w", path, err)
		}
		if !waited {
			onWait()
		}
		select {
		case <-ctx.Done():
			_ = f.Close()
			return nil, fmt.Errorf("wait for the lock %s: %w", path, context.Cause(ctx))
		case <-time.After(pollInterval):
		}
	}
}
