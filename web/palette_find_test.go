package web

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"watchglass/internal/port"
	"watchglass/web/palette"
	"watchglass/web/ui"
)

// answerFind answers the last search that the palette sent, and returns its method and text.
func (w *tab) answerFind(value string) string {
	w.t.Helper()
	last := port.Ask{}
	for _, m := range w.takeSent() {
		if a, ok := m.(port.Ask); ok {
			last = a
		}
	}
	w.in <- port.Answer{ID: last.ID, Value: json.RawMessage(value)}
	synctest.Wait()
	return last.Method + string(last.Args)
}

// TestFindObjects opens an object by a part of its name. What was found for an earlier text is
// narrowed at once, and an answer that comes too late is dropped.
func TestFindObjects(t *testing.T) {
	onPage(t, "/pods?n=a", func(t *testing.T, w *tab) {
		w.live()
		w.Press(ui.Key{Name: ":"})
		w.Typed("palette", "c")
		w.Typed("palette", "Che")
		const web = `{"resource":"deployments.apps","kind":"Deployment","namespace":"shop","name":"checkout","state":"1/3","tone":"warning"}`
		if asked := w.answerFind(`{"objects":[` + web + `,{"resource":"nodes","kind":"Node","name":"cache-1"}],"kinds":2}`); asked != `find["che"]` {
			t.Errorf("it asks %s", asked)
		}
		all := offers(w.page.palette, "che")
		if first := all[0]; first.Action != ui.GoFound || first.Value != "deployments.apps shop/checkout" || first.Text != "shop/checkout" || first.Hint != "Deployment" || first.State != "1/3" || first.Tone != "warning" || all[1].Value != "nodes cache-1" {
			t.Errorf("%+v", all)
		}
		w.Typed("palette", "check")
		if all := offers(w.page.palette, "check"); all[0].Text != "shop/checkout" || all[1].Action == ui.GoFound {
			t.Errorf("%+v", all)
		}
		w.Press(ui.Key{Name: "Enter", Typing: true})
		synctest.Wait()
		if got := w.here(); got != "/deployments.apps?sel=shop/checkout" {
			t.Errorf("at %s", got)
		}
		w.answerFind(`{"objects":[` + web + `]}`)
		if all := offers(w.page.palette, "cache"); all[0].Value != "nodes cache-1" {
			t.Error("an answer came after the palette was closed")
		}
	})
}

// TestFindNamespaces finds a namespace that has nothing in the list on screen, and takes one that nobody has
// heard of at its word, after what was found.
func TestFindNamespaces(t *testing.T) {
	onPage(t, "/", func(t *testing.T, w *tab) {
		w.live()
		w.Press(ui.Key{Name: ":"})
		w.takeSent()
		w.Typed("palette", "po kube-s")
		asked := map[string]uint32{}
		for _, m := range w.takeSent() {
			if a, ok := m.(port.Ask); ok {
				asked[a.Method+string(a.Args)] = a.ID
			}
		}
		id, found := asked[`find["namespaces kube-s"]`]
		if _, both := asked[`find["po kube-s"]`]; !found || !both {
			t.Fatalf("it asks %v", asked)
		}
		w.in <- port.Answer{ID: id, Value: json.RawMessage(`{"objects":[{"resource":"namespaces","name":"kube-system"},{"resource":"pods","namespace":"namespaces","name":"kube-sx"}]}`)}
		synctest.Wait()
		all := offers(w.page.palette, "po kube-s")
		if all[0].Action != ui.GoIn || all[0].Value != "pods kube-system" || all[1].Value != "pods kube-s" || all[2].Action != palette.SearchAll {
			t.Errorf("%+v", all)
		}
		w.Typed("palette", "po kube-system")
		if all := offers(w.page.palette, "po kube-system"); all[0].Value != "pods kube-system" || all[1].Action != palette.SearchAll {
			t.Errorf("before the answer: %+v", all)
		}
		w.Press(ui.Key{Name: "Enter", Typing: true})
		if got := w.here(); got != "/pods?n=kube-system" {
			t.Errorf("at %s", got)
		}
	})
}

