package web

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"watchglass/internal/detail/related"
	"watchglass/internal/port"
	"watchglass/web/grid"
	"watchglass/web/tab/events"
	"watchglass/web/tab/relations"
	"watchglass/web/ui"
)

// fakeGraphPainter is a fake painter that keeps the last picture.
type fakeGraphPainter struct {
	picture       grid.Picture
	zoomed        string
	width, height int
}

func (e *fakeGraphPainter) Room() (width, height int) { return e.width, e.height }

func (e *fakeGraphPainter) Show(p grid.Picture) { e.picture = p }
func (e *fakeGraphPainter) Zoom(percent int)    { e.zoomed += fmt.Sprint(percent, " ") }

// Pan finds the last item beyond any edge.
func (e *fakeGraphPainter) Pan(grid.Edge) string { return e.picture.Items[len(e.picture.Items)-1].Key }

// reached returns the item that Tab reaches.
func (e *fakeGraphPainter) reached() string {
	var all []string
	for _, i := range e.picture.Items {
		if i.Reached {
			all = append(all, i.Kind+" "+i.Name)
		}
	}
	return strings.Join(all, ", ")
}

func (w *tab) part(name string, value any) {
	doc, err := json.Marshal(value)
	if err != nil {
		w.t.Fatal(err)
	}
	w.in <- port.Detail{Seq: 100, Part: name, Doc: doc}
	synctest.Wait()
}

// relatedPicture returns a deployment, what it owns, a service, and objects that are only counted
// or missing.
func relatedPicture() related.Picture {
	g := related.Graph{Nodes: []related.Node{
		{ID: related.ID{Resource: "deployments.apps", Namespace: "a", Name: "web"}, Kind: "Deployment", State: "1/2", Tone: "warning"},
		{ID: related.ID{Resource: "pods", Namespace: "a", Name: "web-1"}, Kind: "Pod", State: "CrashLoopBackOff", Tone: "failed"},
		{ID: related.ID{Resource: "services", Namespace: "a", Name: "web"}, Kind: "Service", State: "ClusterIP"},
		{ID: related.ID{Resource: "configmaps", Namespace: "a", Name: "gone"}, Kind: "ConfigMap", Presence: related.Missing},
		{ID: related.ID{Resource: "pods", Namespace: "a"}, Kind: "Pod", More: 1240, Of: &related.ID{Resource: "deployments.apps", Namespace: "a", Name: "web"}},
		{ID: related.ID{Resource: "secrets", Namespace: "a"}, Kind: "Secret", Presence: related.Unknown, Error: "no secrets for you"},
	}, Edges: []related.Edge{{From: 0, To: 1, Verb: related.Owns}, {From: 0, To: 3, Verb: related.Uses}, {From: 0, To: 4, Verb: related.Owns}, {From: 2, To: 1, Verb: related.Selects}}}
	return related.Picture{Graph: g}
}

// onRelated runs a test on the tab with a picture in it.
func onRelated(t *testing.T, narrow bool, test func(t *testing.T, w *tab, e *fakeGraphPainter)) {
	onPage(t, "/deployments.apps?sel=a/web&tab=related", func(t *testing.T, w *tab) {
		e := &fakeGraphPainter{width: 1400, height: 800}
		w.AttachGraph(e, narrow)
		w.part("related", relatedPicture())
		test(t, w, e)
	})
}

// TestGraph checks the content and the link of each node of the graph.
func TestGraph(t *testing.T) {
	onRelated(t, false, func(t *testing.T, _ *tab, e *fakeGraphPainter) {
		var out []string
		for _, i := range e.picture.Items {
			out = append(out, strings.Join(strings.Fields(fmt.Sprint(i.Kind, " ", i.Name, " ", i.State, " ", i.Tone, " ", i.Look, " ", i.Href)), " "))
		}
		want := []string{
			"Deployment web 1/2 warning focal",
			"Pod web-1 CrashLoopBackOff failed broken /pods?sel=a/web-1&tab=related",
			`Pod and 1,240 more counted /pods?n=a&q=owner:%22Deployment/web%22`,
			"ConfigMap gone not found warning absent broken /configmaps?sel=a/gone&tab=related",
			"Service web ClusterIP /services?sel=a/web&tab=related",
			"Secret can't be listed unknown pending absent",
		}
		if got := strings.Join(out, "\n"); got != strings.Join(want, "\n") || e.picture.Tree {
			t.Errorf("\n%s\nwant\n%s", got, strings.Join(want, "\n"))
		}
		if !strings.Contains(e.picture.Items[5].Title, "no secrets for you") {
			t.Error("why it is not known is not said")
		}
	})
}

