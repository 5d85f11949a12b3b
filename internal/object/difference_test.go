//go:build !js

package object

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"watchglass/internal/object/schema"
	"watchglass/internal/object/tree"
)

// brackets writes the entries of a map as fields: in JSON, they can't be told apart.
var brackets = strings.NewReplacer("[", ".", "]", "")

// differences returns what differs between two payloads, as "path: before → after", sorted.
func differences(k Kind, before, after []byte) (all []string) {
	var d tree.Differ
	d.Compare(k.Root(before), k.Root(after), func(one *tree.Difference) bool {
		all = append(all, brackets.Replace(string(one.Path))+": "+one.Before()+" → "+one.After())
		return true
	})
	slices.Sort(all)
	return all
}

// TestDifferences compares the differences of random pods in protobuf with those of the same pods in
// JSON, which are found by other means.
func TestDifferences(t *testing.T) {
	k, d := podKind(t), NewDecoder(podKind(t), true)
	found := 0
	for seed := range int64(60) {
		r := rand.New(rand.NewPCG(uint64(seed), 0))
		var a, other corev1.Pod
		filler(seed).NilChance(0).NumElements(1, 3).Fill(&a)
		filler(seed+1000).NilChance(0).NumElements(1, 3).Fill(&other)
		a.TypeMeta, a.Name = metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"}, "a"
		a.Labels, a.ManagedFields = admissible(a.Labels), nil
		b := *a.DeepCopy()
		switch r.IntN(5) {
		case 0:
			b.Spec.Containers = append(other.Spec.Containers, b.Spec.Containers...)
		case 1:
			b.Status = other.Status
		case 2:
			b.Labels, b.Annotations = admissible(other.Labels), other.Annotations
		case 3:
			slices.Reverse(b.Spec.Containers)
			b.Spec.NodeName = "n"
		case 4:
			b.Spec = other.Spec
		}
		pair, docs := [2][]byte{payload(t, &a), payload(t, &b)}, [2][]byte{}
		for i := range pair {
			o, err := d.Decode(pair[i])
			if err != nil {
				t.Fatal(err)
			}
			if docs[i], err = k.Document(o); err != nil {
				t.Fatal(err)
			}
		}
		got, want := differences(k, pair[0], pair[1]), differences(k, docs[0], docs[1])
		if !slices.Equal(got, want) {
			for i := range min(len(got), len(want)) {
				if got[i] != want[i] {
					t.Fatalf("seed %d:\ngot  %.300s\nwant %.300s", seed, got[i], want[i])
				}
			}
			t.Fatalf("seed %d: %d differences, and %d in JSON", seed, len(got), len(want))
		}
		found += len(got)
		if same := differences(k, pair[0], pair[0]); len(same) > 0 {
			t.Fatalf("seed %d: %v of one pod", seed, same)
		}
	}
	if found < 300 {
		t.Errorf("only %d differences", found)
	}
}

// TestDifferencesBounded checks that objects that would take long are not compared to the end.
func TestDifferencesBounded(t *testing.T) {
	doc := func(last string) []byte {
		var s strings.Builder
		s.WriteString(`{"kind":"Widget","metadata":{"name":"w"},"spec":[`)
		for i := range 200_000 {
			s.WriteString(`{"name":"`)
			s.WriteString(strings.Repeat("x", (i*7+len(last))%50+1))
			s.WriteString(`"},`)
		}
		return []byte(s.String() + `{"name":"` + last + `"}]}`)
	}
	n := 0
	var d tree.Differ
	widget := Kind{Name: "Widget"}
	d.Compare(widget.Root(doc("a")), widget.Root(doc("bb")), func(*tree.Difference) bool {
		n++
		return n < 10
	})
	if n == 0 || n > 10 {
		t.Errorf("%d differences", n)
	}
}

// TestDifferencesDeep checks that of large objects that nest deep not every level is read: it took 20 seconds.
func TestDifferencesDeep(t *testing.T) {
	const levels = 5000
	for _, name := range []string{"", "a"} {
		doc := func(last string) []byte {
			return []byte(`{"spec":` + strings.Repeat(`{"`+name+`":`, levels) + `"` + strings.Repeat("x", 1<<20) + last + `"` + strings.Repeat("}", levels+1))
		}
		var paths []string
		var d tree.Differ
		widget := Kind{Name: "Widget"}
		d.Compare(widget.Root(doc("a")), widget.Root(doc("b")), func(one *tree.Difference) bool {
			paths = append(paths, string(one.Path))
			return true
		})
		if len(paths) != 1 || strings.Count(paths[0], ".") > 50 {
			t.Errorf("%q: %.200q", name, paths)
		}
	}
}

// TestMembersAlternate checks that a message whose fields alternate many times is read in one pass: it took minutes.
func TestMembersAlternate(t *testing.T) {
	pod, _ := schema.Of("v1", "Pod")
	probe := pod.Lookup("spec")[0].Message().Lookup("containers")[0].Message().Lookup("livenessProbe")[0].Message()
	const times = 200_000
	raw := bytes.Repeat([]byte("\x0a\x02\x0a\x00\x10\x07"), times) // exec, which JSON inlines, and initialDelaySeconds
	all, err := tree.FromMessage(probe, raw).AppendMembers(nil)
	if err != nil || len(all) != times+1 || all[1].Name != "initialDelaySeconds" || all[1].Text() != "7" {
		t.Errorf("%d, %v", len(all), err)
	}
}

// FuzzDifferences compares any two payloads: no bytes make it panic, and equal ones never differ.
func FuzzDifferences(f *testing.F) {
	var a corev1.Pod
	filler(1).Fill(&a)
	a.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"}
	f.Add(payload(f, &a), payload(f, &a))
	f.Add([]byte(`{"spec":[{"name":"a"}]}`), []byte(`{"spec":[{"name":"b"},1]}`))
	k := podKind(f)
	f.Fuzz(func(t *testing.T, before, after []byte) {
		_ = differences(k, before, after)
		if same := differences(k, before, before); len(same) > 0 {
			t.Error(same)
		}
	})
}
