package web

import (
	"testing"

	"watchglass/internal/detail"
	"watchglass/internal/port"
	"watchglass/internal/wire"
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