// TestTreeOfRelated checks the same as a list, which is the default on a narrow screen.
func TestTreeOfRelated(t *testing.T) {
	onRelated(t, true, func(t *testing.T, w *tab, e *fakeGraphPainter) {
		var out []string
		for _, i := range e.picture.Items {
			out = append(out, strings.Join(strings.Fields(fmt.Sprint(strings.Repeat("> ", i.Level-1), i.Verb, " ", i.Kind, " ", i.Name)), " "))
		}
		want := "Deployment web, > Pod web-1, > Pod and 1,240 more, uses ConfigMap gone, Service web, > selects Pod web-1, Secret can't be listed"
		if got := strings.Join(out, ", "); got != want || !e.picture.Tree {
			t.Errorf("\n%s\nwant\n%s", got, want)
		}
		w.screen.takeCalls()
		w.Act(relations.ShowGraph, "")
		if got := w.screen.takeCalls(); got != "remember related-narrow graph" || e.picture.Tree {
			t.Error(got)
		}
	})
}

// TestNarrowed checks that a window that becomes narrow shows the list, and the graph again once it
// is wide.
func TestNarrowed(t *testing.T) {
	onRelated(t, false, func(t *testing.T, w *tab, e *fakeGraphPainter) {
		for _, narrow := range []bool{true, false, true} {
			if w.GraphResized(narrow); e.picture.Tree != narrow {
				t.Errorf("narrow: %v, list: %v", narrow, e.picture.Tree)
			}
		}
	})
}

// TestTwoWays checks that a row of the list has all verbs, and names the objects other than its
// parent.
func TestTwoWays(t *testing.T) {
	onRelated(t, true, func(t *testing.T, w *tab, e *fakeGraphPainter) {
		node := func(resource, kind string) related.Node {
			return related.Node{ID: related.ID{Resource: resource, Namespace: "a", Name: "web"}, Kind: kind}
		}
		g := related.Graph{
			Nodes: []related.Node{node("services", "Service"), node("endpointslices.discovery.k8s.io", "EndpointSlice"), node("pods", "Pod")},
			Edges: []related.Edge{{From: 0, To: 1, Verb: related.Owns}, {From: 0, To: 1, Verb: related.Routes}, {From: 0, To: 2, Verb: related.Selects}, {From: 1, To: 2, Verb: related.Routes}},
		}
		w.part("related", related.Picture{Graph: g})
		var out []string
		for _, i := range e.picture.Items[1:] {
			out = append(out, i.Kind+": "+i.Verb)
		}
		if got, want := strings.Join(out, "; "), "EndpointSlice: owns, routes to; Pod: selects, routes to"; got != want {
			t.Errorf("%s, want %s", got, want)
		}
		pod := e.picture.Items[2]
		if !strings.Contains(pod.Title, "routed to by EndpointSlice web") || strings.Count(pod.Edge, "\n") != 1 {
			t.Errorf("%q, %q", pod.Title, pod.Edge)
		}
	})
}

