package web

import (
	"encoding/xml"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/maxence-charriere/go-app/v9/pkg/app"

	"watchglass/internal/object"
	"watchglass/internal/port"
	"watchglass/internal/view"
	"watchglass/internal/wire"
	"watchglass/web/route"
	"watchglass/web/sidebar"
	"watchglass/web/tools"
	"watchglass/web/ui"
	"watchglass/web/views"
	"watchglass/web/words"
)

// element is an element that the shell draws.
type element struct {
	tag   string
	attrs map[string]string
	text  string // all text in it
}

// still returns a page in which nothing happens, after some changes.
func still(changes ...func(g *page)) *page {
	g := NewPage(noWorker{}, &screen{kept: map[string]string{}}, "", "/pods", "", func() {}).page
	g.address = route.Address{}
	for _, change := range changes {
		change(g)
	}
	return g
}

// noWorker is a port without a worker.
type noWorker struct{}

func (noWorker) Send(port.Message)            {}
func (noWorker) Receive() <-chan port.Message { return nil }

// draw draws a page and parses it. The HTML that go-app writes is close enough to XML, as long as no
// attribute contains a quote. In a browser go-app sets attributes one by one, so nothing else parses
// this HTML.
func draw(t *testing.T, g *page) []*element {
	t.Helper()
	return parts(t, g.draw())
}

// parts parses what is drawn.
func parts(t *testing.T, ui app.UI) []*element {
	t.Helper()
	html := app.HTMLString(ui)
	d := xml.NewDecoder(strings.NewReader(html))
	d.Strict, d.AutoClose, d.Entity = false, xml.HTMLAutoClose, xml.HTMLEntity
	var all, open []*element
	for {
		token, err := d.Token()
		if err == io.EOF {
			return all
		} else if err != nil {
			t.Fatalf("%v in %s", err, html)
		}
		switch token := token.(type) {
		case xml.StartElement:
			e := &element{tag: token.Name.Local, attrs: map[string]string{}}
			for _, a := range token.Attr {
				if a.Value == a.Name.Local {
					a.Value = "true" // go-app writes only the name
				}
				e.attrs[a.Name.Local] = a.Value
			}
			all, open = append(all, e), append(open, e)
		case xml.EndElement:
			open = open[:len(open)-1]
		case xml.CharData:
			for _, e := range open {
				e.text = strings.TrimSpace(e.text + " " + strings.TrimSpace(string(token)))
			}
		}
	}
}

// find returns the only element whose attribute has a value; a class may be one of several.
func find(t *testing.T, all []*element, attr, value string) *element {
	t.Helper()
	for _, e := range all {
		if e.attrs[attr] == value || attr == "class" && slices.Contains(strings.Fields(e.attrs[attr]), value) {
			return e
		}
	}
	t.Fatalf("nothing with %s=%q is drawn", attr, value)
	return nil
}

var noon = time.Date(2026, 5, 4, 12, 0, 0, 0, time.Local)

