package cluster

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestStartSeeded: the second cluster has the pods that the first has saved, and older ones are removed.
func TestStartSeeded(t *testing.T) {
	const n = 200
	dir := t.TempDir()
	old := filepath.Join(dir, seedsOf(n)+"old")
	if err := os.WriteFile(old, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	var all [2][]string
	for i := range all {
		c, err := startSeeded(t.Context(), dir, Options{}, n, PodOptions{})
		if err != nil {
			t.Fatal(err)
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
	if files, err := os.ReadDir(dir); err != nil || len(files) != 1 || files[0].Name() == filepath.Base(old) {
		t.Errorf("%v, %v are kept", files, err)
	}
}

func TestSeedName(t *testing.T) {
	names := make(map[string]PodOptions)
	for _, o := range []PodOptions{{}, {Seed: 1}, {Namespaces: 3}, {Nodes: 7}} {
		name, err := seedName(100, o)
		again, errAgain := seedName(100, PodOptions{Seed: o.Seed, Namespaces: o.Namespaces, Nodes: o.Nodes, Now: noon})
		if err != nil || errAgain != nil || name != again {
			t.Errorf("%+v: %s and %s, %v, %v", o, name, again, err, errAgain)
		}
		if other, taken := names[name]; taken {
			t.Errorf("%+v and %+v are both %s", o, other, name)
		}
		names[name] = o
	}
}

func TestSeedIsFresh(t *testing.T) {
	path := filepath.Join(t.TempDir(), "seed")
	now := time.Now()
	if seedIsFresh(path, now) {
		t.Error("what does not exist is fresh")
	}
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if !seedIsFresh(path, now) || seedIsFresh(path, now.Add(seedLasts+time.Minute)) {
		t.Error("what is new is not fresh, or what is old is")
	}
}
