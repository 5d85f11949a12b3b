package replay

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"watchglass/internal/history"
	"watchglass/internal/object"
	"watchglass/internal/wire"
)

// heldObjects is a store of a source.
type heldObjects map[string]*object.Object

func (s heldObjects) List() []*object.Object                { return slices.Collect(maps.Values(s)) }
func (s heldObjects) Get(key string) (*object.Object, bool) { o, ok := s[key]; return o, ok }

// TestDroppedMeanwhile goes to a moment after changes that memory dropped while an earlier moment was on screen: the
// informer has what was there, not what those changes removed.
func TestDroppedMeanwhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now().Truncate(time.Second)
		memory := history.NewMemory(300_000, nil)
		store := history.NewStore(memory)
		join := func(resource string, s heldObjects) (*history.Feed, *object.Decoder) {
			kind, _ := object.Builtin(resource)
			d := object.NewDecoder(kind, true)
			f := store.Feed(history.Source{Kind: kind, Decoder: d, Held: func(g func(history.Objects)) { g(s) }})
			f.Join(begin, s)
			return f, d
		}
		join("nodes", heldObjects{}) // its history goes back to the beginning
		s := heldObjects{}
		f, d := join("pods", s)
		second := 0
		now := func() time.Time { return begin.Add(time.Duration(second) * time.Second) }
		put := func(name string) {
			second++
			o, err := d.Decode([]byte(strings.Replace(string(podJSON("a", name, "n", second)), `"Running"`, fmt.Sprintf("%q", "Running "+strings.Repeat(fmt.Sprint(second), 20)), 1)))
			if err != nil {
				t.Fatal(err)
			}
			before := s[o.Key()]
			s[o.Key()] = o
			f.Note(now(), before, o)
		}
		remove := func(name string) {
			second++
			o := s["a/"+name]
			delete(s, o.Key())
			f.Note(now(), o, nil)
		}
		for i := range 10 {
			put(fmt.Sprint("old-", i))
		}
		for range 500 {
			put("busy")
		}
		// The page goes back to this moment.
		at := now()
		r := New(store, Options{})
		i := followed(t, client(t, r), wire.Request{Version: "v1", Resource: "pods"})
		r.Seek(at)
		time.Sleep(time.Second)
		synctest.Wait()
		// Meanwhile pods are replaced, and the cluster goes on.
		for k := range 5 {
			remove(fmt.Sprint("old-", k))
			put(fmt.Sprint("new-", k))
		}
		for range 3000 {
			put("busy")
		}
		later := now().Add(-10 * time.Second)
		if gaps := store.Gaps(1); len(gaps) == 0 || !gaps[0].To.After(at) || !gaps[0].To.Before(later) {
			t.Fatalf("memory dropped %v, which does not end between %v and %v", gaps, at, later)
		}
		r.Seek(later)
		time.Sleep(time.Second)
		synctest.Wait()
		var want []string
		store.At(1, r.At(), func(o history.Object) bool { want = append(want, o.Key); return true })
		slices.Sort(want)
		got := slices.Sorted(maps.Keys(held(i)))
		if !slices.Equal(got, want) {
			t.Errorf("on screen: %v; at that moment: %v", got, want)
		}
	})
}
