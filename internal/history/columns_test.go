package history_test

import (
	"fmt"
	"testing"
	"time"

	"watchglass/internal/history"
	"watchglass/internal/history/historytest"
	"watchglass/internal/object"
)

// Columns of the same widgets, before and after their operator was upgraded.
const (
	fewColumns  = `[{"name":"Name","type":"string","format":"name"},{"name":"Status","type":"string"}]`
	moreColumns = `[{"name":"Name","type":"string","format":"name"},{"name":"Version","type":"string"},{"name":"Status","type":"string"}]`
)

// widgets returns a source of rows with these columns.
func widgets(t *testing.T, columns string) *source {
	kind := object.Kind{Group: "example.com", Version: "v1", Resource: "widgets", Name: "Widget", Namespaced: true}
	s := &source{t: t, kind: kind, decoder: object.NewDecoder(kind, true), objects: make(map[string]*object.Object)}
	s.columns(columns)
	return s
}

func (s *source) columns(columns string) {
	if _, err := s.decoder.SetColumns([]byte(columns)); err != nil {
		s.t.Fatal(err)
	}
}

// row sets a row with a version of the operator, which is shown only if there is one.
func (s *source) row(name string, version int, operator, status string) (before, after *object.Object) {
	cells := fmt.Sprintf("%q,%q", name, status)
	if operator != "" {
		cells = fmt.Sprintf("%q,%q,%q", name, operator, status)
	}
	return s.set(fmt.Appendf(nil, `{"cells":[%s],"object":{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"name":%q,"namespace":"b","uid":"u-%s","resourceVersion":"%d"}}}`, cells, name, name, version))
}

// statuses returns the status of each widget at a moment, as the columns of the stream say it.
func statuses(t *testing.T, record history.Record, at time.Time) map[string]string {
	t.Helper()
	decoder := object.NewDecoder(object.Kind{Group: "example.com", Version: "v1", Resource: "widgets", Name: "Widget", Namespaced: true}, true)
	if _, err := decoder.SetColumns(record.Streams()[0].Columns); err != nil {
		t.Fatal(err)
	}
	all := make(map[string]string)
	record.At(0, at, func(o history.Object) bool {
		row, err := decoder.Decode(o.Payload)
		if err != nil {
			t.Errorf("%v: %s", err, o.Payload)
			return true
		}
		all[row.Name()] = row.PrintedText(len(decoder.Columns()) - 2)
		return true
	})
	return all
}

// TestOtherColumns changes the columns of a list, while it is open or between two lists. All that is still remembered
// is read with the new ones, and the time before is dropped.
func TestOtherColumns(t *testing.T) {
	for name, change := range map[string]func(s *source, f *history.Input, store *history.Store) (*source, *history.Input){
		"open": func(s *source, f *history.Input, _ *history.Store) (*source, *history.Input) {
			s.columns(moreColumns)
			gone := s.objects["b/gone"]
			delete(s.objects, "b/gone")
			f.Note(at(10), gone, nil)
			for i, row := range []struct {
				name, status string
				version      int
			}{{"steady", "big", 1}, {"w", "small", 5}, {"changed", "bigger", 8}} {
				before, after := s.row(row.name, row.version, "v2", row.status)
				f.Note(at(10+i), before, after)
			}
			before, after := s.row("new", 9, "v2", "big")
			f.Note(at(12), before, after)
			return s, f
		},
		"between": func(s *source, f *history.Input, store *history.Store) (*source, *history.Input) {
			f.Leave(at(6), s.List())
			return reopened(t, store)
		},
		"beside": func(s *source, f *history.Input, store *history.Store) (*source, *history.Input) {
			other, next := reopened(t, store)
			f.Leave(at(12), s.List())
			return other, next
		},
	} {
		t.Run(name, func(t *testing.T) {
			memory := history.NewMemory(1<<20, nil)
			store := history.NewStore(memory)
			s := widgets(t, fewColumns)
			for n, name := range []string{"steady", "w", "changed", "gone"} {
				s.row(name, 1+n, "", "big")
			}
			f := s.feed(store)
			f.Join(at(0), s)
			before, after := s.row("w", 5, "", "small")
			f.Note(at(5), before, after)
			s, f = change(s, f, store)
			before, after = s.row("w", 10, "v2", "smaller")
			f.Note(at(20), before, after)
			want := map[string]string{"steady": "big", "w": "small", "changed": "bigger", "new": "big"}
			if got := statuses(t, store, at(12)); fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("at first: %v, want %v", got, want)
			}
			want["w"] = "smaller"
			if got := statuses(t, store, at(20)); fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("at last: %v, want %v", got, want)
			}
			if before, since := historytest.Between(store, 0, at(-1), at(11)), historytest.Between(store, 0, at(12), at(30)); len(before) > 0 || len(since) != 1 {
				t.Errorf("changes before: %s; since: %s", before, since)
			}
			if g := store.Gaps(0)[0]; g != (history.Gap{From: at(0), To: at(12), Why: history.Dropped}) {
				t.Errorf("the first gap is %+v", g)
			}
			if _, _, forgotten := store.Known(0); forgotten != 1 {
				t.Error("what is on disk of the time before is still read")
			}
			memory.Check(t)
		})
	}
}

// reopened opens the list again, after its columns have changed.
func reopened(t *testing.T, store *history.Store) (*source, *history.Input) {
	s := widgets(t, moreColumns)
	s.row("steady", 1, "v2", "big")
	s.row("w", 5, "v2", "small")
	s.row("changed", 8, "v2", "bigger")
	s.row("new", 9, "v2", "big")
	f := s.feed(store)
	f.Join(at(12), s)
	return s, f
}

// TestDecodedAnew gives a version another text, as another server may. What was before is still read.
func TestDecodedAnew(t *testing.T) {
	store := history.NewStore(history.NewMemory(1<<20, nil))
	s := widgets(t, fewColumns)
	s.row("w", 1, "", "big")
	f := s.feed(store)
	f.Join(at(0), s)
	for n, status := range []string{"small", "about as small"} {
		before, after := s.row("w", 2, "", status)
		f.Note(at(5+5*n), before, after)
	}
	for second, want := range map[int]string{1: "big", 6: "small", 11: "about as small"} {
		if got := statuses(t, store, at(second))["w"]; got != want {
			t.Errorf("second %d: %q, want %q", second, got, want)
		}
	}
}
