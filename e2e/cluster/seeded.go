package cluster

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"watchglass/e2e/tools"
)

// seedLasts is how long saved pods are used. Their ages are 20 days on average, so a day more does not tell.
const seedLasts = 24 * time.Hour

// sampled is how many pods tell whether the code that makes them has changed.
const sampled = 500

// StartSeeded starts a cluster with n pods, like Start and SeedPods. It saves the cluster in
// $WATCHGLASS_CACHE/seeds, and for a day starts others with the same pods from there.
func StartSeeded(ctx context.Context, o Options, n int, p PodOptions) (*Cluster, error) {
	cache, err := tools.CacheDir()
	if err != nil {
		return nil, fmt.Errorf("find the cache for pods: %w", err)
	}
	return startSeeded(ctx, filepath.Join(cache, "seeds"), o, n, p)
}

func startSeeded(ctx context.Context, dir string, o Options, n int, p PodOptions) (*Cluster, error) {
	name, err := seedName(n, p)
	if err != nil {
		return nil, err
	}
	path := filepath.Join(dir, name)
	saved := seedIsFresh(path, time.Now())
	if saved {
		o.Snapshot = path
	}
	c, err := Start(ctx, o)
	if err != nil {
		return nil, err
	}
	if saved {
		err = c.expectPods(ctx, n)
	} else if err = c.SeedPods(ctx, n, p); err == nil {
		err = c.saveSeed(ctx, path, n)
	}
	if err != nil {
		return nil, errors.Join(err, c.Stop())
	}
	return c, nil
}

// seedName names a file of saved pods by all that they depend on, but for the time: the options, and the code,
// which a sample of the pods stands for.
func seedName(n int, p PodOptions) (string, error) {
	p.Now = time.Unix(0, 0)
	p = p.withDefaults(n)
	f, err := newFleet(min(n, sampled), p)
	if err != nil {
		return "", err
	}
	sum := sha256.New()
	fmt.Fprintln(sum, Version, n, p.Namespaces, p.Nodes, p.Seed)
	for i := range len(f.owner) {
		value, err := encodePod(f.pod(i))
		if err != nil {
			return "", err
		}
		sum.Write([]byte(value))
	}
	return seedsOf(n) + hex.EncodeToString(sum.Sum(nil)[:8]), nil
}

// seedsOf begins the names of all files of so many pods.
func seedsOf(n int) string { return fmt.Sprintf("%d-pods-", n) }

// seedIsFresh reports whether there is a file that is not too old.
func seedIsFresh(path string, now time.Time) bool {
	info, err := os.Stat(path)
	return err == nil && now.Sub(info.ModTime()) < seedLasts
}

// expectPods returns an error if there are not exactly n pods.
func (c *Cluster) expectPods(ctx context.Context, n int) error {
	client, err := c.client()
	if err != nil {
		return err
	}
	got, err := countPods(ctx, client)
	if err == nil && got != n {
		err = fmt.Errorf("the saved cluster has %d pods, not %d: remove %s", got, n, c.options.Snapshot)
	}
	return err
}

// saveSeed saves the cluster, in place of all that were saved with as many pods.
func (c *Cluster) saveSeed(ctx context.Context, path string, n int) error {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	part, err := os.MkdirTemp(dir, "part-") // others may save the same at the same time
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(part) }()
	whole := filepath.Join(part, "snapshot")
	if err := c.Snapshot(ctx, whole); err != nil {
		return err
	}
	older, err := filepath.Glob(filepath.Join(dir, seedsOf(n)+"*"))
	if err != nil {
		return err
	}
	for _, one := range older {
		if err := os.Remove(one); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	return os.Rename(whole, path)
}
