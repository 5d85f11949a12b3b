package object

import (
	"bytes"
	"testing"

	"watchglass/internal/object/tree"
	"watchglass/internal/query"
)

// BenchmarkFind follows paths through the packed bytes of a pod.
func BenchmarkFind(b *testing.B) {
	kind, _ := Builtin("pods")
	o, err := NewDecoder(kind, true).Decode(sentPod)
	if err != nil {
		b.Fatal(err)
	}
	for _, text := range []string{"{.spec.nodeName}", "{.spec.containers[*].image}", `{.status.conditions[?(@.type=="Ready")].status}`} {
		path, err := query.ParsePath(text)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(path.Last(), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				kind.Find(o, path, func(string) {})
			}
		})
	}
}

// BenchmarkDiffer compares two versions of a pod of which one text differs.
func BenchmarkDiffer(b *testing.B) {
	kind, _ := Builtin("pods")
	after := bytes.Replace(sentPod, []byte("containerd://9f8e"), []byte("containerd://0000"), 1)
	var d tree.Differ
	b.ReportAllocs()
	for b.Loop() {
		d.Compare(kind.Root(sentPod), kind.Root(after), func(one *tree.Difference) bool { return one.After() != "" })
	}
}

// BenchmarkDocument writes a pod in JSON.
func BenchmarkDocument(b *testing.B) {
	kind, _ := Builtin("pods")
	o, err := NewDecoder(kind, true).Decode(sentPod)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := kind.Document(o); err != nil {
			b.Fatal(err)
		}
	}
}
