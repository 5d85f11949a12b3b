package web

import (
	"strings"
	"testing"

	"watchglass/internal/detail"
	"watchglass/internal/detail/diff"
	"watchglass/internal/detail/revision"
	"watchglass/internal/wire"
	"watchglass/web/tab/changes"
	"watchglass/web/ui"
	"watchglass/web/words"
)

// history returns three revisions, of which the first two are rolled out and replaced.
func history() *detail.Revisions {
	return &detail.Revisions{Resource: revision.ReplicaSets, Pods: "app=web", History: revision.History{Counted: true, Oldest: 11, Revisions: []*revision.Revision{
		{Number: 13, State: revision.Next, Ready: 0, Total: 2, Label: "h=13", Cause: "third release", Images: []revision.Image{{Image: "r.example/shop/web:3", From: "r.example/shop/web:2"}, {Image: "sidecar:1", New: true}}},
		{Number: 12, State: revision.Live, Ready: 3, Total: 3, Label: "h=12", Images: []revision.Image{{Image: "r.example/shop/web:2"}}, Was: []int64{4, 9}},
		{Number: 11, Images: []revision.Image{{Image: "r.example/shop/web:1"}}},
	}}}
}

// TestRevisions checks what the tab shows of revisions, and how two are chosen, by the address alone.
func TestRevisions(t *testing.T) {
	onPage(t, "/deployments.apps?sel=a/web&tab=changes&rev=13", func(t *testing.T, w *tab) {
		w.live()
		asked := func(want string) {
			t.Helper()
			if got := string(w.page.drawer.Asked().Options); got != want {
				t.Errorf("asked %s, want %s", got, want)
			}
		}
		says := func(want ...string) {
			t.Helper()
			all := content(w.changed())
			for _, text := range want {
				if !strings.Contains(all, text) {
					t.Errorf("%q is not among %s", text, all)
				}
			}
		}
		asked(`{"revisions":"13"}`)
		r := history()
		w.part("changes", detail.Changes{Revisions: r})
		says("Loading…", "13", "Rolling out", "web 2 → 3", "sidecar 1 (new container)", "0/2", "3/3", "web 2", "third release", "Was 4, 9", "Revisions before 11 are no longer stored.", "Changes seen")
		r.Compared = &detail.Comparison{From: "12", To: "13", Fields: []detail.Field{{Path: "spec.x", Kind: diff.Changed, Before: "a", After: "b"}}}
		w.part("changes", detail.Changes{Revisions: r})
		says("From revision 12 to 13", "spec.x")
		for _, step := range []struct {
			action        ui.Action
			value         string
			address, says string
		}{
			{changes.ShowRevision, "13", "", ""},
			{changes.ShowRevision, "11", "rev=11", "No earlier revision is stored."},
			{changes.PickRevision, "11", "rev=11,", "Choose another revision to compare with 11."},
			{changes.PickRevision, "11", "", ""},
			{changes.PickRevision, "13", "rev=13,", "Choose another"},
			{changes.PickRevision, "12", "rev=13,12", "From revision 12 to 13"},
			{changes.PickRevision, "13", "rev=12,", "Choose another revision to compare with 12."},
			{changes.PickRevision, "11", "rev=12,11", "Loading…"},
			{changes.PickRevision, "11", "rev=12,", "Choose another"},
			{changes.PickRevision, "13", "rev=12,13", "From revision 12 to 13"},
			{changes.PickRevision, "11", "rev=11,", "Choose another"},
		} {
			w.Act(step.action, step.value)
			address := w.page.address.String("")
			if _, rev, _ := strings.Cut(address, "tab=changes"); strings.TrimPrefix(rev, "&") != step.address {
				t.Errorf("%s %s: %s, want %s", step.action, step.value, address, step.address)
			}
			asked(map[bool]string{true: `{}`, false: `{"revisions":"` + strings.TrimPrefix(step.address, "rev=") + `"}`}[step.address == ""])
			says(step.says)
		}
		for rev, want := range map[string]string{"13,5": "Revision 5 is no longer stored.", "5": "Revision 5 is no longer stored.", "5,": "Revision 5 is no longer stored.", "12": "Loading…"} {
			w.page.address.Revisions = rev
			says(want)
		}
	})
}

