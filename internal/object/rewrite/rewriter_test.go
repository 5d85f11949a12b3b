//go:build !js

package rewrite

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"watchglass/internal/object"
	"watchglass/internal/object/encoded"
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
	kind, _ := object.Builtin("pods")
	return kind.Wrap(nil, raw)
}

// TestRewriter compares what is rewritten from an earlier version with what is rewritten anew, also when
// that was another object.
func TestRewriter(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	kind, _ := object.Builtin("pods")
	again, nothing := New(hiding), New(nil)
	var last Result
	for range 5_000 {
		payload := randomPod(t, rng)
		got, err := again.Rewrite(nil, kind, last, payload)
		want, failed := Once(kind, payload, hiding)
		if err != nil || failed != nil || !bytes.Equal(got, want) {
			t.Fatalf("%v %v\n%q\nwant\n%q", err, failed, got, want)
		}
		last = Result{payload, got}
		if same, err := nothing.Rewrite(nil, kind, last, payload); err != nil || !bytes.Equal(same, got) { // no text is passed to the edit
			t.Fatalf("the same once more: %v\n%q\nwant\n%q", err, same, got)
		}
	}
}

// TestRewriterUnlike holds that the result of a field is never taken for that of another, if the versions have different
// fields and the same text in both.
func TestRewriterUnlike(t *testing.T) {
	kind, _ := object.Builtin("pods")
	wrapped := func(m metav1.ObjectMeta) []byte {
		raw, err := (&corev1.Pod{ObjectMeta: m}).Marshal()
		if err != nil {
			t.Fatal(err)
		}
		return kind.Wrap(nil, raw)
	}
	one := wrapped(metav1.ObjectMeta{Annotations: map[string]string{"k": "w2"}, Finalizers: []string{"w0", "w3", "and a long one"}})
	two := wrapped(metav1.ObjectMeta{Labels: map[string]string{"k": "w"}, Finalizers: []string{"w0", "\n\x01k\x12\x02w2"}}) // as one has that annotation
	for _, pair := range [][2][]byte{{one, two}, {two, one}} {
		out, err := Once(kind, pair[0], hiding)
		if err != nil {
			t.Fatal(err)
		}
		got, err := New(hiding).Rewrite(nil, kind, Result{pair[0], out}, pair[1])
		if want, _ := Once(kind, pair[1], hiding); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%v\n%q\nwant\n%q", err, got, want)
		}
	}
}

// TestRewriterWrapping holds that of a payload that has its message twice the last one counts, as for all who read
// it, that what an apiserver writes behind the message is no part of it, and that another kind is refused.
func TestRewriterWrapping(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	kind, _ := object.Builtin("pods")
	one, two := randomPod(t, rng), randomPod(t, rng)
	_, _, message, _ := encoded.Open(two)
	twice := protowire.AppendBytes(protowire.AppendTag(bytes.Clone(one), 2, protowire.BytesType), message)
	want, _ := Once(kind, two, hiding)
	for name, payload := range map[string][]byte{"twice": twice, "with an encoding": append(bytes.Clone(two), "\x1a\x00\x22\x00"...)} {
		if got, err := Once(kind, payload, hiding); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: %v\n%q\nwant\n%q", name, err, got, want)
		}
	}
	nodes, _ := object.Builtin("nodes")
	if got, err := Once(nodes, one, hiding); !errors.Is(err, object.ErrKind) {
		t.Errorf("a pod as a node: %q, %v", got, err)
	}
}

// FuzzRewriter does what TestRewriter does with bytes from outside.
func FuzzRewriter(f *testing.F) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 8 {
		f.Add(randomPod(f, rng), randomPod(f, rng))
	}
	kind, _ := object.Builtin("pods")
	f.Fuzz(func(t *testing.T, one, two []byte) {
		out, err := Once(kind, one, hiding)
		if err != nil {
			return
		}
		got, err := New(hiding).Rewrite(nil, kind, Result{one, out}, two)
		want, failed := Once(kind, two, hiding)
		if (err == nil) != (failed == nil) || !bytes.Equal(got, want) {
			t.Fatalf("%v %v\n%q\nwant\n%q", err, failed, got, want)
		}
	})
}