// pageStates are the states that a user may see.
func pageStates() map[string]*page {
	columns := []view.Column{{Name: "Namespace"}, {Name: "Name"}}
	said := &wire.Status{Origin: wire.FromAPIServer, Code: 403, Message: "pods is forbidden: User ana cannot list"}
	lost := &wire.Status{Origin: wire.FromSocket, Reason: wire.ReasonUnreachable, Message: "no response"}
	full := view.Window{Columns: columns, Total: 1204, Of: 98310, Facets: []view.Facet{{Name: view.NamespaceColumn, Values: []view.FacetValue{{Value: "kube-system", Count: 3}, {Value: "team-a", Count: 1201}}}}}
	made := map[string][]func(g *page){"nothing yet": {func(g *page) { g.address = route.Address{Resource: "pods"} }}}
	begin := func(name, state string, cause *wire.Status, w view.Window) {
		made[name] = []func(g *page){func(g *page) {
			g.address, *g.list.Window() = route.Address{Resource: "pods", Namespaces: []string{"team-a"}}, w
			g.state = port.State{Source: port.Source{Resource: "pods", Kind: "Pod", Namespaced: true, State: state, Since: noon, Cause: cause, Version: "8812345", Age: 200, Objects: 7, Synced: state == "live"}}
		}}
	}
	begin("connecting", "connecting", nil, view.Window{})
	begin("no answer", "connecting", lost, view.Window{})
	begin("syncing", "syncing", nil, full)
	begin("live", "live", nil, full)
	begin("stale", "stale", nil, full)
	begin("stale, and why", "stale", lost, full)
	begin("denied", "denied", said, view.Window{Columns: columns})
	begin("denied in part", "denied", said, full)
	begin("gone", "gone", nil, view.Window{})
	begin("offline", "offline", lost, full)
	begin("none", "live", nil, view.Window{Columns: columns})
	begin("no match", "live", nil, view.Window{Columns: columns, Of: 5})
	begin("no match yet", "syncing", nil, view.Window{Columns: columns, Of: 5})
	begin("no match, denied", "denied", nil, view.Window{Columns: columns, Of: 5})
	begin("no match, away", "offline", lost, view.Window{Columns: columns, Of: 5})
	begin("one, no match", "live", nil, view.Window{Columns: columns, Of: 1})
	begin("no column", "live", nil, view.Window{Columns: columns, Of: 1, Total: 1, Problems: view.Problems{{Part: view.PartSort, Text: "can't sort by Foo: no such column"}}})
	begin("problem, no rows", "live", nil, view.Window{Columns: columns, Of: 5, Problems: view.Problems{{Part: view.PartLabels, Text: "the label selector: <oops>", InForce: "app=a"}}})
	begin("unknown", "gone", &wire.Status{Origin: wire.FromTab, Code: 404, Message: `the apiserver has no resource type "pods"`}, view.Window{})
	begin("problem", "live", nil, view.Window{Columns: columns, Total: 2, Of: 5, Problems: view.Problems{{Part: view.PartLabels, Text: "the label selector: <oops>"}}})
	begin("another", "gone", &wire.Status{Origin: wire.FromAPIServer, Code: 404, Message: "no"}, view.Window{})
	change := func(name, from string, f func(*page)) { made[name] = append(slices.Clone(made[from]), f) }
	narrow := &wire.Welcome{Namespace: "team-a", Narrow: true}
	change("limited", "live", func(g *page) { g.state.Source.Namespace, g.state.Proxy = "team-a", narrow })
	change("problem", "problem", func(g *page) { g.address.Labels = "app in (" })
	change("none, limited", "none", func(g *page) { g.state.Source.Namespace, g.state.Proxy = "team-a", narrow })
	change("denied", "denied", func(g *page) { g.state.Source.Objects = 0 })
	change("denied in part", "denied in part", func(g *page) {
		g.state.Source.Namespace, g.state.Source.Denied, g.state.Source.Rest = "team-a,team-b", "team-b", "live"
	})
	few(change, columns)
	change("paused", "live", func(g *page) { g.list.TogglePause() })
	change("another", "another", func(g *page) { g.address.Resource, g.state.Source.Resource = "widgets", "widgets" })
	change("of no namespace", "live", func(g *page) { g.state.Source.Namespaced, g.state.Source.Kind = false, "Node" })
	change("sums denied", "of no namespace", func(g *page) {
		g.list.Window().Columns = append(slices.Clone(g.list.Window().Columns), view.Column{Name: "Pods", Kind: uint8(object.AmountCell), Gap: view.Gap{Resource: "pods", State: port.Denied}}, view.Column{Name: "CPU Requests", Gap: view.Gap{Resource: "pods", State: port.Denied}})
	})
	change("help", "live", func(g *page) { g.help.open = true })
	change("new above", "live", func(g *page) { g.list.OnPatch(view.Patch{Total: g.Window().Total, Of: g.Window().Of, Above: 12}) })
	change("kinds", "live", func(g *page) { g.Act(sidebar.Toggle, "") })
	change("namespaces", "live", func(g *page) { g.facets.Show() })
	change("another kind", "live", func(g *page) {
		g.address.Resource, g.state.Source.Resource, g.state.Source.ID = "deploy", "deploy", "deployments.apps"
		g.sidebar.OnCounts(port.Counts{Kinds: []port.Count{{ID: "pods", Objects: 98310}, {ID: "deployments.apps", Objects: 7}}})
		g.sidebar.OnKinds(port.Kinds{Kinds: []port.Kind{{ID: "pods", Name: "Pod"}, {ID: "widgets.example.com", Name: "Widget", Custom: true}, {ID: "flowschemas.flowcontrol.apiserver.k8s.io", Name: "FlowSchema"}, {ID: "secrets", Name: "Secret"}}})
	})
	change("palette", "another kind", func(g *page) {
		g.palette.Show("")
		g.palette.Typed("we")
	})
	change("palette, nothing", "another kind", func(g *page) {
		g.palette.Show("")
		g.palette.Typed("zzzz")
	})
	change("facets", "live", func(g *page) {
		g.list.Window().Facets = append(slices.Clone(g.list.Window().Facets), view.Facet{Name: "Node", Values: []view.FacetValue{{Value: "", Count: 4}, {Value: "n1", Count: 3}}})
	})
	change("folded", "another kind", func(g *page) { fold(g, "Workloads", "Other") })
	saved := []tools.View{{Name: "Crashing", Address: "/pods?n=team-a&q=crash"}, {Name: "Here", Address: "/pods?n=team-a"}}
	change("shelf", "live", func(g *page) {
		tools.Remember(g.browser, g.base, saved, tools.Unread{})
		g.views.Recall()
		g.browser.Remember("starred"+g.base, "pods,widgets.example.com")
		g.sidebar.Recall()
	})
	change("keep", "shelf", func(g *page) {
		g.Act(views.SaveAs, "")
		g.dialogs.Typed("view-name", "Crashing")
	})
	change("keep, wrong", "shelf", func(g *page) {
		g.Act(views.SaveAs, "")
		g.dialogs.Typed("view-name", "")
		g.Act(views.Save, "")
	})
	change("rename", "shelf", func(g *page) { g.Act(ui.RenameView, "Crashing") })
	change("share", "shelf", func(g *page) {
		g.share.Show("", "")
		g.origin = "https://watch.example.com"
	})
	change("share, folded", "share", func(g *page) {
		g.dialogs.Hide()
		fold(g, "Views", "Favourites")
	})
	change("notice", "live", func(g *page) { g.NotifyWith("It is removed.", views.Undo, "", "Undo") })
	change("who", "live", func(g *page) {
		g.state.Proxy = &wire.Welcome{Context: "prod-eu", Cluster: "eu-1", Server: "10.0.0.1:6443", User: "kubeconfig-user"}
	})
	change("whoami", "who", func(g *page) { g.state.User = "ana@corp" })
	out := make(map[string]*page)
	for name, changes := range made {
		out[name] = still(changes...)
	}
	return out
}

