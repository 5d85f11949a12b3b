package web

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"watchglass/internal/detail"
	"watchglass/internal/detail/rbac"
	"watchglass/internal/port"
	"watchglass/internal/view"
	"watchglass/web/drawer"
	"watchglass/web/route"
	"watchglass/web/tab/whocan"
	"watchglass/web/ui"
)

// accessDrawn returns the elements of the tab.
func (w *tab) accessDrawn() []*element { return parts(w.t, w.page.drawer.Tab().Draw()) }

// accessRows returns the rows of the table: the key of the subject, and what its cells show.
func (w *tab) accessRows() string {
	var out []string
	for _, e := range w.accessDrawn() {
		switch {
		case e.attrs["data-subject"] != "":
			out = append(out, e.attrs["data-subject"])
		case e.attrs["data-verb"] != "" && e.text != "":
			out = append(out, e.attrs["data-verb"]+":"+e.text)
		}
	}
	return strings.Join(out, " ")
}

// accessAsked returns the options of the last request.
func (w *tab) accessAsked() (o rbac.Options) {
	w.t.Helper()
	if err := json.Unmarshal(w.page.drawer.Asked().Options, &o); err != nil {
		w.t.Fatal(err)
	}
	return o
}

func holder(kind, name string, all rbac.Verbs) rbac.Holder {
	return rbac.Holder{Subject: rbac.Subject{Kind: kind, Name: name}, All: all}
}

const everyVerb = rbac.Get | rbac.List | rbac.Watch | rbac.Edit | rbac.Remove

// TestAccessMarks checks what the cells show, and that there is a column for each verb that was
// asked about.
func TestAccessMarks(t *testing.T) {
	onPage(t, "/secrets?sel=a/s1&tab=access", func(t *testing.T, w *tab) {
		w.live()
		some := holder(rbac.User, "cem", 0)
		some.Some, some.Spread, some.Named = rbac.List|rbac.Update, 2, rbac.Get
		w.part(route.AccessID, rbac.Answer{Asked: everyVerb, Holders: []rbac.Holder{
			holder(rbac.User, "ana", everyVerb), holder(rbac.Group, "devs", rbac.Update|rbac.Delete), holder(rbac.User, "bob", rbac.Patch|rbac.DeleteCollection), some,
		}})
		if got, want := w.accessRows(), "User /ana get:✓ list:✓ watch:✓ edit:✓ delete:✓ Group /devs edit:update delete:✓ User /bob edit:patch delete:deletecollection User /cem get:by name list:some edit:some"; got != want {
			t.Errorf("%s\nwant\n%s", got, want)
		}
		if got := content(w.accessDrawn()); strings.Contains(got, "Exec") || !strings.Contains(got, "4 subjects") || !strings.Contains(got, "values of a Secret") {
			t.Error(got)
		}
	})
}

// TestAccessHostile checks that names that anybody may bind a role to, or put into an address, hide and forge
// nothing.
func TestAccessHostile(t *testing.T) {
	onPage(t, "/secrets?sel=a/s1&tab=access&verb=nobody+can+delete", func(t *testing.T, w *tab) {
		w.live()
		w.part(route.AccessID, rbac.Answer{Asked: everyVerb, Holders: []rbac.Holder{holder(rbac.Group, "system:serviceaccounts:a\u202eb", rbac.Delete), holder(rbac.User, "an\u202ea", rbac.Delete)}})
		if got := content(w.accessDrawn()); strings.Contains(got, "\u202e") || strings.Contains(got, "nobody can") {
			t.Errorf("%q", got)
		}
	})
}

// TestAccessNobody checks that an empty table never reads as nobody while something is not known.
func TestAccessNobody(t *testing.T) {
	denied := view.Gap{Resource: rbac.RoleBindings, State: port.Denied, Only: "a", Cause: "no"}
	for _, c := range []struct {
		name        string
		answer      rbac.Answer
		says, hides string
	}{
		{"nobody", rbac.Answer{}, "No subjects found", "could be read"},
		{"filtered", rbac.Answer{Filtered: 2}, "No subjects match", "No subjects found"},
		{"loading", rbac.Answer{Gaps: []view.Gap{{Resource: rbac.Roles, State: port.Syncing}}}, "Loading…", "No subjects"},
		{"in part", rbac.Answer{Gaps: []view.Gap{denied}, Unread: 2}, "No subjects found in the roles and bindings that you can read", "Loading"},
		{"uncounted", rbac.Answer{Gaps: []view.Gap{{Resource: rbac.Roles, State: port.Syncing}}}, "Loading…", "0 subjects"},
		{"uncounted in part", rbac.Answer{Gaps: []view.Gap{denied}}, "No subjects found in the roles", "0 subjects"},
		{"named", rbac.Answer{Gaps: []view.Gap{denied}, Unread: 2}, "RoleBindings: no permission to list in a.", "roles that you can't read"}, // the roles are read, so they do not exist
		{"roles", rbac.Answer{Gaps: []view.Gap{{Resource: rbac.Roles, State: port.Denied, Only: "a"}}, Unread: 2}, "2 bindings to roles that you can't read.", "Loading"},
		{"blind", rbac.Answer{Gaps: []view.Gap{denied}, Blind: true, Asked: everyVerb}, "You can't list roles and bindings", "No subjects"},
		{"blind, by kubectl", rbac.Answer{Gaps: []view.Gap{denied}, Blind: true, Asked: everyVerb}, "kubectl auth can-i delete secrets/s1 -n a --as USER", "Subject"},
		{"broken", rbac.Answer{Gaps: []view.Gap{{Resource: rbac.Roles, State: port.Connecting, Cause: "down"}}, Blind: true}, "Roles and bindings can't be listed", "cluster admin"},
	} {
		onPage(t, "/secrets?sel=a/s1&tab=access", func(t *testing.T, w *tab) {
			w.live()
			if got := content(w.accessDrawn()); got != "Loading roles and bindings…" {
				t.Error(got)
			}
			w.part(route.AccessID, c.answer)
			if got := content(w.accessDrawn()); !strings.Contains(got, c.says) || strings.Contains(got, c.hides) {
				t.Errorf("%s: %s", c.name, got)
			}
		})
	}
}

