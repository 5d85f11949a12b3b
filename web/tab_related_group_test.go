package web

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"watchglass/internal/detail/related"
	"watchglass/web/grid"
	"watchglass/web/tab/relations"
	"watchglass/web/ui"
)

// crowdPicture returns a deployment with a ReplicaSet and many pods, of which two crash.
func crowdPicture(many int) related.Picture {
	id := func(resource, name string) related.ID {
		return related.ID{Resource: resource, Namespace: "a", Name: name}
	}
	g := related.Graph{
		Nodes: []related.Node{{ID: id("deployments.apps", "web"), Kind: "Deployment", State: "10/12", Tone: grid.Warning}, {ID: id("replicasets.apps", "web-1"), Kind: "ReplicaSet", State: "10/12", Tone: grid.Warning}},
		Edges: []related.Edge{{From: 0, To: 1, Verb: related.Owns}},
	}
	for i := range many {
		n := related.Node{ID: id("pods", fmt.Sprintf("web-1-%03d", i)), Kind: "Pod", State: "Running", Tone: grid.OK}
		if i == 3 || i == 7 {
			n.State, n.Tone = "CrashLoopBackOff", grid.Failed
		}
		g.Edges = append(g.Edges, related.Edge{From: 1, To: len(g.Nodes), Verb: related.Owns})
		g.Nodes = append(g.Nodes, n)
	}
	return related.Picture{Graph: g}
}

// onCrowd runs a test on the tab with twelve pods.
func onCrowd(t *testing.T, address string, narrow bool, test func(t *testing.T, w *tab, e *fakeGraphPainter)) {
	onPage(t, "/deployments.apps?sel=a/web&tab=related"+address, func(t *testing.T, w *tab) {
		e := &fakeGraphPainter{width: 1400, height: 800}
		w.AttachGraph(e, narrow)
		w.part("related", crowdPicture(12))
		test(t, w, e)
	})
}

func (e *fakeGraphPainter) items() (all []string) {
	for _, i := range e.picture.Items {
		all = append(all, strings.TrimSpace(i.Kind+" "+i.Name))
	}
	return all
}

// TestGroup checks what the head of a group says, that it opens in the address and keeps the focus,
// in the graph and in the list, and that another object does not inherit what is open.
func TestGroup(t *testing.T) {
	closed := []string{"Deployment web", "ReplicaSet web-1", "12 pods", "Pod web-1-003", "Pod web-1-007"}
	for _, narrow := range []bool{false, true} {
		onCrowd(t, "", narrow, func(t *testing.T, w *tab, e *fakeGraphPainter) {
			if got := e.items(); !slices.Equal(got, closed) {
				t.Errorf("%q", got)
			}
			head := e.picture.Items[2]
			if want := ", 2 CrashLoopBackOff, 10 Running, owned by ReplicaSet web-1"; head.Aside != want || head.Expanded != "false" || head.Count != 10 || head.Broken != 0 || !strings.Contains(head.Look, "broken") {
				t.Errorf("%+v", head)
			}
			if got := e.picture.Items[0]; !got.Current || !strings.Contains(got.Aside, "this object") {
				t.Errorf("%+v", got)
			}
			w.Act(relations.Expand, head.Value)
			if got := w.page.address.String(""); got != head.Href || !strings.HasSuffix(got, "&expand=pods/web-1") {
				t.Errorf("%s, the link is %s", got, head.Href)
			}
			if len(e.picture.Items) != 15 || e.reached() != "12 pods " {
				t.Errorf("%d items, the focus is on %q", len(e.picture.Items), e.reached())
			}
			w.Act(relations.Expand, head.Value)
			if got := e.items(); !slices.Equal(got, closed) || e.reached() != "12 pods " {
				t.Errorf("closed again: %q, the focus is on %q", got, e.reached())
			}
			w.Act(relations.Expand, head.Value)
			w.Act(relations.GoObject, "pods a/web-1-003")
			if got := w.page.address.String(""); got != "/pods?sel=a/web-1-003&tab=related" {
				t.Error(got)
			}
		})
	}
	onCrowd(t, "&expand=nodes,pods/web-1", false, func(t *testing.T, _ *tab, e *fakeGraphPainter) {
		if len(e.picture.Items) != 15 || e.picture.Items[2].Expanded != "true" {
			t.Errorf("%q", e.items())
		}
	})
}

