package web

import (
	"encoding/json"
	"testing"

	"watchglass/internal/detail"
	"watchglass/internal/wire"
	"watchglass/web/route"
	"watchglass/web/tab/manifest"
)

// TestYAMLSaid checks the messages above the text, and those without a text.
func TestYAMLSaid(t *testing.T) {
	said := func(code int, message string) *detail.YAMLHead {
		return &detail.YAMLHead{Said: &wire.Status{Origin: wire.FromAPIServer, Code: code, Message: message}}
	}
	const empty = "The proxy withholds Secret values. Each is shown as empty."
	for name, c := range map[string]struct {
		resource, said, withheld string
		head                     *detail.YAMLHead
		object                   string
	}{
		"none yet":          {resource: "pods", said: "Loading…"},
		"none at all":       {resource: "pods", said: `The YAML is not available: the apiserver said: pods "x" not found. It will appear here once it can be loaded.`, head: said(404, `pods "x" not found`)},
		"denied":            {resource: "pods", said: "You can't view this object; the apiserver said: no.", head: said(403, "no")},
		"a text":            {resource: "pods", head: new(detail.YAMLHead), object: "{}"},
		"of a Secret":       {resource: "secrets", withheld: empty, head: new(detail.YAMLHead), object: "{}"},
		"none of a Secret":  {resource: "secrets", said: "Loading…"},
		"of another Secret": {resource: "secrets.example.com", head: new(detail.YAMLHead), object: "{}"},
	} {
		y := manifest.New(still(func(g *page) {
			g.address = route.Address{Resource: c.resource, Selected: "a/x"}
			g.drawer.Follow()
		}))
		y.Open()
		if c.head != nil {
			head, err := json.Marshal(c.head)
			if err != nil || !y.OnDetail(append(append(head, '\n'), c.object...)) {
				t.Fatal(err)
			}
		}
		shown := map[string]string{}
		for _, e := range parts(t, y.Draw()) {
			if e.attrs["hidden"] != "true" {
				shown[e.attrs["id"]] = e.text
			}
		}
		if shown["yaml-said"] != c.said || shown["withheld"] != c.withheld {
			t.Errorf("%s: %q, and of what is withheld %q", name, shown["yaml-said"], shown["withheld"])
		}
	}
}
