package find

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"weak"

	"watchglass/internal/indexer"
	"watchglass/internal/object"
	"watchglass/internal/object/tone"
)

// named returns objects with the given keys.
func named(tb testing.TB, keys ...string) (all []*object.Object) {
	tb.Helper()
	d := object.NewMetadataDecoder()
	for _, key := range keys {
		namespace, name, _ := strings.Cut(key, "/")
		o, err := d.Decode(fmt.Appendf(nil, `{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"namespace":%q,"name":%q,"uid":"u","resourceVersion":"1"}}`, namespace, name))
		if err != nil {
			tb.Fatal(err)
		}
		all = append(all, o)
	}
	return all
}

// TestFinder checks the order of what is found: the whole name, its beginning, the beginning of a
// later word, anything else; short names first. Kinds have all names that kubectl accepts.
func TestFinder(t *testing.T) {
	pods, _ := object.Builtin("pods")
	deployments, _ := object.Builtin("deployments.apps")
	roles, _ := object.Builtin("clusterroles")
	for text, want := range map[string]string{
		"web":                   "Deployment b/web, Deployment a/web-2, Pod a/web-x1, Pod a/checkout-web-7, Pod b/cobweb-1",
		"WEB":                   "Deployment b/web, Deployment a/web-2, Pod a/web-x1, Pod a/checkout-web-7, Pod b/cobweb-1",
		"x1 a":                  "Pod a/web-x1", // the a is the namespace
		"pod web":               "Pod a/web-x1, Pod a/checkout-web-7, Pod b/cobweb-1",
		"deploy web-":           "Deployment a/web-2",
		"pods web":              "Pod a/web-x1, Pod a/checkout-web-7, Pod b/cobweb-1",
		"po web":                "Pod a/web-x1, Pod a/checkout-web-7, Pod b/cobweb-1",
		"deployments web-":      "Deployment a/web-2",
		"deployments.apps web-": "Deployment a/web-2",
		"pods.apps web":         "",                                             // no such kind
		"view":                  "ClusterRole /Op-View, ClusterRole /op-viewer", // a later word, short names first
		"op-view":               "ClusterRole /Op-View, ClusterRole /op-viewer",
		"Op-View":               "ClusterRole /Op-View, ClusterRole /op-viewer",
		"checkout web":          "Pod a/checkout-web-7",
		"zz":                    "",
		" ":                     "",
		"pod":                   "", // a kind or a namespace alone finds nothing
	} {
		f := newFinder(text, 10)
		f.list(pods, named(t, "a/checkout-web-7", "b/cobweb-1", "a/web-x1"), nil)
		f.list(deployments, named(t, "a/web-2", "b/web", "b/other"), nil)
		f.list(roles, named(t, "/op-viewer", "/Op-View"), nil)
		var got []string
		for _, o := range f.best {
			got = append(got, o.Kind+" "+o.Namespace+"/"+o.Name)
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("%q: %s, want %s", text, strings.Join(got, ", "), want)
		}
	}
}

// TestFinderMost compares the best of many with those of a finder without a limit.
func TestFinderMost(t *testing.T) {
	pods, _ := object.Builtin("pods")
	var keys []string
	for i := range 3000 {
		keys = append(keys, fmt.Sprintf("ns-%d/app-%d-web-%d", i%7, i*7919%3000, i%13))
	}
	all, few := newFinder("web-1", len(keys)), newFinder("web-1", 20)
	asked := 0
	for _, f := range []*finder{all, few} {
		f.list(pods, named(t, keys...), func(*object.Object) (string, tone.Tone) { asked++; return "Running", tone.OK })
	}
	if len(all.best) < 500 || !slices.Equal(few.best, all.best[:20]) {
		t.Errorf("%d of %d: %v", len(few.best), len(all.best), few.best)
	}
	if all.total() != len(all.best) || few.total() != len(all.best) {
		t.Errorf("%d and %d match, of %d", all.total(), few.total(), len(all.best))
	}
	exact := newFinder("web-1", 20)
	for range 2 { // an object of two lists is one
		exact.list(pods, named(t, keys...), nil)
	}
	exact.list(pods, named(t, "other/web-1"), nil)
	if exact.total() != len(all.best)+1 || len(exact.best) != 20 {
		t.Errorf("%d match, of %d", exact.total(), len(all.best)+1)
	}
	if asked > len(all.best)+500 {
		t.Errorf("the state of %d objects was asked for", asked)
	}
}

// TestFinderKeeps checks that a search holds only the objects that match: of each kind, thousands may be read for it.
func TestFinderKeeps(t *testing.T) {
	pods, _ := object.Builtin("pods")
	f, kept := newFinder("web", 10), named(t, "a/web-1")[0]
	other := func() weak.Pointer[object.Object] {
		o := named(t, "a/other")[0]
		f.list(pods, []*object.Object{kept, o}, nil)
		return weak.Make(o)
	}()
	runtime.GC()
	if other.Value() != nil || f.total() != 1 {
		t.Errorf("an object that does not match is kept: %v; %d match", other.Value() != nil, f.total())
	}
	runtime.KeepAlive(f)
}

// BenchmarkFind finds a name among 100,000 pods, in the order in which an apiserver lists them.
func BenchmarkFind(b *testing.B) {
	kind, _ := object.Builtin("pods")
	d := object.NewDecoder(kind, true)
	store := indexer.New((*object.Object).Key, nil)
	r := rand.New(rand.NewPCG(1, 2))
	store.Update(func(tx indexer.Tx[*object.Object]) {
		for app := range 4000 {
			namespace, name := fmt.Sprintf("team-%02d", app/70), fmt.Sprintf("checkout-%s-%02x-%08x", []string{"web", "api", "worker", "cache"}[app%4], app%70, r.Uint32())
			for range 25 {
				o, err := d.Decode([]byte(fmt.Sprintf(`{"kind":"Pod","apiVersion":"v1","metadata":{"namespace":%q,"name":"%s-%05x","uid":"%08x-0000"},"spec":{"nodeName":"n%d"},"status":{"phase":"Running"}}`, namespace, name, r.IntN(1<<20), r.Uint32(), app)))
				if err != nil {
					b.Fatal(err)
				}
				tx.Set(o)
			}
		}
	})
	for _, text := range []string{"web", "checkout-web", "web-42", "team-07 worker", "nothing"} {
		b.Run(strings.ReplaceAll(text, " ", "+"), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				f := newFinder(text, Most)
				f.list(kind, store.List(), nil)
				if (len(f.best) == 0) != (text == "nothing") {
					b.Fatal(len(f.best))
				}
			}
		})
	}
}