// TestRevisionNotes checks what is said where revisions are missing: "none" only if that is known.
func TestRevisionNotes(t *testing.T) {
	onPage(t, "/deployments.apps?sel=a/web&tab=changes", func(t *testing.T, w *tab) {
		w.live()
		denied := []detail.Denial{{Resource: "pods", Status: &wire.Status{Origin: wire.FromAPIServer, Message: "no\u202e"}}}
		some := []*revision.Revision{{}}
		for want, r := range map[string]detail.Revisions{
			"No revisions stored.": {}, "Loading…": {Loading: true},
			"Pods can't be listed; the apiserver said: no": {Denied: denied},
			"7 older revisions not shown.":                 {History: revision.History{More: 7, Revisions: some}},
			"1 older revision not shown.":                  {History: revision.History{More: 1, Revisions: some}},
		} {
			w.part("changes", detail.Changes{Revisions: &r})
			var got []string
			for _, e := range w.changed() {
				if e.tag == "p" && e.attrs["class"] == "dim" && e.attrs["id"] != "unchanged" {
					got = append(got, e.text)
				}
			}
			if len(got) != 1 || !strings.HasPrefix(got[0], want) || strings.Contains(got[0], "\u202e") {
				t.Errorf("%q, want %q", got, want)
			}
		}
	})
}

// TestRolloutCard checks how the summary shows a rollout, and what leads on from it.
func TestRolloutCard(t *testing.T) {
	onPage(t, "/deployments.apps?sel=a/web", func(t *testing.T, w *tab) {
		w.live()
		u := revision.Rollout{From: 12, To: 13, Ready: 1, Desired: 4, Updated: 2, Old: 3, Counted: true, Waits: []revision.Wait{{Text: "late\u202e", Tone: "failed"}, {Text: "ErrImagePull", Pod: "web-x", Also: 2}}}
		draw := func(u *detail.Rollout) []*element {
			w.summary(detail.Summary{Rollout: u})
			return w.drawn()
		}
		all := draw(&detail.Rollout{Rollout: u, Denied: []detail.Denial{{Resource: "pods", Status: &wire.Status{Origin: wire.FromAPIServer, Message: "no"}}}})
		text := content(all)
		for _, want := range []string{"Rollout: revision 12 → 13", "New: 1 of 4 ready · Old: 3 left", "Waiting for:", "web-x", " and 2 more: ErrImagePull", "Pods can't be listed; the apiserver said: no", "Revisions"} {
			if !strings.Contains(text, want) {
				t.Errorf("%q is not among %s", want, text)
			}
		}
		if all[1].attrs["data-tone"] != "failed" || strings.Contains(text, "\u202e") {
			t.Errorf("%v: %q", all[1].attrs, text)
		}
		if got := draw(nil); len(got) != 1 {
			t.Error(content(got))
		}
		for want, u := range map[string]revision.Rollout{
			"Rollout in progress / New: 0 of 0 updated":                    {},
			"Rollout: revision 1 / New: 0 of 2 ready":                      {To: 1, Desired: 2, Counted: true},
			"Rollout: revision 3 → new / New: 0 of 2 ready · Old: 0 left":  {From: 3, Desired: 2, Counted: true},
			"Rollback: revision 3 → 4 / New: 1 of 2 updated · Old: 1 left": {From: 3, To: 4, Back: true, Updated: 1, Desired: 2, Old: 1},
		} {
			if got := words.RolloutTitle(u) + " / " + words.RolloutSides(u); got != want {
				t.Errorf("%s, want %s", got, want)
			}
		}
	})
}

// TestRevisionsBack checks that Back compares the revisions of the address that it leads to.
func TestRevisionsBack(t *testing.T) {
	onPage(t, "/deployments.apps?sel=a/web&tab=changes&rev=13", func(t *testing.T, w *tab) {
		w.live()
		for query, want := range map[string]string{"&rev=12,13": `{"revisions":"12,13"}`, "": `{}`} {
			w.Moved("/deployments.apps", "sel=a/web&tab=changes"+query)
			if got := string(w.page.drawer.Asked().Options); got != want {
				t.Errorf("%q asks for %s, want %s", query, got, want)
			}
		}
	})
}
