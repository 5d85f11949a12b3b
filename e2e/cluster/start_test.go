package cluster

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestTwoAtOnce(t *testing.T) {
	var clusters [2]*Cluster
	var errs [2]error
	var wg sync.WaitGroup
	for i := range clusters {
		wg.Go(func() { clusters[i], errs[i] = Start(t.Context(), Options{}) })
	}
	wg.Wait()
	for i, c := range clusters {
		if errs[i] != nil {
			t.Fatal(errs[i])
		}
		namespaces, err := clientFor(t, c.Config()).CoreV1().Namespaces().List(t.Context(), metav1.ListOptions{})
		if err != nil || len(namespaces.Items) == 0 {
			t.Errorf("cluster %d: %v, %v", i, namespaces, err)
		}
	}
	if clusters[0].URL() == clusters[1].URL() {
		t.Error("two clusters at one address")
	}
	for _, c := range clusters {
		if err := c.Stop(); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(c.Dir()); !os.IsNotExist(err) {
			t.Errorf("%s is still there: %v", c.Dir(), err)
		}
		if c.APIServerPID() != 0 || c.EtcdPID() != 0 {
			t.Error("a stopped cluster runs")
		}
	}
}

func TestDirGoesOn(t *testing.T) {
	dir := filepath.Join(t.TempDir(), strings.Repeat("a-long-name", 12)) // longer than a socket's path may be
	for _, verb := range []string{"create", "get"} {
		c, err := Start(t.Context(), Options{Dir: dir})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Kubectl(t.Context(), verb, "namespace", "kept"); err != nil {
			t.Error(err)
		}
		if err := c.Stop(); err != nil {
			t.Error(err)
		}
	}
}

func TestStartFails(t *testing.T) {
	_, err := Start(t.Context(), Options{Dir: t.TempDir(), APIServerFlags: []string{"--no-such-flag"}})
	if err == nil {
		t.Fatal("an unknown flag was taken")
	}
	for _, want := range []string{"start a cluster: kube-apiserver:", "kube-apiserver.log", "unknown flag: --no-such-flag"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the error does not say %q:\n%v", want, err)
		}
	}
}

func TestPortTaken(t *testing.T) {
	second := &Cluster{options: Options{Dir: t.TempDir()}, binaries: shared.binaries, port: shared.port}
	second.dir, second.sockets = second.options.Dir, shared.sockets
	if err := second.makeKeys(); err != nil {
		t.Fatal(err)
	}
	if err := second.SetUsers(); err != nil {
		t.Fatal(err)
	}
	second.admin = second.ConfigFor(Admin())
	if err := second.StartAPIServer(t.Context()); !errors.Is(err, errPortTaken) {
		t.Errorf("got %v, want %q", err, errPortTaken)
	}
}
