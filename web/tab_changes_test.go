package web

import (
	"fmt"
	"strings"
	"testing"

	"watchglass/internal/detail"
	"watchglass/internal/detail/diff"
	"watchglass/web/tab/changes"
	"watchglass/web/words"
)

// changed returns the elements of the tab.
func (w *tab) changed() []*element {
	return parts(w.t, w.page.drawer.Tab().Draw())
}

// fields returns the visible fields by version.
func fields(all []*element) string {
	var out []string
	for _, e := range all {
		switch {
		case e.attrs["class"] == "version":
			out = append(out, e.attrs["data-version"]+":")
		case e.attrs["class"] == "field":
			out = append(out, e.attrs["data-path"])
		}
	}
	return strings.Join(out, " ")
}

// TestOlderVersions checks that all but the newest versions are expanded by hand.
func TestOlderVersions(t *testing.T) {
	onPage(t, "/pods?sel=a/p1&tab=changes", func(t *testing.T, w *tab) {
		w.live()
		var shows detail.Changes
		for i := 6; i > 0; i-- {
			v := detail.Version{Version: fmt.Sprint(i), At: 1000}
			if i > 1 {
				v.Comparison = detail.Comparison{From: fmt.Sprint(i - 1), To: v.Version, Fields: []detail.Field{{Path: fmt.Sprint("f", i), Kind: diff.Changed, Before: "a", After: "b"}}}
			}
			shows.Versions = append(shows.Versions, v)
		}
		shows.Versions[4].Fields, shows.Versions[4].More = nil, 120
		w.part("changes", shows)
		if got := fields(w.changed()); got != "6: f6 5: f5 4: f4 3: 2: 1:" {
			t.Error(got)
		}
		all := content(w.changed())
		if !strings.Contains(all, "1 field") || !strings.Contains(all, "120 fields") || strings.Contains(all, "too many") {
			t.Error(all)
		}
		if named := find(t, draw(t, w.page), "aria-label", "120 fields in version 2"); named.text != "120 fields" { // what is spoken has what is seen
			t.Errorf("%+v", named)
		}
		w.Act(changes.OpenVersion, "3")
		w.Act(changes.OpenVersion, "2")
		if got := fields(w.changed()); got != "6: f6 5: f5 4: f4 3: f3 2: 1:" {
			t.Error(got)
		}
		if all := content(w.changed()); !strings.Contains(all, "120 fields, too many to list") {
			t.Error(all)
		}
		w.Act(changes.OpenVersion, "3")
		if got := fields(w.changed()); got != "6: f6 5: f5 4: f4 3: 2: 1:" {
			t.Error(got)
		}
	})
}

// TestDeletedAt checks that the tab says when the object was deleted only if that is known.
func TestDeletedAt(t *testing.T) {
	onPage(t, "/pods?sel=a/p1&tab=changes", func(t *testing.T, w *tab) {
		w.live()
		for want, shows := range map[string]detail.Changes{
			"Deleted at " + words.ClockTime(1000) + ".": {Deleted: true, Gone: 1000},
			"Deleted.": {Deleted: true},
		} {
			w.part("changes", shows)
			if got := content(w.changed()); !strings.Contains(got, want) {
				t.Errorf("%q, want %q", got, want)
			}
		}
		w.part("changes", detail.Changes{})
		if got := content(w.changed()); strings.Contains(got, "Deleted") {
			t.Error(got)
		}
	})
}

// TestUnchanged checks that the tab does not call an object unchanged if it was not watched.
func TestUnchanged(t *testing.T) {
	onPage(t, "/pods?sel=a/p1&tab=changes", func(t *testing.T, w *tab) {
		w.live()
		said := func() string {
			for _, e := range w.changed() {
				if e.attrs["id"] == "unchanged" {
					return e.text
				}
			}
			return ""
		}
		w.part("changes", detail.Changes{Since: 1000})
		if got := said(); !strings.HasPrefix(got, "Loading") {
			t.Errorf("before the head: %q", got)
		}
		for state, want := range map[detail.State]string{
			detail.Live: "No changes since", detail.Deleted: "No changes since", detail.Loading: "Loading", detail.Missing: "Not found",
			detail.Polled: "Polled, not watched", detail.Denied: "You can't view this object", detail.Stale: "No changes seen since",
		} {
			w.head(99, detail.Head{Kind: "Pod", Name: "p1", State: state})
			if got := said(); !strings.HasPrefix(got, want) {
				t.Errorf("%s: %q, want %q", state, got, want)
			}
		}
		w.head(99, detail.Head{Kind: "Pod", Name: "p1", State: detail.Unread, Since: 2000})
		if got := content(w.changed()); got != "Can't be read since "+words.ClockTime(2000)+". Changes since then are not shown." {
			t.Errorf("unreadable: %q", got)
		}
		w.part("changes", detail.Changes{})
		w.head(99, detail.Head{Kind: "Pod", Name: "p1", State: detail.Live})
		if got := said(); !strings.HasPrefix(got, "No changes are stored") {
			t.Errorf("in the past: %q", got)
		}
		w.part("changes", detail.Changes{Versions: []detail.Version{{Version: "1"}}})
		for state, want := range map[detail.State]string{detail.Live: "", detail.Stale: "", detail.Polled: "Polled, not watched", detail.Denied: "You can't view this object"} {
			w.head(99, detail.Head{Kind: "Pod", Name: "p1", State: state})
			if got := said(); got == "" != (want == "") || !strings.HasPrefix(got, want) {
				t.Errorf("%s, with versions: %q, want %q", state, got, want)
			}
		}
	})
}
