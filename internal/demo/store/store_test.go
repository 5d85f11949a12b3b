//go:build !js

package store

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
)

func plain(text string) Encode {
	return func(version int64) ([]byte, error) { return fmt.Appendf(nil, "%s@%d", text, version), nil }
}

func contents(s State) map[Key]string {
	all := map[Key]string{}
	for o := range s.All() {
		all[o.Key] = string(o.Raw)
	}
	return all
}

// TestModel compares a resource with a map that receives the same writes. At any version within
// the history, At must equal the map of then, and so must an earlier state with the events since.
func TestModel(t *testing.T) {
	for seed := range uint64(6) {
		rng := rand.New(rand.NewPCG(seed, 1))
		s := New(100, 400)
		r := s.Resource("things")
		other := s.Resource("others")
		model, past := map[Key]string{}, map[int64]map[Key]string{100: {}}
		for range 900 {
			k := Key{fmt.Sprint("n", rng.IntN(5)), fmt.Sprint("o", rng.IntN(1+int(seed)*200))}
			switch rng.IntN(6) {
			case 0:
				if err := other.Put(k, plain("x")); err != nil {
					t.Fatal(err)
				}
			case 1, 2:
				before := s.Version()
				if err := r.Delete(k, plain("gone")); err != nil {
					t.Fatal(err)
				}
				if _, there := model[k]; there == (before == s.Version()) {
					t.Fatal("a deletion of nothing makes a version, or one of something none")
				}
				delete(model, k)
			default:
				if err := r.Put(k, plain(k.Name)); err != nil {
					t.Fatal(err)
				}
				model[k] = fmt.Sprintf("%s@%d", k.Name, s.Version())
			}
			past[s.Version()] = maps.Clone(model)
		}
		check(t, s, r, past)
	}
}

func check(t *testing.T, s *Store, r *Resource, past map[int64]map[Key]string) {
	t.Helper()
	now := r.State()
	if now.Version != s.Version() || now.Len() != len(past[s.Version()]) || !maps.Equal(contents(now), past[s.Version()]) {
		t.Fatalf("%d objects at %d, and not %d", now.Len(), now.Version, len(past[s.Version()]))
	}
	keys := slices.Collect(func(yield func(Key) bool) {
		for o := range now.All() {
			if !yield(o.Key) {
				return
			}
		}
	})
	if !slices.IsSortedFunc(keys, Key.Compare) {
		t.Error("not in order")
	}
	for version, want := range past {
		state, err := r.At(version)
		events, _, err2 := r.Since(version)
		if version < r.Floor() {
			if !errors.Is(err, ErrExpired) || !errors.Is(err2, ErrExpired) {
				t.Fatalf("%d, before %d: %v, %v", version, r.Floor(), err, err2)
			}
			continue
		}
		if err != nil || err2 != nil {
			t.Fatal(err, err2)
		}
		replayed := contents(state)
		if state.Len() != len(want) || !maps.Equal(replayed, want) {
			t.Fatalf("at %d there are %d objects, and not %d", version, state.Len(), len(want))
		}
		for _, e := range events {
			_, there := replayed[e.Object.Key]
			if (e.Type == Added) == there || (e.Previous != nil) != there {
				t.Fatalf("%v of %v, which is there: %v", e.Type, e.Object.Key, there)
			}
			replayed[e.Object.Key] = string(e.Object.Raw)
			if e.Type == Deleted {
				delete(replayed, e.Object.Key)
			}
		}
		if !maps.Equal(replayed, past[s.Version()]) {
			t.Fatalf("what was at %d and the %d events since are not what is", version, len(events))
		}
	}
}

// TestForget checks that versions before a Forget cannot be read.
func TestForget(t *testing.T) {
	s := New(1, 10)
	r := s.Resource("things")
	if err := r.Put(Key{"n", "a"}, plain("a")); err != nil {
		t.Fatal(err)
	}
	s.Forget(50)
	if _, err := r.At(49); !errors.Is(err, ErrExpired) || s.Version() != 50 {
		t.Errorf("%v at %d", err, s.Version())
	}
	if state, err := r.At(50); err != nil || state.Len() != 1 {
		t.Errorf("%v %v", state, err)
	}
	_, more, err := r.Since(50)
	if err != nil {
		t.Fatal(err)
	}
	select {
	case <-more:
		t.Error("there is nothing more")
	default:
	}
	if err := r.Put(Key{"n", "b"}, plain("b")); err != nil {
		t.Fatal(err)
	}
	<-more
	failed := errors.New("no")
	if err := r.Put(Key{"n", "c"}, func(int64) ([]byte, error) { return nil, failed }); !errors.Is(err, failed) || s.Version() != 51 {
		t.Errorf("%v at %d", err, s.Version())
	}
}
