package hub

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"watchglass/internal/detail/related"
	"watchglass/internal/hub/cluster"
	"watchglass/internal/port"
	"watchglass/internal/wire"
)

// onWidget runs a test on a cluster with custom kinds, and a widget in it.
func onWidget(t *testing.T, served []string, test func(t *testing.T, b *fixture)) {
	p := three()
	p.extraKinds = served
	p.change(wire.Added, testObject{resource: "widgets", namespace: "a", name: "w"})
	p.change(wire.Added, testObject{resource: "widgets", namespace: "a", name: "other"})
	onPods(t, p, func(t *testing.T, b *fixture) {
		b.page.in <- port.WatchKinds{}
		b.wait(soon)
		b.proxy.takeRequests()
		test(t, b)
	})
}

// relates opens the Related tab of a widget.
func (b *fixture) relates(name string) {
	b.t.Helper()
	b.seq++
	b.focus(port.Focus{Seq: b.seq, Resource: "widgets.example.com", Namespace: "a", Name: name, Tab: "related"})
	b.wait(soon)
}

// wantNames checks which objects are in the last picture, besides the focus, and returns it.
func (b *fixture) wantNames(want string) related.Picture {
	b.t.Helper()
	var all []string
	p := b.drawn()
	for _, n := range p.Nodes[1:] {
		all = append(all, n.Resource+" "+n.Name)
	}
	slices.Sort(all)
	if got := strings.Join(all, ", "); got != want {
		b.t.Errorf("related are %s, want %s", got, want)
	}
	return p
}

func owned(resource, name, by string) testObject {
	return testObject{resource: resource, namespace: "a", name: name, owner: by}
}

// TestSearch checks that a search leases the metadata of kinds and the objects that it finds;
// that the page is sent them; and that all leases are released when the tab is left.
func TestSearch(t *testing.T) {
	onWidget(t, []string{"widgets", "gears", "teeth.parts.example.com"}, func(t *testing.T, b *fixture) {
		b.proxy.change(wire.Added, owned("gears", "g", "widgets.example.com w"))
		b.relates("w")
		const lists = "watch gears/a metadata, watch gears/a where metadata.name=g whole, watch teeth/a metadata, watch widgets/a metadata, watch widgets/a where metadata.name=w whole"
		if got := b.asks(); got != lists {
			t.Errorf("asked %s, want %s", got, lists)
		}
		b.wantNames("gears.example.com g")
		b.focus(port.Focus{Seq: b.seq + 1})
		b.wait(2 * cluster.Linger)
		if got, want := b.asks(), "close "+strings.ReplaceAll(lists, ", ", ", close "); got != want {
			t.Errorf("let go %s, want %s", got, want)
		}
	})
}

// TestSearchServed checks that the lists of a search follow the kinds that the server has. A
// kind served in another version is searched in that one, and a removed kind is not waited for.
func TestSearchServed(t *testing.T) {
	onWidget(t, []string{"widgets", "gears", "teeth.parts.example.com"}, func(t *testing.T, b *fixture) {
		b.proxy.change(wire.Added, owned("teeth", "t", "widgets.example.com w"))
		b.relates("w")
		b.proxy.takeRequests()
		b.proxy.mu.Lock()
		b.proxy.extraKinds = []string{"widgets", "teeth.parts.example.com"}
		b.proxy.versions = map[string]string{"parts.example.com": "v2"}
		b.proxy.mu.Unlock()
		b.define("teeth")
		b.wait(2 * cluster.Linger)
		if p := b.wantNames("teeth.parts.example.com t"); p.Coming || p.Searched.Coming+len(p.Searched.Failed)+len(p.Searched.Unasked) > 0 {
			t.Errorf("%+v", p)
		}
		var versions []string
		b.proxy.mu.Lock()
		for _, s := range b.proxy.open {
			if s.Resource == "gears" || s.Resource == "teeth" {
				versions = append(versions, s.Resource+" "+s.Version)
			}
		}
		b.proxy.mu.Unlock()
		slices.Sort(versions)
		if got := strings.Join(slices.Compact(versions), ", "); got != "teeth v2" {
			t.Errorf("lists of %s are open", got)
		}
	})
}

// TestSweep checks that a requested sweep lists kinds in the cluster, and for an object without
// a namespace in the namespace that the proxy serves. The page is sent what was found.
func TestSweep(t *testing.T) {
	p := three()
	p.welcome.Namespace, p.welcome.Narrow = "a", true
	p.extraKinds = []string{"racks"}
	for i := range 29 { // each of its own domain: more than are searched by default
		p.extraKinds = append(p.extraKinds, fmt.Sprintf("k%d.d%d.io", i, i))
	}
	p.change(wire.Added, testObject{resource: "racks", name: "r"})
	p.change(wire.Added, owned("k7", "x", "racks.example.com r"))
	onPods(t, p, func(t *testing.T, b *fixture) {
		rack := port.Focus{Seq: 1, Resource: "racks.example.com", Name: "r", Tab: "related"}
		b.focus(rack)
		b.wait(soon)
		if s := b.wantNames("").Searched; !slices.Contains(s.Unasked, "k7.d7.io") {
			t.Errorf("%+v", s)
		}
		b.proxy.takeRequests()
		rack.Seq, rack.Options = 2, []byte(`{"sweep":1}`)
		b.focus(rack)
		b.wait(soon)
		asked := b.asks()
		for _, want := range []string{"list k3/a metadata", "list k7/a metadata", "watch k7/a metadata"} {
			if !strings.Contains(asked, want) {
				t.Errorf("asked %s, want %s", asked, want)
			}
		}
		if s := b.wantNames("k7.d7.io x").Searched; len(s.Unasked) > 0 || s.Swept == 0 {
			t.Errorf("%+v", s)
		}
	})
}
