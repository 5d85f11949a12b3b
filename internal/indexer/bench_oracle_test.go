//go:build !js

package indexer

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"
)

// theirPod is the same pod with the metadata that client-go's store reads a
// version from.
type theirPod struct {
	metav1.ObjectMeta
	*pod
}

func theirs(list []*pod) []any {
	out := make([]any, len(list))
	for i, p := range list {
		out[i] = &theirPod{metav1.ObjectMeta{ResourceVersion: p.version}, p}
	}
	return out
}

func theirStore() cache.Indexer {
	all := cache.Indexers{}
	for name, value := range podValues {
		all[name] = func(o any) ([]string, error) { return []string{value(o.(*theirPod).pod)}, nil }
	}
	return cache.NewIndexer(func(o any) (string, error) { return o.(*theirPod).key, nil }, all)
}

func theirReplace(b *testing.B, list, later []*pod) {
	first, second := theirs(list), theirs(later)
	b.Run("empty/client-go", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			_ = theirStore().Replace(first, "1")
		}
	})
	b.Run("full/client-go", func(b *testing.B) {
		x := theirStore()
		_ = x.Replace(first, "1")
		b.ReportAllocs()
		for b.Loop() {
			_ = x.Replace(second, "2")
			first, second = second, first
		}
	})
}

func theirUpdate(b *testing.B, list, later []*pod) {
	first, second := theirs(list), theirs(later)
	b.Run("client-go", func(b *testing.B) {
		x := theirStore()
		_ = x.Replace(first, "1")
		b.ReportAllocs()
		i := 0
		for b.Loop() {
			_ = x.Update(second[i])
			if i++; i == len(second) {
				i, first, second = 0, second, first
			}
		}
	})
}

func theirByIndex(b *testing.B, list []*pod, name, value string) {
	b.Run(name+"/client-go", func(b *testing.B) {
		x := theirStore()
		_ = x.Replace(theirs(list), "1")
		b.ReportAllocs()
		for b.Loop() {
			_, _ = x.ByIndex(name, value)
		}
	})
}