// TestAccessAsks checks what the worker is asked for: the filters of the address, the expanded
// subjects, and Kubernetes' own.
func TestAccessAsks(t *testing.T) {
	onPage(t, "/secrets?n=a&sel=a/s1&tab=access&verb=delete&who=an", func(t *testing.T, w *tab) {
		w.live()
		if o := w.accessAsked(); o.Verb != rbac.Remove || o.Text != "an" || o.Namespaces != nil {
			t.Errorf("%+v", o)
		}
		w.part(route.AccessID, rbac.Answer{Asked: everyVerb, Own: 3, Holders: []rbac.Holder{holder(rbac.User, "ana", rbac.Delete)}})
		w.Act(whocan.Expand, "User /ana")
		if o := w.accessAsked(); !slices.Equal(o.Open, []string{"User /ana"}) {
			t.Errorf("%+v", o)
		}
		w.Act(whocan.Expand, "User /ana")
		w.Act(whocan.ShowBuiltin, "")
		if o := w.accessAsked(); o.Open != nil || !o.Builtin {
			t.Errorf("%+v", o)
		}
		w.screen.takeCalls()
		w.Act(whocan.PickVerb, "delete")
		w.Typed(whocan.Field, "x")
		w.Typed(whocan.Field, "xy")
		if o := w.accessAsked(); o.Verb != 0 || o.Text != "xy" {
			t.Errorf("%+v", o)
		}
		if got := w.here(); got != "/secrets?n=a&sel=a/s1&tab=access&who=xy" {
			t.Error(got)
		}
		if got := w.screen.takeCalls(); strings.Count(got, "push") != 2 { // typing is one step
			t.Error(got)
		}
		w.Moved("/secrets", "n=a&sel=a/s1&tab=access&verb=get")
		if o := w.accessAsked(); o.Verb != rbac.Get || o.Text != "" {
			t.Errorf("%+v", o)
		}
		w.Act(ui.OpenTab, "yaml")
		if got := w.here(); got != "/secrets?n=a&sel=a/s1&tab=yaml" {
			t.Error(got)
		}
	})
}

// TestAccessGrants checks how a subject's bindings and roles are shown, with links.
func TestAccessGrants(t *testing.T) {
	onPage(t, "/secrets?sel=a/s1&tab=access", func(t *testing.T, w *tab) {
		w.live()
		w.Act(whocan.Expand, "ServiceAccount a/ci")
		h := rbac.Holder{Subject: rbac.Subject{Kind: rbac.ServiceAccount, Namespace: "a", Name: "ci"}, All: rbac.Get | rbac.Delete, More: 2, Grants: []rbac.Grant{
			{Binding: "all", Role: "edit", ClusterRole: true, Verbs: rbac.Get}, {In: "a", Binding: "some", Role: "r", Verbs: rbac.Get | rbac.Delete, Named: rbac.Delete},
		}}
		w.part(route.AccessID, rbac.Answer{Asked: everyVerb, Holders: []rbac.Holder{h}})
		all := w.accessDrawn()
		var links []string
		for _, e := range all {
			if e.attrs["data-action"] == string(ui.GoObject) {
				links = append(links, e.attrs["data-value"])
			}
		}
		want := []string{"serviceaccounts a/ci", rbac.ClusterRoleBindings + " all", rbac.ClusterRoles + " edit", rbac.RoleBindings + " a/some", rbac.Roles + " a/r"}
		if !slices.Equal(links, want) {
			t.Errorf("%q", links)
		}
		if got := content(all); !strings.Contains(got, "get, delete (by name: delete)") || !strings.Contains(got, "And 2 more bindings.") {
			t.Error(got)
		}
	})
}

