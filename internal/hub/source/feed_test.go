package source

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"watchglass/internal/informer"
	"watchglass/internal/object"
)

// TestFeed compares what a feed drains with a map, while objects come, change and go. The feed
// is drained now and then, completely or in part.
func TestFeed(t *testing.T) {
	decoder := object.NewMetadataDecoder()
	version := 0
	build := func(key string) *object.Object {
		version++
		o, err := decoder.Decode(fmt.Appendf(nil, `{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"name":%q,"uid":"u","resourceVersion":"%d"}}`, key, version))
		if err != nil {
			t.Fatal(err)
		}
		return o
	}
	for seed := range uint64(50) {
		rng := rand.New(rand.NewPCG(seed, 1))
		f := &Feed{changed: make(map[string]int)}
		source, owner := map[string]*object.Object{}, map[string]*object.Object{}
		for range 400 {
			key := fmt.Sprint("o", rng.IntN(30))
			before, after := source[key], (*object.Object)(nil)
			if rng.IntN(2) == 0 {
				after = build(key)
			}
			if before == nil && after == nil {
				continue
			}
			if delete(source, key); after != nil {
				source[key] = after
			}
			f.add([]informer.Change[*object.Object]{{Key: key, Before: before, After: after}})
			if rng.IntN(20) > 0 {
				continue
			}
			for _, c := range f.Drain(rng.IntN(5)) {
				if c.Now == nil && owner[c.Key] == nil || c.Last == nil {
					t.Fatalf("seed %d: %s went and was never there", seed, c.Key)
				}
				if delete(owner, c.Key); c.Now != nil {
					owner[c.Key] = c.Now
				}
			}
		}
		for _, c := range f.Drain(0) {
			if delete(owner, c.Key); c.Now != nil {
				owner[c.Key] = c.Now
			}
		}
		if len(owner) != len(source) || f.Pending() != 0 {
			t.Fatalf("seed %d: %d objects, want %d", seed, len(owner), len(source))
		}
		for key, o := range source {
			if owner[key] != o {
				t.Errorf("seed %d: %s is another", seed, key)
			}
		}
	}
}

// TestFeedBounded checks that objects that come and go leave nothing in a feed that nobody
// drains, and that the remaining ones keep their order.
func TestFeedBounded(t *testing.T) {
	f := &Feed{changed: make(map[string]int)}
	o := new(object.Object)
	for i := range 10_000 {
		key := fmt.Sprint(i)
		f.add([]informer.Change[*object.Object]{{Key: key, After: o}})
		if i%1000 > 0 {
			f.add([]informer.Change[*object.Object]{{Key: key, Before: o}})
		}
	}
	if len(f.mailbox) > 100 || f.Pending() != 10 {
		t.Errorf("%d changes are held, %d of them pending", len(f.mailbox), f.Pending())
	}
	var keys []string
	for _, c := range f.Drain(0) {
		keys = append(keys, c.Key)
	}
	if want := []string{"0", "1000", "2000", "3000", "4000", "5000", "6000", "7000", "8000", "9000"}; !slices.Equal(keys, want) {
		t.Errorf("%v", keys)
	}
}

// BenchmarkFeedDrain drains a list part by part. The cost of an object does not depend on how many there
// are.
func BenchmarkFeedDrain(b *testing.B) {
	const part = 500
	for _, objects := range []int{10 * part, 200 * part} {
		b.Run(fmt.Sprint(objects), func(b *testing.B) {
			keys, o := make([]string, objects), new(object.Object)
			for i := range keys {
				keys[i] = fmt.Sprint(i)
			}
			for range b.N {
				f := &Feed{changed: make(map[string]int)}
				for _, key := range keys {
					f.putLocked(key, nil, o, false)
				}
				for len(f.Drain(part)) > 0 {
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*objects), "ns/object")
		})
	}
}

// TestForgotten reports objects that no Drain returned: those that came and went in between, also under a name that
// another object had before or has since.
func TestForgotten(t *testing.T) {
	decoder := object.NewMetadataDecoder()
	f := &Feed{changed: make(map[string]int)}
	var now *object.Object
	change := func(uid string) {
		var next *object.Object
		if uid != "" {
			var err error
			if next, err = decoder.Decode(fmt.Appendf(nil, `{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"name":"web-0","uid":%q}}`, uid)); err != nil {
				t.Fatal(err)
			}
		}
		f.add([]informer.Change[*object.Object]{{Key: "web-0", Before: now, After: next}})
		now = next
	}
	for i, c := range []struct {
		uids string // of the object after each change; - is none
		want bool
	}{{"a", false}, {"aa", false}, {"-", false}, {"a-", true}, {"a-b-", true}, {"a-b", true}, {"-", false}, {"a", false}, {"-b", false}, {"-c-", true}, {"d", false}, {"-e-f", true}} {
		for _, uid := range c.uids {
			change(strings.Trim(string(uid), "-"))
		}
		if got := f.Forgotten(nil); got != c.want {
			t.Errorf("%d: %s: forgotten: %t, want %t", i, c.uids, got, c.want)
		}
		f.Drain(0)
	}
}

// TestForgottenRefilled checks that an object that was seen does not count as one that came and went unseen, also if the
// mailbox was refilled in between.
func TestForgottenRefilled(t *testing.T) {
	f := &Feed{changed: make(map[string]int)}
	o := new(object.Object)
	change := func(before, after *object.Object) {
		f.add([]informer.Change[*object.Object]{{Key: o.Key(), Before: before, After: after}})
	}
	change(nil, o)
	f.Drain(0)
	change(o, o)
	f.fillLocked([]*object.Object{o})
	change(o, nil)
	if f.Forgotten(nil) {
		t.Error("an object that was seen is reported")
	}
}

// TestForgottenBounded checks that a feed that nobody asks keeps a limited number of controllers, and then no longer says
// that those of one were not forgotten.
func TestForgottenBounded(t *testing.T) {
	decoder := object.NewMetadataDecoder()
	f := &Feed{changed: make(map[string]int)}
	flash := func(job int) {
		o, err := decoder.Decode(fmt.Appendf(nil, `{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"name":"p","uid":"u","ownerReferences":[{"apiVersion":"batch/v1","kind":"Job","name":"j%d","uid":"u","controller":true}]}}`, job))
		if err != nil {
			t.Fatal(err)
		}
		f.add([]informer.Change[*object.Object]{{Key: "p", After: o}})
		f.add([]informer.Change[*object.Object]{{Key: "p", Before: o}})
	}
	is := func(name string) func(string) bool { return func(of string) bool { return of == name } }
	flash(1)
	if f.Forgotten(is("Job/j2")) {
		t.Error("a pod of another job is reported")
	}
	flash(1)
	if !f.Forgotten(is("Job/j1")) || f.Forgotten(nil) {
		t.Error("a pod of the job is not reported once")
	}
	for i := range 2 * mostForgotten {
		flash(i)
	}
	if len(f.forgotten) > mostForgotten || !f.Forgotten(is("")) {
		t.Errorf("%d controllers are kept", len(f.forgotten))
	}
}
