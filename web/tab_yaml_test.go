package web

import (
	"testing"

	"watchglass/internal/detail"
	"watchglass/internal/port"
	"watchglass/internal/wire"
)

// TestYAMLSaid shows what is said above the text, and where there is none.
func TestYAMLSaid(t *testing.T) {
	said := func(code int, message string) detail.YAMLHead {
		return detail.YAMLHead{Said: &wire.Status{Origin: wire.FromAPIServer, Code: code, Message: message}}
	}
	const empty = "The proxy withholds the values of Secrets: each shows as empty."
	for name, c := range map[string]struct {
		resource, said, withheld string
		facts                    yamlFacts
	}{
		"none yet":          {resource: "pods", said: "Asking for it …"},
		"none at all":       {resource: "pods", said: `There is no text now. When there is, it appears by itself. the apiserver said: pods "x" not found.`, facts: yamlFacts{YAMLHead: said(404, `pods "x" not found`)}},
		"denied":            {resource: "pods", said: "You may not get it. the apiserver said: no.", facts: yamlFacts{YAMLHead: said(403, "no")}},
		"a text":            {resource: "pods", facts: yamlFacts{there: true}},
		"of a Secret":       {resource: "secrets", withheld: empty, facts: yamlFacts{there: true}},
		"none of a Secret":  {resource: "secrets", said: "Asking for it …"},
		"of another Secret": {resource: "secrets.example.com", facts: yamlFacts{there: true}},
	} {
		g := still(func(g *page) { g.drawer.asked, g.yaml.shown.facts = port.Focus{Resource: c.resource}, c.facts })
		shown := map[string]string{}
		for _, e := range parts(t, g.yaml.draw()) {
			if e.attrs["hidden"] != "true" {
				shown[e.attrs["id"]] = e.text
			}
		}
		if shown["yaml-said"] != c.said || shown["withheld"] != c.withheld {
			t.Errorf("%s: %q, and of what is withheld %q", name, shown["yaml-said"], shown["withheld"])
		}
	}
}
