package cluster

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestStartSeeded: a saved cluster that is damaged is made anew, and the next has the same pods.
func TestStartSeeded(t *testing.T) {
	const n = 200
	dir := t.TempDir()
	path := filepath.Join(dir, seedName(n))
	if err := os.WriteFile(path, []byte("not a snapshot"), 0o600); err != nil {
		t.Fatal(err)
	}
	var all [2][]string
	for i := range all {
		var log strings.Builder
		c, err := startSeeded(t.Context(), dir, &log, n)
		if err != nil {
			t.Fatal(err)
		}
		if made := strings.Contains(log.String(), "the pods are made anew"); made != (i == 0) {
			t.Errorf("start %d:\n%s", i, log.String())
		}
		list, err := clientFor(t, c.Config()).CoreV1().Pods("").List(t.Context(), metav1.ListOptions{})
		if err != nil {
			t.Error(err)
		}
		for _, pod := range list.Items {
			all[i] = append(all[i], pod.Namespace+"/"+pod.Name+" "+string(pod.UID)+" "+pod.ResourceVersion+" "+pod.CreationTimestamp.String())
		}
		if err := c.Stop(); err != nil {
			t.Error(err)
		}
	}
	if len(all[0]) != n || !slices.Equal(all[0], all[1]) {
		t.Errorf("the first cluster has %d pods, and the second %d, which are not the same", len(all[0]), len(all[1]))
	}
}

func TestRemoveSeeds(t *testing.T) {
	dir, now := t.TempDir(), time.Now()
	for name, age := range map[string]time.Duration{"pods-1-new": time.Hour, "pods-1-old": 25 * time.Hour, "pods-1-of-the-future": -time.Hour, "pods-2-old.part": 48 * time.Hour, "other": 48 * time.Hour} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, now, now.Add(-age)); err != nil {
			t.Fatal(err)
		}
	}
	if err := removeSeeds(dir, now); err != nil {
		t.Error(err)
	}
	left, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || !slices.Equal(left, []string{filepath.Join(dir, "other"), filepath.Join(dir, "pods-1-new")}) {
		t.Errorf("%q are left, %v", left, err)
	}
}

func TestSnapshotReplacesNothing(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "etcd"), 0o700); err != nil {
		t.Fatal(err)
	}
	c, err := Start(t.Context(), Options{Dir: dir, Snapshot: "anything"})
	if err == nil {
		t.Error("it began with a snapshot in place of the data that was there", c.Stop())
	} else if !strings.Contains(err.Error(), "has the data of an earlier cluster") {
		t.Error(err)
	}
}