// TestWhoCan checks the tab of a kind as a whole: how it is opened and closed, for which
// namespaces, and that keys open objects beside it.
func TestWhoCan(t *testing.T) {
	onPage(t, "/secrets?n=a,b", func(t *testing.T, w *tab) {
		w.live()
		w.takeSent()
		w.Act(drawer.WhoCan, "")
		all := w.focused()
		if len(all) != 1 || all[0].Resource != "secrets" || all[0].Name != "" || all[0].Tab != route.AccessID || string(all[0].Options) != `{"namespaces":["a","b"]}` {
			t.Errorf("%+v", all)
		}
		if got := w.here(); got != "/secrets?n=a,b&tab=access" {
			t.Error(got)
		}
		var tabs []string
		for _, e := range parts(t, w.page.drawer.Draw()) {
			if e.attrs["role"] == "tab" {
				tabs = append(tabs, e.text)
			}
		}
		if !slices.Equal(tabs, []string{"Access"}) {
			t.Errorf("%q", tabs)
		}
		w.Act(ui.ChooseNamespace, "b")
		if o := w.accessAsked(); !slices.Equal(o.Namespaces, []string{"a"}) {
			t.Errorf("%+v", o)
		}
		w.Press(ui.Key{Name: "Escape"})
		w.wantFocus(port.Focus{})
		if got := w.here(); got != "/secrets?n=a" {
			t.Error(got)
		}
	})
	for _, at := range []string{"/problems?tab=access", "/" + detail.Releases + "?tab=access"} { // of several kinds, and of none of the cluster's
		onPage(t, at, func(t *testing.T, w *tab) {
			w.live()
			w.Act(drawer.WhoCan, "")
			if got := w.focused(); len(got) > 0 {
				t.Errorf("%s: %+v", at, got)
			}
			w.Typed("palette", "secr") // so it asks for a kind
			if w.Press(ui.Key{Name: "Enter", Typing: true}); w.here() != "/secrets?tab=access" {
				t.Errorf("from %s to %s", at, w.here())
			}
		})
	}
	onPage(t, "/secrets", func(t *testing.T, w *tab) { // the namespaces that may be listed
		w.Act(drawer.WhoCan, "")
		w.takeSent()
		w.setSource(port.Source{Resource: "secrets", ID: "secrets", Kind: "Secret", Namespaced: true, Namespace: "c,d", State: port.Live, Synced: true})
		if o := w.accessAsked(); !slices.Equal(o.Namespaces, []string{"c", "d"}) {
			t.Errorf("%+v", o)
		}
	})
}

// TestWhoCanEverywhere checks that the menu and the palette offer the tab on every page: on one of several kinds
// they ask for the kind.
func TestWhoCanEverywhere(t *testing.T) {
	for _, at := range []string{"/", "/timeline", "/pods"} {
		onPage(t, at, func(t *testing.T, w *tab) {
			w.live()
			if all := offers(w.page.palette, "who can"); all[0].Action != drawer.WhoCan {
				t.Errorf("%s: %+v", at, all)
			}
			if find(t, draw(t, w.page), "data-action", string(drawer.WhoCan)).attrs["hidden"] == "true" {
				t.Errorf("%s: it is not in View", at)
			}
			for _, o := range w.page.drawer.WhoCanOffers() {
				if o.Action != "who-can-kind" || (route.Address{Resource: o.Value}).Mixed() || o.Value == route.OverviewID || o.Value == detail.Releases {
					t.Errorf("%+v", o)
				}
			}
		})
	}
}

// TestAccessCommand checks the command for a user who may not list roles and bindings.
func TestAccessCommand(t *testing.T) {
	for at, want := range map[string]string{
		"/pods?sel=a/p1&tab=access":                 "kubectl auth can-i delete pods/p1 -n a --as USER",
		"/pods?sel=a/p1&tab=access&verb=edit":       "kubectl auth can-i patch pods/p1 -n a --as USER",
		"/pods?sel=a/p1&tab=access&verb=exec":       "kubectl auth can-i create pods/p1 --subresource=exec -n a --as USER",
		"/pods?tab=access&verb=logs&n=b":            "kubectl auth can-i get pods --subresource=log -n b --as USER",
		"/jobs.batch?sel=a/j&tab=access&verb=exec":  "kubectl auth can-i create pods --subresource=exec -n a --as USER",
		"/nodes?sel=n1&tab=access&verb=get":         "kubectl auth can-i get nodes/n1 --as USER",
		"/secrets?tab=access&verb=list&n=a":         "kubectl auth can-i list secrets -n a --as USER",
		"/secrets?sel=a/%E2%80%AEx&tab=access":      "kubectl auth can-i delete secrets --as USER",
		"/deployments.apps?sel=a/w&tab=access":      "kubectl auth can-i delete deployments.apps/w -n a --as USER",
		"/secrets?sel=a/s1&tab=access&verb=strange": "kubectl auth can-i delete secrets/s1 -n a --as USER",
	} {
		onPage(t, at, func(t *testing.T, w *tab) {
			w.live()
			w.part(route.AccessID, rbac.Answer{Asked: everyVerb, Blind: true, Gaps: []view.Gap{{Resource: rbac.Roles, State: port.Denied}}})
			drawn := w.accessDrawn()
			if got := drawn[len(drawn)-1].text; got != want {
				t.Errorf("%s: %s\nwant %s", at, got, want)
			}
		})
	}
}
