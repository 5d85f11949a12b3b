// Package record makes the recordings of package replay anew: of the real apiserver under faults, saved
// by the page. It is no part of make test: make recordings runs it.
package record

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"watchglass/e2e/cluster"
	"watchglass/e2e/proxy"
	"watchglass/e2e/replay"
	"watchglass/e2e/stage"
)

// shop is the namespace of all recordings.
const shop = "shop"

func TestMain(m *testing.M) {
	if flag.Parse(); os.Getenv("RECORDINGS") == "" {
		return
	}
	os.Setenv("TZ", "UTC") // the browser's
	os.Exit(stage.Main(m, stage.Options{Prepare: func(ctx context.Context) error {
		_, err := stage.Admin.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: shop}}, metav1.CreateOptions{})
		return err
	}}))
}

// take is a recording that is being made.
type take struct {
	stage.Eyes
	wire *wire
	name string
	made replay.Case
	pods map[string]*corev1.Pod
}

// begin opens a page at an address, of a user, through a wire. What is there before comes first.
func begin(t *testing.T, name, about, address string, user cluster.User, before func(*take)) *take {
	t.Helper()
	k := &take{Eyes: stage.Eyes{T: t}, wire: newWire(t), name: name, made: replay.Case{About: about}, pods: make(map[string]*corev1.Pod)}
	before(k)
	p := stage.Serve(t, proxy.Options{Kubeconfig: stage.Kubeconfig(t, user, cluster.KubeconfigOptions{
		Context: "prod-eu", Namespace: shop, Server: "https://" + k.wire.listener.Addr().String(),
	})})
	k.Eyes = stage.Open(t, p.At(address), `Failed to load resource|forbidden`)
	t.Cleanup(k.removeAll)
	return k
}

// goTo goes to an address as a link does.
func (k *take) goTo(address string) {
	k.T.Helper()
	stage.Eval[bool](k, `(history.pushState(null, "", "`+address+`"), dispatchEvent(new PopStateEvent("popstate")), true)`)
}

// run makes a pod that runs, or has its container restart so many times.
func (k *take) run(name string, restarts int32) {
	k.T.Helper()
	if k.pods[name] == nil {
		k.pods[name] = stage.Create(k.T, shop, name, func(p *corev1.Pod) {
			p.Labels = map[string]string{"app": strings.Split(name, "-")[0]}
		})
	}
	stage.SetStatus(k.T, k.pods[name], stage.Running(restarts))
}

// remove deletes a pod.
func (k *take) remove(name string) {
	k.T.Helper()
	stage.Remove(k.T, k.pods[name])
	delete(k.pods, name)
}

func (k *take) removeAll() {
	now := int64(0)
	err := stage.Admin.CoreV1().Pods(shop).DeleteCollection(context.Background(), metav1.DeleteOptions{GracePeriodSeconds: &now}, metav1.ListOptions{})
	if err != nil {
		k.T.Error(err)
	}
}

// restarted waits until the page shows how often a pod has restarted.
func (k *take) restarted(name, times string) {
	k.T.Helper()
	k.AwaitCell(shop+"/"+name, "Restarts", times)
}

// moment is when the page shows what it does now.
func (k *take) moment() string {
	k.T.Helper()
	return time.UnixMilli(stage.Eval[int64](k, `Date.now()`)).UTC().Format("2006-01-02T15:04:05.000Z")
}

// check has addresses looked at, as they are at a moment.
func (k *take) check(moment string, addresses ...string) {
	for _, a := range addresses {
		sep := "?"
		if strings.Contains(a, "?") {
			sep = "&"
		}
		k.made.Views = append(k.made.Views, replay.View{Address: a + sep + "at=" + moment})
	}
}

// fileMost is how large a recording may be.
const fileMost = 60 << 10

// save saves the recording in the page, and keeps it with what is to be checked of it.
func (k *take) save() {
	k.T.Helper()
	k.Press(":")
	k.Await(`document.activeElement.id === "palette-text"`)
	k.Press("save recording", "\r")
	k.Says("#recording .said", "about")
	dir := k.T.TempDir()
	k.Must(k.Downloads(dir))
	k.Must(k.Click("#recording-write"))
	file := k.Downloaded(filepath.Join(dir, "*.watchglass"))
	if len(file) > fileMost {
		k.T.Errorf("%d bytes", len(file))
	}
	path := filepath.Join("..", "testdata", k.name)
	k.Must(os.WriteFile(path+".watchglass", []byte(file), 0o644))
	k.Must(k.made.Write(path + ".txt"))
	k.T.Logf("%s: %d bytes", k.name, len(file))
}