// TestOffersHaveNames checks that no entry is blank, whatever is on screen.
func TestOffersHaveNames(t *testing.T) {
	check := func(state string, g *page) {
		for _, only := range []string{"", ui.Contexts, ui.Facets, ui.Kinds} {
			g.palette.Show(only)
			if all := offers(g.palette, ""); slices.ContainsFunc(all, func(o ui.Offer) bool { return strings.TrimSpace(o.Text) == "" }) {
				t.Errorf("%s, %q: %+v", state, only, all)
			}
		}
	}
	for name, g := range pageStates() {
		check(name, g)
	}
	for _, at := range []string{"/", "/problems", "/timeline", "/nosuch", "/pods?sel=a/p1"} {
		onPage(t, at, func(t *testing.T, w *tab) {
			check("at "+at, w.page)
			w.live()
			check("live at "+at, w.page)
		})
	}
	check("alone", NewPage(noWorker{}, &screen{kept: map[string]string{}, alone: true}, "", "/pods", "", func() {}).page)
	check("without an address", still())
}

// TestFindCapitals keeps an object whose name has capital letters until the next answer.
func TestFindCapitals(t *testing.T) {
	onPage(t, "/pods", func(t *testing.T, w *tab) {
		w.live()
		w.Press(ui.Key{Name: ":"})
		w.Typed("palette", "op")
		w.answerFind(`{"objects":[{"resource":"clusterroles.rbac.authorization.k8s.io","kind":"ClusterRole","name":"Op-View"}]}`)
		w.Typed("palette", "Op-V")
		if all := offers(w.page.palette, "Op-V"); all[0].Text != "Op-View" {
			t.Errorf("%+v", all)
		}
	})
}

// TestFindAll searches all kinds on request: the palette stays open and says what was not searched.
func TestFindAll(t *testing.T) {
	onPage(t, "/pods", func(t *testing.T, w *tab) {
		w.live()
		w.Press(ui.Key{Name: ":"})
		w.Typed("palette", "zebra")
		w.answerFind(`{"objects":[],"kinds":1}`)
		w.Press(ui.Key{Name: "Enter", Typing: true})
		if all := offers(w.page.palette, "zebra"); all[0].Text != "Searching all kinds …" {
			t.Errorf("%+v", all)
		}
		if asked := w.answerFind(`{"objects":[{"resource":"widgets.example.com","kind":"Widget","namespace":"a","name":"zebra-1"}],"kinds":3,"missing":[{"resource":"secrets"},{"resource":"b"},{"resource":"c"},{"resource":"d"}]}`); asked != `findAll["zebra"]` {
			t.Errorf("it asks %s", asked)
		}
		all := offers(w.page.palette, "zebra")
		if len(all) != 2 || all[0].Value != "widgets.example.com a/zebra-1" || all[1].Hint != "3 kinds searched, not Secrets, b, c and 1 more" {
			t.Errorf("%+v", all)
		}
		w.Typed("palette", "web")
		w.answerFind(`{"objects":[],"kinds":1}`)
		w.Press(ui.Key{Name: "Enter", Typing: true})
		w.answerFind(`{"objects":[{"resource":"pods","kind":"Pod","namespace":"a","name":"web-1"}],"total":31,"kinds":3}`)
		if all, more := w.page.palette.Matches("web"); all[len(all)-1].Hint != "3 kinds searched" || more != 30 {
			t.Errorf("%d more: %+v", more, all)
		}
		w.Typed("palette", "zz")
		w.answerFind(`{"objects":[],"kinds":1}`)
		w.Press(ui.Key{Name: "Enter", Typing: true})
		w.answerFind(`{"objects":[],"kinds":32}`)
		if all := offers(w.page.palette, "zz"); all[len(all)-1].Hint != "Nothing found. 32 kinds searched" {
			t.Errorf("%+v", all)
		}
	})
}

