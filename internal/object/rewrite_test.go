//go:build !js

package object

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// hiding replaces texts by their path and length, and leaves out some entries of maps and some texts of lists.
func hiding(path []string, text string) (string, bool) {
	last := path[len(path)-1]
	return fmt.Sprint(last, len(path), "-", len(text), text), last != "gone" && (last != "finalizers" || text != "w1")
}

// randomPod returns a pod, some of whose lists and texts differ from the next one's.
func randomPod(t testing.TB, rng *rand.Rand) []byte {
	word := func() string { return fmt.Sprint("w", rng.IntN(3)) }
	words := func() map[string]string {
		all := make(map[string]string)
		for range rng.IntN(4) {
			all[[]string{"a", "b", "gone"}[rng.IntN(3)]] = word()
		}
		return all
	}
	p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: word(), Namespace: word(), Labels: words(), Annotations: words(), Finalizers: []string{word(), word()}[:rng.IntN(3)]}}
	for range rng.IntN(4) {
		c := corev1.Container{Name: word(), Image: word()}
		for range rng.IntN(3) {
			c.Env = append(c.Env, corev1.EnvVar{Name: word(), Value: word()})
		}
		p.Spec.Containers = append(p.Spec.Containers, c)
	}
	for range rng.IntN(3) {
		p.Status.Conditions = append(p.Status.Conditions, corev1.PodCondition{Type: "Ready", Message: word()})
	}
	raw, err := p.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	kind, _ := Builtin("pods")
	return kind.Wrap(nil, raw)
}

// TestRewriter compares what is rewritten from an earlier version with what is rewritten anew, also when
// that was another object.
func TestRewriter(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	kind, _ := Builtin("pods")
	again, nothing := NewRewriter(hiding), NewRewriter(nil)
	var last Rewritten
	for range 5_000 {
		payload := randomPod(t, rng)
		got, err := again.Rewrite(nil, kind, last, payload)
		want, failed := kind.Rewrite(payload, hiding)
		if err != nil || failed != nil || !bytes.Equal(got, want) {
			t.Fatalf("%v %v\n%q\nwant\n%q", err, failed, got, want)
		}
		last = Rewritten{payload, got}
		if same, err := nothing.Rewrite(nil, kind, last, payload); err != nil || !bytes.Equal(same, got) { // no text is passed to the edit
			t.Fatalf("the same once more: %v\n%q\nwant\n%q", err, same, got)
		}
	}
}

// FuzzRewriter does the same with bytes from outside.
func FuzzRewriter(f *testing.F) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 8 {
		f.Add(randomPod(f, rng), randomPod(f, rng))
	}
	kind, _ := Builtin("pods")
	f.Fuzz(func(t *testing.T, one, two []byte) {
		out, err := kind.Rewrite(one, hiding)
		if err != nil {
			return
		}
		got, err := NewRewriter(hiding).Rewrite(nil, kind, Rewritten{one, out}, two)
		want, failed := kind.Rewrite(two, hiding)
		if (err == nil) != (failed == nil) || !bytes.Equal(got, want) {
			t.Fatalf("%v %v\n%q\nwant\n%q", err, failed, got, want)
		}
	})
}
