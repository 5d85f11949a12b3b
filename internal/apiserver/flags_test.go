//go:build !js

package apiserver

import (
	"path/filepath"
	"slices"
	"testing"
)

// TestFlags checks that kubectl's flags name the cluster and the user as Load resolved them, and
// nothing that no flag chose.
func TestFlags(t *testing.T) {
	t.Setenv("KUBECONFIG", write(t, two))
	for name, c := range map[string]struct {
		options Options
		want    []string
	}{
		"as it is":      {Options{}, []string{"--context=dev"}},
		"context":       {Options{Context: "prod"}, []string{"--context=prod"}},
		"cluster":       {Options{Cluster: "p"}, []string{"--context=dev", "--cluster=p"}},
		"user":          {Options{User: "ana"}, []string{"--context=dev", "--user=ana"}},
		"namespace":     {Options{Namespace: "lab"}, []string{"--context=dev"}},
		"impersonation": {Options{As: "eve", AsUID: "7", AsGroups: []string{"g", "h"}}, []string{"--context=dev", "--as=eve", "--as-uid=7", "--as-group=g", "--as-group=h"}},
	} {
		t.Run(name, func(t *testing.T) {
			target, err := Load(c.options)
			if err != nil {
				t.Fatal(err)
			}
			if got := c.options.Flags(target); !slices.Equal(got, c.want) {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
	demo := Demo(1, 1)
	if got := (Options{As: "eve"}).Flags(demo); !slices.Equal(got, []string{"--context=" + demoName}) {
		t.Errorf("demo: %q", got)
	}
	if got := (Options{As: "eve"}).Flags(&Target{Context: "in-cluster", inPod: true}); got != nil {
		t.Errorf("in a pod: %q", got)
	}
}

// TestFlagsKubeconfig checks that the path in the flags is absolute: commands run in any folder.
func TestFlagsKubeconfig(t *testing.T) {
	file := write(t, two)
	t.Chdir(filepath.Dir(file))
	o := Options{Kubeconfig: filepath.Base(file)}
	target, err := Load(o)
	if err != nil {
		t.Fatal(err)
	}
	if got := o.Flags(target); !slices.Equal(got, []string{"--kubeconfig=" + filepath.ToSlash(file), "--context=dev"}) {
		t.Errorf("%q", got)
	}
}