// fold folds groups of the sidebar, or opens those that are folded by default.
func fold(g *page, groups ...string) {
	for _, name := range groups {
		g.Act(ui.ToggleGroup, name)
	}
}

// few adds the states of a user who may list only some namespaces.
func few(change func(name, from string, f func(*page)), columns []view.Column) {
	nadia := func(g *page) {
		g.state.Proxy, g.state.User, g.state.Groups = &wire.Welcome{Context: "prod-eu", Namespace: "team-b"}, "nadia", "devs,ops"
		g.browser.Remember("namespaces prod-eu   ", "team-d")
		g.access.Recall(g.state.Proxy)
	}
	change("few", "live", func(g *page) { nadia(g); g.state.Source.Namespace = "team-a,team-b" })
	change("adding", "few", func(g *page) { g.facets.Typed("team-e") })
	change("adding nothing", "few", func(g *page) { g.facets.Typed("Team!") })
	change("denied, a kind", "denied", func(g *page) { nadia(g); g.address.Resource = "po" })
	change("denied, few", "denied", func(g *page) {
		nadia(g)
		g.state.Source.Namespace = "team-b"
		g.access.OnRights(port.Rights{In: []port.Right{
			{Namespace: "team-b", Lists: []string{"pods."}}, {Namespace: "team-a", Lists: []string{"pods.", "deployments.apps"}}, {Namespace: "team-c", Lists: []string{"*."}},
		}})
	})
	change("rest", "denied in part", func(g *page) {
		nadia(g)
		*g.list.Window() = view.Window{Columns: columns}
		g.state.Source.Namespace, g.state.Source.Denied, g.state.Source.Synced = "team-a,team-b,team-c", "team-b,team-c", true
	})
	change("polled", "stale, and why", func(g *page) {
		g.state.Source.Cause = &wire.Status{Origin: wire.FromAPIServer, Code: 403, Message: "pods is forbidden: User ana cannot list"}
		g.state.Source.Polled, g.state.Source.Age = 10_000, 4200
	})
	change("polled in part", "polled", func(g *page) {
		g.state.Source.Polled, g.state.Source.Namespace, g.state.Source.PolledIn = 60_000, "team-a,team-b,team-c", "team-b,team-c"
	})
}

