package web

import (
	"slices"
	"testing"

	"watchglass/internal/port"
	"watchglass/internal/wire"
	"watchglass/web/ui"
)

// TestContextOffers finds the other contexts in the palette, by name and all together.
func TestContextOffers(t *testing.T) {
	g := still(func(g *page) {
		g.state = port.State{Proxy: &wire.Welcome{Context: "prod-eu", Contexts: "dev\nprod-eu\nProd-US"}}
	})
	found := func(text string) (names []string) {
		for _, o := range offers(g.palette, text) {
			if o.Action == "context" {
				names = append(names, o.Value)
			}
		}
		return names
	}
	for text, want := range map[string][]string{"prod": {"Prod-US"}, "context": {"dev", "Prod-US"}, "context d": {"dev", "Prod-US"}, "svc": nil} {
		if got := found(text); !slices.Equal(got, want) {
			t.Errorf("%q leads to %q, not %q", text, got, want)
		}
	}
	g.palette.Show(ui.Contexts)
	if got := offers(g.palette, "d"); len(got) != 2 || got[0].Value != "dev" {
		t.Errorf("%+v", got)
	}
	g.state.Proxy.Contexts = ""
	if got := found("context"); got != nil {
		t.Errorf("%q", got)
	}
}

// TestSwitchContext checks what is carried over to another cluster: the query, but nothing that
// exists only in this one.
func TestSwitchContext(t *testing.T) {
	onPage(t, "/pods?c=dev&n=team-a&q=crash&sort=-Restarts&cols=wide&sel=team-a/x", func(t *testing.T, w *tab) {
		w.live()
		w.Act("context", "prod/eu")
		if got, want := w.screen.takeCalls(), "switch to prod/eu at /pods?c=prod/eu&q=crash&sort=-Restarts&cols=wide"; got != want {
			t.Errorf("%s, not %s", got, want)
		}
	})
}
