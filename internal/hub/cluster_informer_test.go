package hub

import (
	"testing"

	"watchglass/internal/hub/cluster"
	"watchglass/internal/view"
)

// TestLeft checks that a list left long ago does not count against the budget, and counts once
// when it is reopened.
func TestLeft(t *testing.T) {
	p := three()
	p.extraKinds = []string{"widgets"}
	onPods(t, p, func(t *testing.T, b *fixture) {
		b.wantRows("live", "a/web1 a/web2 b/db1")
		packed, _, _ := b.hub.budget.Used()
		b.showList("widgets", view.Query{Seq: 2})
		b.wait(2 * cluster.Linger)
		if bytes, n, _ := b.hub.budget.Used(); bytes != 0 || n != 0 {
			t.Errorf("%d bytes of %d objects stay", bytes, n)
		}
		b.showList("pods", view.Query{Seq: 3})
		b.wantRows("live", "a/web1 a/web2 b/db1")
		if bytes, n, dropped := b.hub.budget.Used(); bytes != packed || n != 3 || dropped != 0 {
			t.Errorf("%d bytes of %d objects, %d dropped; want %d of 3", bytes, n, dropped, packed)
		}
	})
}