// TestFindRest checks that the palette says how many entries match if it does not show all: objects that the worker
// counted, entries that do not fit, namespaces. While the worker has not answered, it says nothing.
func TestFindRest(t *testing.T) {
	object := func(i int) string {
		return fmt.Sprintf(`{"resource":"pods","kind":"Pod","namespace":"a","name":"zebra-%d"}`, i)
	}
	var thirty []string
	for i := range 30 {
		thirty = append(thirty, object(i))
	}
	onPage(t, "/pods", func(t *testing.T, w *tab) {
		w.live()
		rest := func() string { return restOf(t, w.page) }
		w.Press(ui.Key{Name: ":"})
		if all, more := w.page.palette.Matches(""); len(all) != 12 || more == 0 || rest() != fmt.Sprintf("12 of %d. Type to narrow.", 12+more) {
			t.Errorf("%d and %d more: %q", len(all), more, rest())
		}
		w.Typed("palette", "zebra")
		if got := rest(); got != "" {
			t.Errorf("before the answer: %q", got)
		}
		for answer, want := range map[string]string{
			`{"objects":[` + object(1) + `],"kinds":1}`:                              "",
			`{"objects":[` + strings.Join(thirty[:11], ",") + `],"kinds":1}`:         "",
			`{"objects":[` + strings.Join(thirty, ",") + `],"kinds":1}`:              "11 of 30. Type to narrow.",
			`{"objects":[` + strings.Join(thirty, ",") + `],"total":1211,"kinds":1}`: "11 of 1,211. Type to narrow.",
		} {
			w.Typed("palette", "zebr")
			w.Typed("palette", "zebra")
			w.answerFind(answer)
			if got := rest(); got != want {
				t.Errorf("%s: %q, want %q", answer, got, want)
			}
		}
	})
	g := known()
	g.palette.Show("")
	find := func(text, value string) {
		g.palette.Typed(text)
		g.onAnswer(port.Answer{ID: g.lastAsk - 1, Value: json.RawMessage(value)}) // the namespaces are asked for first
	}
	find("po ns-", `{"objects":[`+namespaces("ns-1", "ns-2", "ns-3", "ns-4", "ns-5")+`]}`)
	if all, more := g.palette.Matches("po ns-"); more != 2 {
		t.Errorf("%d more than 3 of 5 namespaces: %+v", more, all)
	}
	find("po team-", `{"objects":[`+namespaces("team-1", "team-2", "team-3")+`],"total":200}`)
	if all, more := g.palette.Matches("po team-"); more != 198-1 {
		t.Errorf("%d more than 3 of 200 namespaces, of which the list has team-a: %+v", more, all)
	}
}

// namespaces returns what the worker answers of namespaces with some names.
func namespaces(names ...string) string {
	var all []string
	for _, name := range names {
		all = append(all, fmt.Sprintf(`{"resource":"namespaces","name":%q}`, name))
	}
	return strings.Join(all, ",")
}

// restOf returns what the palette says of entries that it does not show.
func restOf(t *testing.T, g *page) (text string) {
	all := draw(t, g)
	for _, e := range all[slices.Index(all, find(t, all, "id", "offers")):] {
		if e.tag == "p" && e.attrs["role"] == "status" && e.attrs["hidden"] != "true" {
			text = e.text
		}
	}
	return text
}

