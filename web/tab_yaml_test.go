package web

import (
	"encoding/json"
	"testing"

	"watchglass/internal/detail"
	"watchglass/internal/port"
	"watchglass/internal/wire"
	"watchglass/web/words"
)

// TestYAMLSaid checks the messages above the text, and those without a text.
func TestYAMLSaid(t *testing.T) {
	said := func(code int, message string) detail.YAMLHead {
		return detail.YAMLHead{Said: &wire.Status{Origin: wire.FromAPIServer, Code: code, Message: message}}
	}
	const empty = "The proxy withholds Secret values. Each is shown as empty."
	for name, c := range map[string]struct {
		resource, said, withheld string
		facts                    yamlFacts
	}{
		"none yet":          {resource: "pods", said: "Loading…"},
		"none at all":       {resource: "pods", said: `The YAML is not available: the apiserver said: pods "x" not found. It will appear here once it can be loaded.`, facts: yamlFacts{YAMLHead: said(404, `pods "x" not found`)}},
		"denied":            {resource: "pods", said: "You can't view this object; the apiserver said: no.", facts: yamlFacts{YAMLHead: said(403, "no")}},
		"a text":            {resource: "pods", facts: yamlFacts{there: true}},
		"of a Secret":       {resource: "secrets", withheld: empty, facts: yamlFacts{there: true}},
		"none of a Secret":  {resource: "secrets", said: "Loading…"},
		"of another Secret": {resource: "secrets.example.com", facts: yamlFacts{there: true}},
	} {
		g := still(func(g *page) { g.drawer.asked, g.yaml.shown.facts = port.Focus{Resource: c.resource}, c.facts })
		shown := map[string]string{}
		for _, e := range parts(t, g.yaml.Draw()) {
			if e.attrs["hidden"] != "true" {
				shown[e.attrs["id"]] = e.text
			}
		}
		if shown["yaml-said"] != c.said || shown["withheld"] != c.withheld {
			t.Errorf("%s: %q, and of what is withheld %q", name, shown["yaml-said"], shown["withheld"])
		}
	}
}

// TestYAMLUnwritable shows objects of which the second can't be written: the text stays, with the time at which
// that came and the reason.
func TestYAMLUnwritable(t *testing.T) {
	const first, second = 1_700_000_000_000, 1_700_000_060_000
	g := still(func(g *page) { g.yaml.Open() })
	show := func(at int64, object string) {
		t.Helper()
		head, err := json.Marshal(detail.YAMLHead{At: at, Managed: at == second})
		if err != nil || !g.yaml.OnDetail(append(append(head, '\n'), object...)) {
			t.Fatal(err)
		}
	}
	show(first, `{"a":1}`)
	show(second, `{"a":1e999}`)
	y := g.yaml.shown
	if text := y.reader.Text().Text(); text != "a: 1\n" || y.facts.At != first || y.facts.Managed || y.facts.Said == nil {
		t.Errorf("%q, %+v", text, y.facts)
	}
	const want = "Update failed; this page said: not a JSON object: a number out of range. Showing the version received at "
	for _, e := range parts(t, g.yaml.Draw()) {
		if e.attrs["id"] == "yaml-said" && e.text != want+words.ClockTime(first)+"." {
			t.Error(e.text)
		}
	}
	if show(second, `{"a":2}`); g.yaml.shown.facts.Said != nil || g.yaml.shown.facts.At != second {
		t.Errorf("%+v", g.yaml.shown.facts)
	}
}