// TestShell checks every state against the page's rules: no inline styles, no raw HTML, and labels
// for screen readers.
func TestShell(t *testing.T) {
	for name, g := range pageStates() {
		t.Run(name, func(t *testing.T) {
			all := draw(t, g)
			ids := map[string]bool{}
			for _, e := range all {
				for attr := range e.attrs {
					if attr == "style" || strings.HasPrefix(attr, "on") {
						t.Errorf("%s has %s", e.tag, attr)
					}
				}
				if id := e.attrs["id"]; id != "" {
					if ids[id] {
						t.Errorf("%s is there twice", id)
					}
					ids[id] = true
				}
				if slices.Contains([]string{"script", "style", "oops", "iframe"}, e.tag) {
					t.Errorf("a %s", e.tag)
				}
				if (e.tag == "button" || e.tag == "input" || e.tag == "a") && e.text == "" && e.attrs["aria-label"] == "" {
					t.Errorf("a %s without a name: %v", e.tag, e.attrs)
				}
				if (e.tag == "button" || e.tag == "a") && e.attrs["data-action"] == "" {
					t.Errorf("a %s that does nothing: %v", e.tag, e.attrs)
				}
			}
			for _, id := range []string{"grid", "filter", "badge", "count"} {
				if !ids[id] {
					t.Errorf("no %s", id)
				}
			}
		})
	}
}