// TestFindRestUnknown checks that the palette does not say how many entries match unless both searches, for objects and for
// namespaces, have succeeded.
func TestFindRestUnknown(t *testing.T) {
	const objects = `{"objects":[],"kinds":1}`
	namespaces := `{"objects":[`
	for i := range 30 {
		namespaces += fmt.Sprintf(`{"resource":"namespaces","name":"team-%d"},`, i)
	}
	namespaces = strings.TrimSuffix(namespaces, ",") + `],"total":200}`
	onPage(t, "/nodes", func(t *testing.T, w *tab) {
		w.live()
		for i, c := range []struct {
			objects, namespaces port.Answer
			want                string
		}{
			{port.Answer{Value: json.RawMessage(objects)}, port.Answer{Value: json.RawMessage(namespaces)}, " of 200. Type to narrow."},
			{port.Answer{Value: json.RawMessage(objects)}, port.Answer{Error: "busy"}, ""},
			{port.Answer{Error: "busy"}, port.Answer{Value: json.RawMessage(namespaces)}, ""},
		} {
			w.Press(ui.Key{Name: ":"})
			w.takeSent()
			w.Typed("palette", "po team-")
			for _, m := range w.takeSent() {
				if a, ok := m.(port.Ask); ok {
					answer := c.objects
					if strings.Contains(string(a.Args), "namespaces") {
						answer = c.namespaces
					}
					answer.ID = a.ID
					w.in <- answer
					synctest.Wait()
				}
			}
			got := restOf(t, w.page)
			if (got == "") != (c.want == "") || !strings.HasSuffix(got, c.want) {
				t.Errorf("%d: %q, want %q", i, got, c.want)
			}
			w.Press(ui.Key{Name: "Escape", Typing: true})
		}
	})
}

// TestFindChosen checks that Enter opens the entry that the user moved to, even if an answer moves it or pushes
// it out, and nothing if it is gone.
func TestFindChosen(t *testing.T) {
	var found []string
	for i := range 30 {
		found = append(found, fmt.Sprintf(`{"resource":"pods","kind":"Pod","namespace":"a","name":"filters-%d"}`, i))
	}
	const start, cleared = "/nodes?q=web", "/nodes" // Clear all filters
	for name, c := range map[string]struct {
		kinds         int      // whose names begin with the text
		before, after []string // the answers
		keys, then    []string // before and after the second
		want          string   // the address
	}{
		"a command that moves":          {0, nil, found[:3], []string{"ArrowDown", "ArrowUp"}, []string{"Enter"}, cleared},
		"a command that would be cut":   {0, nil, found, []string{"ArrowDown", "ArrowUp"}, []string{"Enter"}, cleared},
		"a kind that would be cut":      {8, nil, found, slices.Repeat([]string{"ArrowDown"}, 7), []string{"Enter"}, "/filters7.example.com"},
		"an object that moves":          {0, found[1:3], found[:3], []string{"ArrowDown"}, []string{"Enter"}, "/pods?sel=a/filters-2"},
		"an object that is gone":        {0, found[:2], found[2:], []string{"ArrowDown"}, []string{"Enter"}, start},
		"down from one that is gone":    {0, found[:2], found[2:4], []string{"ArrowDown"}, []string{"ArrowDown", "Enter"}, "/pods?sel=a/filters-2"},
		"up from one that is gone":      {0, found[:2], found[2:4], []string{"ArrowDown"}, []string{"ArrowUp", "ArrowDown", "Enter"}, "/pods?sel=a/filters-2"},
		"the first, which nobody chose": {0, nil, found, nil, []string{"Enter"}, "/pods?sel=a/filters-0"},
	} {
		t.Run(name, func(t *testing.T) {
			onPage(t, start, func(t *testing.T, w *tab) {
				w.live()
				var kinds []port.Kind
				for i := range c.kinds {
					kinds = append(kinds, port.Kind{ID: fmt.Sprintf("filters%d.example.com", i), Name: fmt.Sprint("Filters", i), Custom: true})
				}
				w.in <- port.Kinds{Kinds: kinds}
				synctest.Wait()
				w.Press(ui.Key{Name: ":"})
				w.Typed("palette", "filters")
				w.answerFind(`{"objects":[` + strings.Join(c.before, ",") + `]}`)
				w.press(c.keys...)
				w.Act(palette.SearchAll, "filters")
				w.answerFind(`{"objects":[` + strings.Join(c.after, ",") + `]}`)
				w.press(c.then...)
				synctest.Wait()
				if got := w.here(); got != c.want {
					t.Errorf("at %s, want %s", got, c.want)
				}
			})
		})
	}
}
