package cluster

import (
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"watchglass/e2e/tools"
)

// seedLasts is how long saved pods are used. After a day even the youngest pod shows its age without seconds; the
// average is ten days old.
const seedLasts = 24 * time.Hour

// seedCode is the code that makes the pods. Pods that other code has made are not used.
//
//go:embed fleet.go managedfields.go pods.go seeded.go status.go
var seedCode embed.FS

// StartSeeded starts a cluster with n pods that SeedPods has made. They are saved in $WATCHGLASS_CACHE/seeds, and used
// for a day. Every cluster starts from the saved file, so its apiserver has not seen how the pods were written. log may
// be nil.
func StartSeeded(ctx context.Context, log io.Writer, n int) (*Cluster, error) {
	cache, err := tools.CacheDir()
	if err != nil {
		return nil, fmt.Errorf("find the cache for pods: %w", err)
	}
	return startSeeded(ctx, filepath.Join(cache, "seeds"), log, n)
}

func startSeeded(ctx context.Context, dir string, log io.Writer, n int) (*Cluster, error) {
	unlock, err := lockSeeds(ctx, dir)
	if err != nil {
		return nil, fmt.Errorf("save pods in %s: %w", dir, err)
	}
	defer unlock()
	path := filepath.Join(dir, seedName(n))
	if _, err := os.Stat(path); err == nil {
		c, err := startFrom(ctx, path, log, n)
		if err == nil {
			return c, nil
		}
		if ctx.Err() != nil {
			return nil, err
		}
		if log != nil {
			fmt.Fprintf(log, "cluster: %v; the pods are made anew\n", err)
		}
	}
	if err := makeSeed(ctx, path, log, n); err != nil {
		return nil, fmt.Errorf("save %d pods in %s: %w", n, path, err)
	}
	return startFrom(ctx, path, log, n)
}

// lockSeeds makes the folder of saved pods, waits until no other process uses it, and removes what is too old.
func lockSeeds(ctx context.Context, dir string) (unlock func(), err error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	unlock, err = tools.Lock(ctx, filepath.Join(dir, ".lock"), func() {})
	if err != nil {
		return nil, err
	}
	if err := removeSeeds(dir, time.Now()); err != nil {
		unlock()
		return nil, err
	}
	return unlock, nil
}

// removeSeeds removes saved pods that are too old, or have a date in the future.
func removeSeeds(dir string, now time.Time) error {
	all, err := filepath.Glob(filepath.Join(dir, "pods-*"))
	for _, path := range all {
		info, statErr := os.Stat(path)
		if statErr != nil {
			return statErr
		}
		if age := now.Sub(info.ModTime()); age < 0 || age > seedLasts {
			err = errors.Join(err, os.Remove(path))
		}
	}
	return err
}

// seedName returns the name of the file of n pods: it has a hash of the code that makes them.
func seedName(n int) string {
	sum := sha256.New()
	fmt.Fprintln(sum, Version)
	files, _ := fs.Glob(seedCode, "*") // the pattern is well-formed
	for _, name := range files {
		text, _ := seedCode.ReadFile(name) // it is part of the program
		fmt.Fprintln(sum, name, len(text))
		sum.Write(text)
	}
	return fmt.Sprintf("pods-%d-%s", n, hex.EncodeToString(sum.Sum(nil)[:8]))
}

// startFrom starts a cluster with saved pods.
func startFrom(ctx context.Context, path string, log io.Writer, n int) (*Cluster, error) {
	c, err := Start(ctx, Options{Log: log, Snapshot: path})
	if err != nil {
		return nil, err
	}
	if err := c.expectPods(ctx, n); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", path, err), c.Stop())
	}
	return c, nil
}

// expectPods returns an error if there are not exactly n pods.
func (c *Cluster) expectPods(ctx context.Context, n int) error {
	client, err := c.client()
	if err != nil {
		return err
	}
	got, err := countPods(ctx, client)
	if err == nil && got != n {
		err = fmt.Errorf("%d pods, and not %d", got, n)
	}
	return err
}

// makeSeed saves n pods, made in a cluster of their own.
func makeSeed(ctx context.Context, path string, log io.Writer, n int) error {
	c, err := Start(ctx, Options{Log: log})
	if err != nil {
		return err
	}
	part := path + ".part"
	if err = c.SeedPods(ctx, n, PodOptions{}); err == nil {
		err = c.Snapshot(ctx, part)
	}
	if err := errors.Join(err, c.Stop()); err != nil {
		return errors.Join(err, os.RemoveAll(part))
	}
	return os.Rename(part, path)
}
