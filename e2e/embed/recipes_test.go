package embed

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"watchglass/e2e/stage"
)

var htmlBlock = regexp.MustCompile("(?s)## ([^\n]+)\n[^#]*?```html\n(.*?)```")

// TestRecipes runs each HTML recipe of the README as it stands there, on a page of the same site
// whose user has signed in. Their addresses are replaced by the proxy's.
func TestRecipes(t *testing.T) {
	readme, err := os.ReadFile("../../proxy/embed/README.md")
	if err != nil {
		t.Fatal(err)
	}
	p := newPortal(t)
	p.page = `<!doctype html><title>Portal</title>`
	w := serve(t, p.URL)
	tab, err := stage.Chrome.NewTab()
	if err != nil {
		t.Fatal(err)
	}
	e := stage.Watch(t, tab, "401", "404")
	e.Must(e.Open(w.At("/pods")))
	e.SignIn(vera.Token)
	e.AwaitState("live")
	found := htmlBlock.FindAllSubmatch(readme, -1)
	if len(found) < 5 {
		t.Fatalf("%d recipes in the README", len(found))
	}
	for _, m := range found {
		name, html := string(m[1]), strings.ReplaceAll(string(m[2]), "https://watchglass.example.com", w.Origin())
		t.Run(name, func(t *testing.T) {
			if !strings.Contains(html, "<script") { // the file that the page loads
				html += `<script type="module" src="` + w.Origin() + `/-/embed/watch-glass.js"></script>`
			}
			p.shown = map[string]string{"/api/kubernetes-token": vera.Token}
			p.page = `<!doctype html><html lang="en"><title>Portal</title><main><h1>` + name + `</h1>` + html + `</main>`
			e := e.In(t)
			e.Must(e.Open(p.URL))
			f, state := frame(e, w.Origin()), "live"
			if strings.Contains(html, "deployments") {
				state = "denied" // vera may not list them
			}
			f.Await(fmt.Sprintf(`document.documentElement.dataset.state === %q && document.querySelector(".embedded")`, state))
			e.Keep(fmt.Sprintf("recipe-%s", strings.ReplaceAll(strings.ToLower(name), " ", "-")))
		})
	}
}