// TestPageStates checks the texts in each state.
func TestPageStates(t *testing.T) {
	const any, none = "*", ""
	all := pageStates()
	for name, c := range map[string]struct {
		badge, count, banner, panel string // "*": as in the others
		busy                        string
	}{
		"nothing yet":      {"Connecting", none, none, none, "true"},
		"connecting":       {"Connecting", none, none, none, "true"},
		"no answer":        {"Connecting", none, none, "No response yet Can't reach the Watchglass proxy no response Nothing has loaded yet. Retrying. Check that the proxy is still running.", "true"},
		"syncing":          {"Syncing", "1,204 of 98,310", none, none, "true"},
		"live":             {"Live", "1,204 of 98,310", none, none, "false"},
		"stale":            {"Stale", any, "Stale since 12:00:00 Data may be out of date. Loading what has changed since.", none, "false"},
		"stale, and why":   {"Stale", any, "Stale since 12:00:00 Can't reach the Watchglass proxy: no response Retrying. Check that the proxy is still running.", none, "false"},
		"denied":           {"Denied", none, none, `You can't list pods cluster-wide The apiserver said pods is forbidden: User ana cannot list Your user lacks the list verb for this resource. Ask a cluster admin for the list and watch verbs, or open a namespace you have access to, here or in the address: ?n=NAMESPACE.`, "false"},
		"denied, few":      {"Denied", none, none, `You can't list pods cluster-wide, or in team-b The apiserver said pods is forbidden: User ana cannot list Your user lacks the list verb for this resource. Ask a cluster admin for the list and watch verbs, or open a namespace you have access to, here or in the address: ?n=NAMESPACE. You are nadia, in groups devs, ops. Pods in all 2 namespaces Pods in team-a Pods in team-c Deployments in team-a Services in team-c ConfigMaps in team-c Secrets in team-c ResourceQuotas in team-c Enter a namespace`, "false"},
		"denied, a kind":   {"Denied", none, none, `You can't list pods cluster-wide The apiserver said pods is forbidden: User ana cannot list Your user lacks the list verb for this resource. Ask a cluster admin for the list and watch verbs, or open a namespace you have access to, here or in the address: ?n=NAMESPACE. You are nadia, in groups devs, ops. Enter a namespace Go to pods`, "false"},
		"polled":           {"Polled", any, "Polled every 10 s: you can list pods, but not watch them The apiserver said: pods is forbidden: User ana cannot list Ask a cluster admin for the watch verb. The list then becomes live.", none, "false"},
		"polled in part":   {"Polled", any, "Polled every 1 min: you can list pods in team-b, team-c, but not watch them The apiserver said: pods is forbidden: User ana cannot list Ask a cluster admin for the watch verb. The list then becomes live.", none, "false"},
		"few":              {any, any, "Showing namespaces team-a, team-b only: you can't list pods cluster-wide. Add namespaces with n.", none, "false"},
		"rest":             {"Partly denied", "0", `You can't list pods in team-b, team-c The apiserver said: pods is forbidden: User ana cannot list The rest is live. Missing objects appear once you have access. Exclude team-b, team-c`, "No pods There are none in team-a. New ones appear here as they are created.", "false"},
		"denied in part":   {"Partly denied", "1,204 of 98,310", "You can't list pods in team-b The apiserver said: pods is forbidden: User ana cannot list The rest is live. Missing objects appear once you have access. Exclude team-b", none, "false"},
		"gone":             {"Not served", any, none, "The apiserver has no resource type pods It is not installed, or it was removed. Check the address, or go to pods. It will appear here once it is installed.", "false"},
		"another":          {"Not served", any, none, "The apiserver has no resource type widgets The apiserver said no It is not installed, or it was removed. Check the address, or go to pods. It will appear here once it is installed. Go to pods", "false"},
		"offline":          {"Offline", any, "No network Data is from before the network was lost. Reconnects when the network is back.", none, "false"},
		"none":             {any, "0", none, "No pods There are none in this cluster. New ones appear here as they are created.", "false"},
		"none, limited":    {any, "0", "Limited to team-a by --namespace.", "No pods There are none in team-a. New ones appear here as they are created.", "false"},
		"no match":         {any, "0 of 5", none, "No matches None of 5 pods match. Clear filter", "false"},
		"no match, denied": {any, "0 of 5", any, "No matches None of 5 pods match. Clear filter", "false"},
		"no match yet":     {"Syncing", "0 of 5", none, "Nothing matches so far Not all pods have loaded yet. Clear filter", "true"},
		"no match, away":   {"Offline", "0 of 5", any, "Nothing matches so far Not all pods have loaded yet. Clear filter", "false"},
		"one, no match":    {any, "0 of 1", none, "No matches The only Pod does not match. Clear filter", "false"},
		"no column":        {any, "1", "Can't sort by Foo: no such column.", none, "false"},
		"problem, no rows": {any, "0 of 5", "The label selector: <oops>. Applied: app=a.", "No matches None of 5 pods match. Clear filter", "false"},
		"unknown":          {"Not served", any, none, "The apiserver has no resource type pods It is not installed, or it was removed. Check the address, or go to pods. It will appear here once it is installed.", "false"},
		"problem":          {any, "2 of 5", "The label selector: <oops>. No label selector is applied.", none, "false"},
		"limited":          {any, any, "Limited to team-a by --namespace.", none, "false"},
		"of no namespace":  {any, any, none, none, "false"},
		"sums denied":      {any, any, "Incomplete Pods: no permission to list.", none, "false"},
	} {
		t.Run(name, func(t *testing.T) {
			drawn := draw(t, all[name])
			for what, want := range map[*element]string{
				find(t, drawn, "id", "badge"): c.badge, find(t, drawn, "id", "count"): c.count,
				find(t, drawn, "class", "banner"): c.banner, find(t, drawn, "class", "panel"): c.panel,
			} {
				if want != any && what.text != want {
					t.Errorf("%v reads\n%s\nnot\n%s", what.attrs, what.text, want)
				}
			}
			list := find(t, drawn, "class", "list")
			if list.attrs["aria-busy"] != c.busy {
				t.Error("busy:", list.attrs["aria-busy"])
			}
			if panelled := list.attrs["data-panel"] == "true"; panelled != slices.Contains([]string{"no answer", "denied", "denied, few", "denied, a kind", "gone", "unknown", "another"}, name) {
				t.Error("the panel stands in the place of the list:", panelled)
			}
		})
	}
}

