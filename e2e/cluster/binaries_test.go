package cluster

import (
	"os"
	"path/filepath"
	"testing"
)

func TestBuildUsesTheCache(t *testing.T) {
	cache := t.TempDir()
	t.Setenv("WATCHGLASS_CACHE", cache)
	dir := filepath.Join(cache, "controlplane", Version)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, p := range programs {
		if err := os.WriteFile(filepath.Join(dir, p.Name), nil, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	b, err := Build(t.Context(), func(format string, args ...any) { t.Errorf("said "+format, args...) })
	if err != nil {
		t.Fatal(err)
	}
	if want := filepath.Join(dir, "kube-apiserver"); b.APIServer != want {
		t.Errorf("got %s, want %s", b.APIServer, want)
	}
}
