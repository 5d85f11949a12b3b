package oracle

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"watchglass/e2e/cluster"
)

//go:embed testdata/setup.yaml
var setup []byte

// patience is far more than anything here takes.
const patience = time.Minute

// start starts the cluster, what is written to it, and the tabs.
func start(t *testing.T) *run {
	t.Helper()
	r := &run{T: t, ctx: t.Context(), faults: make(map[string]int)}
	var err error
	r.cluster, err = cluster.Start(r.ctx, cluster.Options{Users: []cluster.User{viewer}})
	r.must(err)
	t.Cleanup(func() {
		if err := r.cluster.Stop(); err != nil {
			t.Error(err)
		}
	})
	r.admin, err = kubernetes.NewForConfig(r.cluster.Config())
	r.must(err)
	r.must(r.cluster.SeedPods(r.ctx, podsSeeded, cluster.PodOptions{Namespaces: 3}))
	r.apply()
	for seed := range tabsOpen {
		r.tabs = append(r.tabs, openTab(t, r.cluster, uint64(seed)))
	}
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	t.Cleanup(func() { cancel(); running.Wait() })
	r.writeGauges(ctx, &running)
	r.began = time.Now()
	r.startWriting()
	r.heal("the start", healWithin)
	return r
}

// apply brings in the kind and the rights.
func (r *run) apply() {
	r.Helper()
	file := filepath.Join(r.TempDir(), "setup.yaml")
	r.must(os.WriteFile(file, setup, 0o600))
	r.kubectl("apply", "-f", file)
	r.kubectl("wait", "--for=condition=Established", "crd/gauges.oracle.example.com")
}

func (r *run) kubectl(args ...string) {
	r.Helper()
	_, err := r.cluster.Kubectl(r.ctx, args...)
	r.must(err)
}

// each awaits something of every tab.
func (r *run) each(what string, missing func(b *tab) string) {
	r.Helper()
	for _, b := range r.tabs {
		r.await(patience, what, func() string { return missing(b) })
	}
}

// state returns what a source lacks to be in a state, for a cause that has words.
func (f *follower) state(want, words string) string {
	fresh, cause := f.freshness()
	if string(fresh) != want || cause == nil || !strings.Contains(cause.Error(), words) {
		return fmt.Sprint(fresh, " ", cause)
	}
	return ""
}

// restart kills the apiserver, and starts it again.
func (r *run) restart() {
	r.Helper()
	r.must(r.cluster.KillAPIServer())
	begin := time.Now()
	r.must(r.cluster.StartAPIServer(r.ctx))
	r.starts = time.Since(begin)
}

// killAPIServer has the stores go on where they were, once it is back.
func (r *run) killAPIServer() {
	r.restart()
	r.count("kill")
	r.heal("a kill", healWithin)
}

// expireToken has the apiserver forget the viewer, and know the viewer again when all
// versions from before have expired: what was there stays, and is not called live.
func (r *run) expireToken() {
	r.must(r.cluster.SetUsers())
	r.restart()
	r.each("the credentials are no good", func(b *tab) string {
		return b.pods.state("denied", "Unauthorized") + b.gauges.state("denied", "Unauthorized")
	})
	for _, b := range r.tabs {
		if b.pods.informer.Store().Len() == 0 {
			r.Error("the pods were dropped for want of credentials")
		}
	}
	r.must(r.cluster.SetUsers(viewer))
	r.must(r.cluster.Expire(r.ctx))
	r.count("token")
	r.count("expiry")
	r.wake()
	r.heal("a token that had expired", healWithin)
}

// takeAway takes away the right to see pods, and the kind of the gauges, and gives
// them back.
func (r *run) takeAway() {
	background := metav1.DeleteOptions{}
	r.must(r.admin.RbacV1().ClusterRoleBindings().Delete(r.ctx, "pods", background))
	r.kubectl("delete", "crd", "gauges.oracle.example.com")
	for _, b := range r.tabs {
		b.cutter.cut()
	}
	r.each("the pods are denied", func(b *tab) string {
		if !b.pods.failedWith(`User "vera" cannot watch resource "pods"`) {
			return "nothing was refused"
		}
		return b.pods.state("denied", `resource "pods"`)
	})
	// At the second refusal, and at the second 404, they are dropped.
	r.each("what may not be seen, and what is gone, is dropped", func(b *tab) string {
		b.wake()
		return b.pods.dropped("denied") + b.gauges.dropped("gone")
	})
	r.apply()
	r.count("rights")
	r.count("kind")
	r.wake()
	r.heal("rights and a kind that were gone", healWithin)
}