// TestSearched checks the message about kinds that were not searched, and the request to search
// them.
func TestSearched(t *testing.T) {
	onRelated(t, false, func(t *testing.T, w *tab, _ *fakeGraphPainter) {
		tell := func(s related.SearchProgress) string {
			p := relatedPicture()
			p.Searched = s
			w.part("related", p)
			return content(parts(t, w.page.drawer.Tab().Draw()))
		}
		for want, s := range map[string]related.SearchProgress{
			"Searching…":             {Coming: 12, Unasked: []string{"a"}},
			"Searching all kinds…":   {Sweeping: true, Unasked: []string{"a"}},
			"1 kind not searched":    {Failed: []related.SearchFailure{{Resource: "secrets", Error: "no"}}},
			"2 kinds not searched":   {Unasked: []string{"gears.example.com"}, Failed: []related.SearchFailure{{Resource: "secrets", Error: "no"}}},
			"Searched once: 7 kinds": {Swept: 7},
		} {
			if got := tell(s); !strings.Contains(got, want) {
				t.Errorf("%+v: %s", s, got)
			}
		}
		if got := tell(related.SearchProgress{}); strings.Contains(got, "earch") {
			t.Error(got)
		}
		got := tell(related.SearchProgress{Unasked: []string{"gears.example.com", "teeth.example.com"}, Failed: []related.SearchFailure{{Resource: "secrets", Error: "no secrets for you"}}})
		if find(t, draw(t, w.page), "id", "unsearched").attrs["hidden"] != "true" {
			t.Error("the kinds are listed before somebody asks which they are")
		}
		for _, want := range []string{"gears.example.com, teeth.example.com", "secrets: no secrets for you"} {
			if !strings.Contains(got, want) {
				t.Errorf("%q is not in %s", want, got)
			}
		}
		w.Act(relations.ShowKinds, "")
		if find(t, draw(t, w.page), "id", "unsearched").attrs["hidden"] == "true" {
			t.Error("the kinds are not listed")
		}
		w.Act(relations.Sweep, "")
		if got := string(w.page.drawer.Asked().Options); got != `{"sweep":1}` {
			t.Error(got)
		}
		many := make([]string, 1000)
		for i := range many {
			many[i] = fmt.Sprint("k", i)
		}
		if got := tell(related.SearchProgress{Unasked: many}); !strings.Contains(got, "k299 and 700 more") || strings.Contains(got, "k300") {
			t.Error("what is listed is not bounded")
		}
	})
}

// TestMoveInGraph checks what keys do, and where the focus goes.
func TestMoveInGraph(t *testing.T) {
	onRelated(t, true, func(t *testing.T, w *tab, e *fakeGraphPainter) {
		w.Focused("item-0")
		press := func(name string) { w.Press(ui.Key{Name: name, Drawer: "related"}) }
		press("ArrowUp")
		if e.reached() != "Deployment web" {
			t.Error(e.reached())
		}
		press("ArrowDown")
		press("ArrowDown")
		if e.reached() != "Pod and 1,240 more" || !strings.HasSuffix(w.screen.takeCalls(), "focus item-2") {
			t.Error(e.reached())
		}
		w.Act(relations.ShowGraph, "")
		press("ArrowLeft")
		if e.reached() != "Deployment web" {
			t.Error(e.reached())
		}
		press("+")
		press("0")
		if e.zoomed != "125 0 " {
			t.Error(e.zoomed)
		}
	})
}

// TestGoRelated checks where nodes lead: an object to the same tab of that object, and a number of
// counted objects to their list.
func TestGoRelated(t *testing.T) {
	for action, want := range map[ui.Action]string{relations.GoObject: "/pods?sel=a/web-1&tab=related", relations.GoCounted: "/pods?n=a&q=owner:%22Deployment/web%22"} {
		onRelated(t, false, func(t *testing.T, w *tab, e *fakeGraphPainter) {
			at := map[ui.Action]int{relations.GoObject: 1, relations.GoCounted: 2}[action]
			w.Act(action, e.picture.Items[at].Value)
			if got := w.page.address.String(""); got != want {
				t.Errorf("%s, want %s", got, want)
			}
		})
	}
}

// TestGoRelatedOnce checks that this is one step, and that no other tab opens in between.
func TestGoRelatedOnce(t *testing.T) {
	onRelated(t, false, func(t *testing.T, w *tab, e *fakeGraphPainter) {
		w.screen.takeCalls()
		pod := e.picture.Items[1]
		w.Act(relations.GoObject, pod.Value)
		did := w.screen.takeCalls()
		if strings.Count(did, "push ") != 1 || !strings.Contains(did, "push "+pod.Href) || !strings.Contains(did, "focus tab-related") {
			t.Error(did)
		}
	})
}

// TestLeftRelated checks that nothing of the tab stays after it is left, and that late data is not
// painted.
func TestLeftRelated(t *testing.T) {
	onRelated(t, false, func(t *testing.T, w *tab, e *fakeGraphPainter) {
		w.Act(ui.OpenTab, "yaml")
		w.part("related", relatedPicture())
		if text := content(parts(t, w.page.drawer.Related().Draw())); len(e.picture.Items) != 0 || text != "Loading related objects…" {
			t.Errorf("it is still painted; %s", text)
		}
	})
}

