package web

import (
	"slices"
	"testing"
	"testing/synctest"

	"watchglass/internal/port"
	"watchglass/internal/view"
	"watchglass/internal/wire"
	"watchglass/web/route"
	"watchglass/web/ui"
)

// limitedUser makes the user one who may list only some namespaces, as the proxy and the worker
// report.
func (w *tab) limitedUser(s port.Source, proxy wire.Welcome) *tab {
	s.Resource, s.Kind, s.Namespaced = w.page.address.Resource, "Pod", true
	proxy.Context, proxy.Cluster, proxy.Server, proxy.User = "prod", "eu", "10.0.0.1", "nadia"
	w.in <- port.State{Source: s, Proxy: &proxy}
	synctest.Wait()
	return w
}

const nadias = "namespaces prod eu 10.0.0.1 nadia"

// rememberedSent returns the namespaces last sent to the worker since the previous call; ok is
// false if none were sent.
func (w *tab) rememberedSent() (namespaces []string, ok bool) {
	for _, m := range w.takeSent() {
		if k, is := m.(port.SavedNamespaces); is {
			namespaces, ok = k.Namespaces, true
		}
	}
	return namespaces, ok
}

// TestAdd adds namespaces by keys and by pointer while the cluster's namespaces are unknown, and
// removes one.
func TestAdd(t *testing.T) {
	onPage(t, "/pods", func(t *testing.T, w *tab) {
		typed := func(text, key string) {
			w.Typed("find", text)
			w.Press(ui.Key{Name: key, Typing: true, Field: "find"})
			synctest.Wait()
		}
		w.limitedUser(port.Source{State: "denied", Namespace: "default"}, wire.Welcome{Namespace: "default"})
		if got, ok := w.rememberedSent(); !ok || len(got) != 0 {
			t.Errorf("at first %q, %v", got, ok)
		}
		w.screen.takeCalls()
		typed("Team A", "Enter")
		typed("", "Enter")
		w.want("")
		typed("team-a", "Enter")
		w.want(`find="", remember ` + nadias + ` team-a`)
		if got, _ := w.rememberedSent(); !slices.Equal(got, []string{"team-a"}) {
			t.Errorf("%q", got)
		}
		w.limitedUser(port.Source{State: "live", Namespace: "team-a"}, wire.Welcome{Namespace: "default"})
		w.screen.takeCalls()
		w.Typed("find", "team-0")
		w.Act(ui.AddNamespace, "team-0")
		w.want(`find="", remember ` + nadias + ` team-0,team-a`)
		typed("team-a", "Enter") // known, so it is chosen
		w.want("push /pods?n=team-a")
		typed("team-b", "Enter") // already chosen, so it stays
		w.want(`find="", remember ` + nadias + ` team-0,team-a,team-b, push /pods?n=team-a,team-b`)
		w.Act(ui.ForgetNamespace, "team-a")
		w.want(`remember ` + nadias + ` team-0,team-b, push /pods?n=team-b`)
		w.Act(ui.Within, "team-0,team-b")
		w.want("push /pods?n=team-0,team-b")
		w.Act(ui.GoIn, "services team-0,team-c")
		if got := w.here(); got != "/services?n=team-0,team-c" {
			t.Error(got)
		}
	})
}

// TestAddToShown checks that adding the first namespace keeps those that were shown, except denied
// ones, and that those of --namespaces are not lost either.
func TestAddToShown(t *testing.T) {
	for name, c := range map[string]struct {
		source port.Source
		proxy  wire.Welcome
		want   string
	}{
		"the kubeconfig's": {port.Source{State: "live", Namespace: "a"}, wire.Welcome{Namespace: "a"}, `find="", remember ` + nadias + ` a,z`},
		"denied in part":   {port.Source{State: "denied", Namespace: "a,b", Denied: "a", Rest: "live"}, wire.Welcome{Namespace: "a"}, `find="", remember ` + nadias + ` b,z`},
		"the flag's":       {port.Source{State: "live", Namespace: "a,b"}, wire.Welcome{Namespaces: "a,b"}, `find="", remember ` + nadias + ` a,b,z, push /pods?n=a,b,z`},
		"all of them":      {port.Source{State: "live"}, wire.Welcome{Namespace: "a"}, ""},
		"-n":               {port.Source{State: "live", Namespace: "a"}, wire.Welcome{Namespace: "a", Narrow: true}, ""},
		"not signed in":    {port.Source{State: "denied", Namespace: "a", Cause: &wire.Status{Code: 401}}, wire.Welcome{Namespace: "a"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			onPage(t, "/pods", func(t *testing.T, w *tab) {
				w.limitedUser(c.source, c.proxy)
				w.screen.takeCalls()
				w.Typed("find", "z")
				w.Press(ui.Key{Name: "Enter", Typing: true, Field: "find"})
				w.want(c.want)
			})
		})
	}
}

// TestRecall checks that added namespaces are restored on the next visit to the same cluster as the
// same user.
func TestRecall(t *testing.T) {
	onPage(t, "/pods", func(t *testing.T, w *tab) {
		w.screen.kept = map[string]string{nadias: "b,a"}
		w.limitedUser(port.Source{State: "connecting"}, wire.Welcome{})
		if got, ok := w.rememberedSent(); !ok || !slices.Equal(got, []string{"b", "a"}) {
			t.Errorf("%q %v", got, ok)
		}
		w.limitedUser(port.Source{State: "live"}, wire.Welcome{})
		if got, ok := w.rememberedSent(); ok {
			t.Errorf("again: %q", got)
		}
	})
}

// TestFindEnter checks what Enter does when all namespaces are known.
func TestFindEnter(t *testing.T) {
	onPage(t, "/pods", func(t *testing.T, w *tab) {
		w.live()
		w.sendPatch(view.Patch{Seq: w.page.list.Asked().Seq, Total: 2, Of: 2, Facets: []view.Facet{{Name: view.NamespaceColumn, Values: []view.FacetValue{{Value: "kube-public", Count: 1}, {Value: "kube-system", Count: 1}}}}})
		for text, want := range map[string]string{"kube": "", "nothing": "", "sys": "push /pods?n=kube-system"} {
			w.screen.takeCalls()
			w.Typed("find", text)
			w.Press(ui.Key{Name: "Enter", Typing: true, Field: "find"})
			w.want(want)
		}
	})
}

func TestIsName(t *testing.T) {
	for name, want := range map[string]bool{"a": true, "team-a": true, "7": true, "": false, "-a": false, "a-": false, "A": false, "a.b": false, "a b": false, "é": false} {
		if route.IsNamespace(name) != want {
			t.Errorf("%q: %v", name, !want)
		}
	}
}