// TestWalk checks that arrow keys walk by relation in the graph, and open and close groups in the
// list, and that Home leads back to the open object.
func TestWalk(t *testing.T) {
	walk := func(w *tab, e *fakeGraphPainter, keys ...string) {
		t.Helper()
		for i := 0; i < len(keys); i += 2 {
			if w.Press(ui.Key{Name: keys[i], Drawer: "related"}); e.reached() != keys[i+1] {
				t.Errorf("%s: %q, want %q", keys[i], e.reached(), keys[i+1])
			}
		}
	}
	onCrowd(t, "", false, func(t *testing.T, w *tab, e *fakeGraphPainter) {
		walk(w, e, "ArrowRight", "ReplicaSet web-1", "ArrowRight", "12 pods ", "ArrowDown", "Pod web-1-003", "ArrowLeft", "ReplicaSet web-1", "ArrowRight", "12 pods ", "Home", "Deployment web", "ArrowLeft", "Deployment web")
		w.Act(ui.PanGraph, "3")
		if e.reached() != "Pod web-1-007" || !strings.HasSuffix(w.screen.takeCalls(), "focus item-4") {
			t.Error(e.reached())
		}
		if action := actionOf(w.page, ui.Key{Name: "ArrowDown", Drawer: "related", OnCanvas: true}); action != ui.NoAction {
			t.Errorf("on the canvas: %s", action)
		}
	})
	onCrowd(t, "", true, func(t *testing.T, w *tab, e *fakeGraphPainter) {
		walk(w, e, "ArrowRight", "ReplicaSet web-1", "ArrowDown", "12 pods ", "ArrowRight", "12 pods ", "ArrowRight", "Pod web-1-000", "ArrowUp", "12 pods ", "ArrowLeft", "12 pods ", "ArrowLeft", "ReplicaSet web-1", "Home", "Deployment web")
	})
}

// TestGraphOpens checks on many sizes of panes that a graph opens legible: as a whole, or at its
// smallest scale with its focus in view.
func TestGraphOpens(t *testing.T) {
	whole := 0
	for _, size := range []grid.Vector{{340, 560}, {390, 600}, {560, 720}, {900, 700}, {1380, 720}} {
		for _, many := range []int{2, 12, 490} {
			for _, address := range []string{"", "&expand=pods/web-1"} {
				onPage(t, "/deployments.apps?sel=a/web&tab=related"+address, func(t *testing.T, w *tab) {
					e := &fakeGraphPainter{width: int(size[0]), height: int(size[1])}
					w.AttachGraph(e, false)
					w.part("related", crowdPicture(many))
					var c grid.Camera
					c.Show(e.picture, grid.Pane{Size: size, Extent: size})
					p, ok := c.Place(grid.Pane{Size: size, Extent: size})
					if !ok || p.Scale < related.MinScale {
						t.Fatalf("%d pods in %v: scale %v", many, size, p.Scale)
					}
					if p.Extent == (grid.Vector{}) {
						whole++
						return
					}
					focus := grid.Vector{float64(e.picture.FocusX), float64(e.picture.FocusY)}
					for i, extent := range p.Extent {
						scroll := max(min(p.Scroll[i], extent-size[i]), 0)
						if at := p.Pad[i] + focus[i]*p.Scale - scroll; at < 20 || at > size[i]-20 {
							t.Errorf("%d pods in %v%s: the focus is at %v", many, size, address, at)
						}
					}
					if p.Extent[0] > 0 {
						t.Errorf("%d pods in %v%s: it is cut off at its sides", many, size, address)
					}
				})
			}
		}
	}
	if whole < 20 {
		t.Errorf("%d of 30 are shown as a whole", whole)
	}
}
