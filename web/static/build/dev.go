//go:build !js

package main

import (
	"context"
	"fmt"
	"hash/fnv"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"time"
)

// lookEvery is how often the sources are checked.
const lookEvery = 300 * time.Millisecond

// dev runs the proxy, and rebuilds and restarts it whenever a source changes. If the sources do not
// compile, it prints the error and leaves the running proxy alone.
func dev(args []string) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var serving *exec.Cmd
	defer func() { end(serving) }()
	ticker := time.NewTicker(lookEvery)
	defer ticker.Stop()
	for last := uint64(0); ; {
		now, err := fingerprint()
		if err != nil {
			return err
		}
		if now != last {
			last = now
			if err := compile(); err != nil {
				fmt.Fprintln(os.Stderr, err)
			} else {
				end(serving)
				if serving, err = serve(args); err != nil {
					return err
				}
			}
		}
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
	}
}

func compile() error {
	if err := build("web/static", true); err != nil {
		return err
	}
	c := exec.Command("go", "build", "-trimpath", "-o", "bin/watchglass", "./proxy")
	c.Env = append(os.Environ(), "CGO_ENABLED=0") // as make build has it: what that has compiled is not compiled again
	c.Stderr = os.Stderr
	return c.Run()
}

func serve(args []string) (*exec.Cmd, error) {
	c := exec.Command("bin/watchglass", args...)
	c.Stdout, c.Stderr = os.Stdout, os.Stderr
	return c, c.Start()
}

// end asks the proxy to stop, and waits until it has.
func end(c *exec.Cmd) {
	if c != nil && c.Process.Signal(os.Interrupt) == nil {
		_ = c.Wait() // it was told to stop
	}
}

// fingerprint returns a number that changes when a source does.
func fingerprint() (uint64, error) {
	h := fnv.New64a()
	for _, dir := range []string{"internal", "proxy", "wasm", "web"} {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if d.IsDir() {
				if d.Name() == "dist" || strings.HasPrefix(d.Name(), ".") {
					return filepath.SkipDir
				}
				return nil
			}
			info, err := d.Info()
			if err != nil {
				return err
			}
			fmt.Fprintln(h, path, info.Size(), info.ModTime().UnixNano())
			return nil
		})
		if err != nil {
			return 0, err
		}
	}
	return h.Sum64(), nil
}