// dropped returns what a source lacks to have dropped all it had, and to have told so.
func (f *follower) dropped(state string) string {
	fresh, _ := f.freshness()
	told, wrong := f.toldNow()
	if n := f.informer.Store().Len(); string(fresh) != state || n != 0 || len(told) != 0 || wrong != "" {
		return fmt.Sprintf("%s %s: %d in the store, %d told of %s", f.kind.Resource, fresh, n, len(told), wrong)
	}
	return ""
}

// wake is what somebody does who looks at the tabs again.
func (r *run) wake() {
	for _, b := range r.tabs {
		b.wake()
	}
}

// snapshot takes one of etcd, and makes a pod that is not in it and that all tabs
// have.
func (r *run) snapshot(doomed string) (path string) {
	r.Helper()
	path = filepath.Join(r.TempDir(), "snapshot")
	r.must(r.cluster.Snapshot(r.ctx, path))
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: doomed, Namespace: "default"},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "main", Image: "registry.example/app:1"}}},
	}
	_, err := r.admin.CoreV1().Pods("default").Create(r.ctx, pod, metav1.CreateOptions{})
	r.must(err)
	r.each("the pod is there", func(b *tab) string {
		if _, ok := b.pods.informer.Store().Get("default/" + doomed); !ok {
			return doomed
		}
		return ""
	})
	return path
}

// restore goes back to a snapshot. The pods' versions are not given out a second time
// before it is known; the gauges' may be.
func (r *run) restore() {
	path := r.snapshot("doomed")
	r.stopWriting()
	r.history.Add(1)
	r.must(r.cluster.Restore(r.ctx, path))
	r.count("restore")
	r.heal("a restore", healWithin+auditWithin)
	r.forgotten("doomed", "went back", "another history") // the second if the server's own writes have overtaken the version by the time a tab asks
	r.history.Add(1)
	r.startWriting()
}

// overtake goes back to a snapshot while the tabs are away, which come back when all
// the versions they had are others. Nothing is written before the apiserver is back,
// so that it knows what came since, and a watch may go on from any of them.
func (r *run) overtake() {
	path := r.snapshot("overtaken")
	taken := r.newest()
	r.await(patience, "versions that are given out twice", func() string {
		if have := r.newest(); have < taken+2*perSecond {
			return fmt.Sprint(have, " after ", taken)
		}
		return ""
	})
	r.history.Add(1)
	r.stopWriting()
	for _, b := range r.tabs {
		b.cutter.set(true, true)
		b.cutter.cut()
	}
	had := r.newest()
	r.must(r.cluster.Restore(r.ctx, path))
	r.startWriting()
	r.await(patience, "the versions are overtaken", func() string {
		if now := r.newest(); now <= had {
			return fmt.Sprint(now, " of ", had)
		}
		return ""
	})
	r.calm(true)
	r.wake()
	r.count("overtaken")
	r.heal("a restore that was overtaken", healWithin+auditWithin)
	// On a slow machine so much is written meanwhile that a tab lists before it compares, and takes no object as known.
	r.forgotten("overtaken", "another history", "a list is faster")
	r.history.Add(1)
}

// newest is the version that the server is at.
func (r *run) newest() int {
	r.Helper()
	list, err := r.admin.CoreV1().Pods("").List(r.ctx, metav1.ListOptions{Limit: 1})
	r.must(err)
	return number(list.ResourceVersion)
}

// forgotten checks that each tab knew of a restore, by an error with one of these words, and
// told its subscribers that a pod is gone which was never deleted.
func (r *run) forgotten(name string, words ...string) {
	r.Helper()
	r.each("the subscribers are told", func(b *tab) string {
		b.pods.mu.Lock()
		defer b.pods.mu.Unlock()
		if unknown, ok := b.pods.deleted["default/"+name]; !ok || !unknown {
			return fmt.Sprintf("of %s: told %t, missed %t", name, ok, unknown)
		}
		return ""
	})
	for _, b := range r.tabs {
		if !slices.ContainsFunc(words, b.pods.failedWith) {
			r.Errorf("a tab was never told %q, but %v", words, b.pods.errors)
		}
	}
}

// number is a version as a number.
func number(version string) int {
	n, _ := strconv.Atoi(version)
	return n
}