// TestEvent checks the order of an event's parts: what and when in one line, the message, and who
// reported it.
func TestEvent(t *testing.T) {
	onPage(t, "/pods?sel=a/p1&tab=events", func(t *testing.T, w *tab) {
		w.part("events", related.EventList{Events: []related.Event{{
			Type: "Warning", Reason: "BackOff", Message: "it waits", Source: "kubelet", Count: "1", Last: time.Now().Add(-time.Minute).Unix(), Object: related.ID{Name: "p1"},
		}}})
		if got, want := content(parts(t, w.page.drawer.Tab().Draw())), "BackOff Warning 60s it waits kubelet"; !strings.Contains(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	})
}

// TestEventsOwned checks that the tab says "none" of owned objects only if all kinds were searched for them. Otherwise it
// names the kinds that were not, ten of them.
func TestEventsOwned(t *testing.T) {
	event := []related.Event{{UID: "1", Type: "Normal"}}
	failed := []related.SearchFailure{{Resource: "gears", Error: "forbidden"}, {Resource: "teeth", Error: "slow"}}
	onPage(t, "/pods?sel=a/p1&tab=events", func(t *testing.T, w *tab) {
		for _, c := range []struct {
			list       related.EventList
			want, lack string
		}{
			{related.EventList{}, "None for this object or the objects it owns.", "missing"},
			{related.EventList{Searched: related.SearchProgress{Unasked: []string{"k1", "k2"}}}, "Not searched for owned objects: k1, k2", "objects it owns"},
			{related.EventList{Searched: related.SearchProgress{Failed: failed}}, "Events of owned objects may be missing. gears: forbidden teeth: slow", "objects it owns"},
			{related.EventList{Searched: related.SearchProgress{Failed: slices.Repeat(failed, 6)}}, "gears: forbidden teeth: slow and 2 more", "objects it owns"},
			{related.EventList{Events: event, Coming: true, Searched: related.SearchProgress{Coming: 2, Failed: failed}}, "Searching for owned objects…", "missing"},
		} {
			w.part("events", c.list)
			if got := content(parts(t, w.page.drawer.Tab().Draw())); !strings.Contains(got, c.want) || strings.Contains(got, c.lack) {
				t.Errorf("%+v: %q, want %q and not %q", c.list.Searched, got, c.want, c.lack)
			}
		}
	})
}

// TestEventsTab checks the filter, and that the number of drawn events is limited.
func TestEventsTab(t *testing.T) {
	onPage(t, "/pods?sel=a/p1&tab=events", func(t *testing.T, w *tab) {
		var h related.EventList
		for i := range 100 {
			h.Events = append(h.Events, related.Event{UID: fmt.Sprint(i), Type: []string{"Normal", "Warning"}[i%2]})
		}
		w.part("events", h)
		drawn := func() string {
			var rest int
			n, all := 0, parts(t, w.page.drawer.Tab().Draw())
			for _, e := range all {
				if e.attrs["class"] == "event" {
					n++
				}
			}
			if more := find(t, all, "data-action", string(events.More)); more.attrs["hidden"] != "true" {
				fmt.Sscanf(content([]*element{more}), "Show more (%d left)", &rest)
			}
			return fmt.Sprint(n, " and ", rest)
		}
		for _, c := range []struct {
			action ui.Action
			value  string
			want   string
		}{{events.Only, "", "60 and 40"}, {events.More, "", "100 and 0"}, {events.Only, "Warning", "50 and 0"}, {events.Only, "", "60 and 40"}} {
			if w.Act(c.action, c.value); drawn() != c.want {
				t.Errorf("%s %s: %s, want %s", c.action, c.value, drawn(), c.want)
			}
		}
		w.part("events", h)
		if drawn() != "60 and 40" {
			t.Error(drawn())
		}
	})
}

// TestRelatedNone checks that an object is said to have no related objects only once all were read.
func TestRelatedNone(t *testing.T) {
	onRelated(t, false, func(t *testing.T, w *tab, _ *fakeGraphPainter) {
		p := relatedPicture()
		p.Nodes, p.Edges = p.Nodes[:1], nil
		for coming, want := range map[bool]string{true: "Loading related objects…", false: "No related objects"} {
			p.Coming = coming
			w.part("related", p)
			if got := content(parts(t, w.page.drawer.Tab().Draw())); !strings.HasPrefix(got, want) || coming == strings.Contains(got, "No related") {
				t.Errorf("%t: %s", coming, got)
			}
		}
	})
}