// TestDrawn checks everything else that is drawn.
func TestDrawn(t *testing.T) {
	all := pageStates()
	for name, c := range map[string]struct{ sight, attr, value, of, want string }{
		"chip":             {"new above", "class", "chip", "", "12 new above ↑"},
		"no chip":          {"live", "class", "chip", "hidden", "true"},
		"kinds are open":   {"kinds", "data-action", "kinds", "aria-expanded", "true"},
		"kinds are closed": {"live", "data-action", "kinds", "aria-expanded", "false"},
		"facets are open":  {"namespaces", "id", "facets", "data-open", "true"},
		"strip is open":    {"namespaces", "id", "strip", "aria-expanded", "true"},
		"strip":            {"live", "id", "strip", "", "Facets 1"},
		"no facets":        {"of no namespace", "id", "strip", "hidden", "true"},
		"a namespace":      {"live", "title", "Remove namespace team-a", "data-action", "choose"},
		"chosen":           {"live", "title", "team-a", "aria-checked", "true"},
		"not chosen":       {"live", "data-value", "kube-system", "aria-checked", "false"},
		"counted":          {"live", "title", "team-a", "", "team-a 1,201"},
		"as whom":          {"whoami", "class", "who", "", "prod-eu as ana@corp"},
		"as kubeconfig's":  {"who", "class", "who", "", "prod-eu as kubeconfig-user"},
		"as nobody":        {"live", "class", "who", "", "Watchglass"},
		"where":            {"who", "title", "eu-1 at 10.0.0.1:6443", "", "prod-eu"},
		"help":             {"help", "id", "help", "role", "dialog"},
		"said aloud":       {"stale", "role", "status", "", "Stale since 12:00:00"},
		"live, aloud":      {"live", "role", "status", "", "pods: live"},
		"alert":            {"problem", "role", "alert", "class", "mistake"},
		"invalid":          {"problem", "data-action", "clear-labels", "data-wrong", "true"},
		"valid":            {"live", "title", "Remove namespace team-a", "data-wrong", "false"},
		"here":             {"live", "data-value", "pods", "aria-current", "page"},
		"at home":          {"live", "data-value", "pods", "", "Pods 98,310"},
		"by a short name":  {"another kind", "data-value", "deployments.apps", "aria-current", "page"},
		"how many here":    {"another kind", "data-value", "deployments.apps", "", "Deployments 98,310"},
		"held elsewhere":   {"another kind", "data-value", "pods", "", "Pods 98,310"},
		"not held":         {"another kind", "data-value", "secrets", "", "Secrets"},
		"custom":           {"another kind", "data-value", "widgets.example.com", "", "Widget"},
		"others are shut":  {"another kind", "data-value", "Other", "aria-expanded", "false"},
		"others open":      {"folded", "data-value", "flowschemas.flowcontrol.apiserver.k8s.io", "", "FlowSchema"},
		"folded":           {"folded", "data-value", "Workloads", "aria-expanded", "false"},
		"folded, and here": {"folded", "data-value", "deployments.apps", "aria-current", "page"},
		"not known":        {"another", "data-value", "widgets", "aria-current", "page"},
		"all the words":    {"stale, and why", "id", "badge", "title", "Stale since 12:00:00. Can't reach the Watchglass proxy: no response"},
		"some words":       {"stale", "id", "badge", "title", "Stale since 12:00:00. Data may be out of date."},
		"proof":            {"live", "id", "badge", "title", "Resource version 8812345. Last heard from the apiserver and the proxy 0.2 s ago."},
		"of what groups":   {"few", "title", "You are nadia, in groups devs, ops.", "", "as nadia"},
		"not counted":      {"few", "title", "team-d", "", "team-d"},
		"denied, by name":  {"rest", "data-value", "team-c", "", "team-c denied"},
		"none there":       {"rest", "title", "team-a", "", "team-a 0"},
		"forget":           {"few", "aria-label", "Remove team-d", "data-action", "forget"},
		"add":              {"adding", "data-action", "add", "data-value", "team-e"},
		"add, in words":    {"adding", "data-action", "add", "", "Add team-e ↵"},
		"find or add":      {"few", "id", "find", "placeholder", "Find or add (n)"},
		"only find":        {"live", "id", "find", "placeholder", "Find namespace (n)"},
		"polled rows":      {"polled", "class", "list", "data-polled", "true"},
		"stale rows":       {"stale", "class", "list", "data-polled", "false"},
		"leave out":        {"rest", "data-action", "within", "data-value", "team-a"},
		"a view":           {"shelf", "data-value", "Crashing", "href", "/pods?n=team-a&q=crash"},
		"another view":     {"shelf", "data-value", "Crashing", "aria-current", "false"},
		"this view":        {"shelf", "data-value", "Here", "aria-current", "page"},
		"this view, shut":  {"share, folded", "data-value", "Here", "aria-current", "page"},
		"a favourite":      {"shelf", "data-value", "widgets.example.com", "", "widgets.example.com"},
		"kept":             {"shelf", "data-action", "keep", "aria-pressed", "true"},
		"not kept":         {"live", "data-action", "keep", "aria-pressed", "false"},
		"pause":            {"live", "data-action", "pause", "", "‖ Pause"},
		"resume":           {"paused", "data-action", "pause", "", "▶ Resume"},
		"resume, in words": {"paused", "data-action", "pause", "aria-label", "Resume updates"},
		"what is in it":    {"keep", "class", "facts", "", "Kind Pods Namespaces team-a The context and the selected row are not saved. The view opens in the current context."},
		"what is renamed":  {"rename", "class", "facts", "", "Kind Pods Namespaces team-a Filter crash The context and the selected row are not saved. The view opens in the current context."},
		"is replaced":      {"keep", "id", "view-said", "", "A view with this name exists and will be replaced."},
		"replace":          {"keep", "data-action", "save", "", "Replace"},
		"keeps its name":   {"rename", "id", "view-said", "", ""},
		"no name":          {"keep, wrong", "id", "view-said", "", "a view needs a name"},
		"link":             {"share", "id", "link", "value", "https://watch.example.com/pods?n=team-a"},
		"kubectl":          {"share", "id", "command", "value", "kubectl get pods -n team-a"},
		"notice":           {"notice", "id", "notice", "", "It is removed. Undo"},
		"no notice":        {"live", "id", "notice", "", ""},
		"no namespaces":    {"of no namespace", "class", "facets", "hidden", "true"},
	} {
		t.Run(name, func(t *testing.T) {
			e := find(t, draw(t, all[c.sight]), c.attr, c.value)
			got := e.text
			if c.of != "" {
				got = e.attrs[c.of]
			}
			if got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

// TestNamespaces checks that typing narrows thousands of namespaces.
func TestNamespaces(t *testing.T) {
	g := pageStates()["live"]
	values := []view.FacetValue{}
	for i := range 300 {
		values = append(values, view.FacetValue{Value: "team-" + words.Count(i), Count: i})
	}
	g.list.Window().Facets = []view.Facet{{Name: view.NamespaceColumn, Values: values}}
	drawn := func() (buttons int, text string) {
		all := draw(t, g)
		for _, e := range all {
			if e.attrs["role"] == "checkbox" {
				buttons++
			}
		}
		return buttons, find(t, all, "class", "facets").text
	}
	if n, text := drawn(); n != 200 || !strings.HasSuffix(text, "100 more. Type to find one.") {
		t.Error(n, text[len(text)-30:])
	}
	g.facets.Typed("TEAM-29")
	if n, text := drawn(); n != 11 || strings.Contains(text, "more") {
		t.Error(n)
	}
}

// TestHelp checks that the help lists every key.
func TestHelp(t *testing.T) {
	text := find(t, draw(t, pageStates()["help"]), "id", "help").text
	for _, b := range shortcutsOf(still(), "") {
		if !strings.Contains(text, b.Title) {
			t.Errorf("no %q", b.Title)
		}
		for _, k := range b.Keys {
			if !strings.Contains(" "+text+" ", " "+ui.KeyName(k)+" ") {
				t.Errorf("no key %s", k)
			}
		}
	}
}
