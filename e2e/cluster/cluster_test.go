package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// ana has a token and no rights.
var ana = User{Name: "ana", Groups: []string{"developers", "on-call"}, Token: "ana-token"}

// shared is the cluster that all tests use but those of starting one.
var shared *Cluster

func TestMain(m *testing.M) {
	os.Exit(testMain(m))
}

func testMain(m *testing.M) int {
	c, err := Start(context.Background(), Options{Log: os.Stderr, Users: []User{ana}})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	shared = c
	code := m.Run()
	if err := c.Stop(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}

func clientFor(t *testing.T, config *rest.Config) *kubernetes.Clientset {
	t.Helper()
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// writeConfigMap makes an object that later checks look for.
func writeConfigMap(t *testing.T, name string) *corev1.ConfigMap {
	t.Helper()
	written, err := clientFor(t, shared.Config()).CoreV1().ConfigMaps("default").Create(t.Context(),
		&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return written
}

func hasConfigMap(t *testing.T, name string) bool {
	t.Helper()
	_, err := clientFor(t, shared.Config()).CoreV1().ConfigMaps("default").Get(t.Context(), name, metav1.GetOptions{})
	if err != nil && !apierrors.IsNotFound(err) {
		t.Fatal(err)
	}
	return err == nil
}

func TestVersion(t *testing.T) {
	out, err := shared.Kubectl(t.Context(), "version")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Client Version: " + Version, "Server Version: " + Version} {
		if !strings.Contains(out, want) {
			t.Errorf("kubectl version does not say %q:\n%s", want, out)
		}
	}
	if _, err := shared.Kubectl(t.Context(), "get", "nonsense"); err == nil || !strings.Contains(err.Error(), "resource type") {
		t.Errorf("the error does not carry what kubectl said: %v", err)
	}
}

func TestRights(t *testing.T) {
	bob := User{Name: "bob"}
	for _, user := range []User{ana, bob} {
		client := clientFor(t, shared.ConfigFor(user))
		_, err := client.CoreV1().Pods("").List(t.Context(), metav1.ListOptions{})
		if !apierrors.IsForbidden(err) || !strings.Contains(err.Error(), strconv.Quote(user.Name)) {
			t.Errorf("%s without rights: got %v, want 403 by that name", user.Name, err)
		}
	}
	stranger := clientFor(t, shared.ConfigFor(User{Name: "eve", Token: "made up"}))
	if _, err := stranger.CoreV1().Pods("").List(t.Context(), metav1.ListOptions{}); !apierrors.IsUnauthorized(err) {
		t.Errorf("unknown token: got %v, want 401", err)
	}

	for _, args := range [][]string{
		{"create", "clusterrole", "pods", "--verb=get,list,watch", "--resource=pods"},
		{"create", "clusterrolebinding", "on-call", "--clusterrole=pods", "--group=on-call"},
	} {
		if _, err := shared.Kubectl(t.Context(), args...); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	err := waitFor(ctx, "ana to see pods", func(ctx context.Context) error {
		_, err := clientFor(t, shared.ConfigFor(ana)).CoreV1().Pods("").List(ctx, metav1.ListOptions{})
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

func TestKubeconfig(t *testing.T) {
	path, err := shared.Kubeconfig(ana, KubeconfigOptions{
		Path: filepath.Join(t.TempDir(), "config"), Context: "prod", Namespace: "default", Extra: map[string]User{"root": Admin()},
	})
	if err != nil {
		t.Fatal(err)
	}
	for context, want := range map[string]string{"prod": "ana", "root": "admin"} {
		out, err := shared.Kubectl(t.Context(), "--kubeconfig="+path, "--context="+context, "auth", "whoami")
		if err != nil || !strings.Contains(out, want) {
			t.Errorf("whoami in context %s: got %q, %v, want %s", context, out, err, want)
		}
	}
}

func TestKillAndStart(t *testing.T) {
	writeConfigMap(t, "before-kill")
	before, url := shared.APIServerPID(), shared.URL()
	if err := shared.KillAPIServer(); err != nil {
		t.Fatal(err)
	}
	if pid := shared.APIServerPID(); pid != 0 {
		t.Errorf("pid %d after the kill, want none", pid)
	}
	if _, err := shared.Kubectl(t.Context(), "get", "ns"); err == nil {
		t.Error("a killed apiserver answers")
	}
	if err := shared.StartAPIServer(t.Context()); err != nil {
		t.Fatal(err)
	}
	if pid := shared.APIServerPID(); pid == 0 || pid == before || shared.URL() != url {
		t.Errorf("after the start: pid %d (was %d), address %s (was %s)", pid, before, shared.URL(), url)
	}
	if !hasConfigMap(t, "before-kill") {
		t.Error("what was written before the kill is gone")
	}
	if err := shared.StartAPIServer(t.Context()); err == nil {
		t.Error("a running apiserver could be started")
	}
}

func TestStopWithOpenWatch(t *testing.T) {
	w, err := clientFor(t, shared.Config()).CoreV1().Pods("").Watch(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Stop()
	begin := time.Now()
	if err := shared.StopAPIServer(); err != nil {
		t.Fatal(err)
	}
	t.Logf("stopped in %s", since(begin))
	for range w.ResultChan() { // ends with the apiserver
	}
	if err := shared.SetUsers(ana, User{Name: "carl", Token: "carl-token"}); err != nil {
		t.Fatal(err)
	}
	if err := shared.StartAPIServer(t.Context()); err != nil {
		t.Fatal(err)
	}
	carl := clientFor(t, shared.ConfigFor(User{Name: "carl", Token: "carl-token"}))
	if _, err := carl.CoreV1().Pods("").List(t.Context(), metav1.ListOptions{}); !apierrors.IsForbidden(err) {
		t.Errorf("a user of SetUsers: got %v, want 403", err)
	}
}

func TestPause(t *testing.T) {
	if err := shared.PauseAPIServer(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	_, err := clientFor(t, shared.Config()).CoreV1().Namespaces().List(ctx, metav1.ListOptions{})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a paused apiserver: got %v, want silence", err)
	}
	if err := shared.ResumeAPIServer(); err != nil {
		t.Fatal(err)
	}
	if _, err := shared.Kubectl(t.Context(), "get", "ns"); err != nil {
		t.Error(err)
	}
}

// firstEvent is what a watch at an old version says first.
func firstEvent(t *testing.T, w watch.Interface, err error) error {
	t.Helper()
	if err != nil {
		return err // 410 as the answer itself
	}
	defer w.Stop()
	select {
	case event := <-w.ResultChan():
		if event.Type != watch.Error {
			return nil
		}
		return apierrors.FromObject(event.Object)
	case <-time.After(10 * time.Second):
		t.Fatal("the watch says nothing")
		return nil
	}
}

func TestCompactAndExpire(t *testing.T) {
	ctx := t.Context()
	core := clientFor(t, shared.Config()).CoreV1()
	old := writeConfigMap(t, "before-compaction").ResourceVersion
	writeConfigMap(t, "between")
	if err := shared.Compact(ctx); err != nil {
		t.Fatal(err)
	}
	w, err := core.Events("").Watch(ctx, metav1.ListOptions{ResourceVersion: old})
	if err := firstEvent(t, w, err); !apierrors.IsResourceExpired(err) {
		t.Errorf("watch of events after Compact: got %v, want 410 Expired", err)
	}
	w, err = core.ConfigMaps("").Watch(ctx, metav1.ListOptions{ResourceVersion: old})
	if err := firstEvent(t, w, err); err != nil {
		t.Errorf("watch of config maps after Compact: got %v, want the change from the watch cache", err)
	}
	if err := shared.Expire(ctx); err != nil {
		t.Fatal(err)
	}
	core = clientFor(t, shared.Config()).CoreV1()
	w, err = core.ConfigMaps("").Watch(ctx, metav1.ListOptions{ResourceVersion: old})
	if err := firstEvent(t, w, err); !apierrors.IsResourceExpired(err) {
		t.Errorf("watch of config maps after Expire: got %v, want 410 Expired", err)
	}
	_, err = core.ConfigMaps("").List(ctx, metav1.ListOptions{ResourceVersion: old, ResourceVersionMatch: metav1.ResourceVersionMatchExact})
	if !apierrors.IsResourceExpired(err) {
		t.Errorf("list at an old version after Expire: got %v, want 410 Expired", err)
	}
}

func TestSnapshotAndRestore(t *testing.T) {
	ctx := t.Context()
	path := filepath.Join(t.TempDir(), "snapshot.db")
	writeConfigMap(t, "before-snapshot")
	if err := shared.Snapshot(ctx, path); err != nil {
		t.Fatal(err)
	}
	for i := range 20 { // more than a restart writes itself
		writeConfigMap(t, fmt.Sprint("after-snapshot-", i))
	}
	later := version(t, writeConfigMap(t, "after-snapshot").ResourceVersion)
	if err := shared.Restore(ctx, path); err != nil {
		t.Fatal(err)
	}
	if !hasConfigMap(t, "before-snapshot") || hasConfigMap(t, "after-snapshot") {
		t.Error("the restored data are not those of the snapshot")
	}
	if again := version(t, writeConfigMap(t, "after-restore").ResourceVersion); again >= later {
		t.Errorf("version %d after the restore, want one before %d", again, later)
	}
}

func version(t *testing.T, text string) int64 {
	t.Helper()
	v, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}
