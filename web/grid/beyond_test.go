package grid

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// scattered returns a graph with items at random places.
func scattered(r *rand.Rand, key string) Picture {
	p := Picture{Focus: key, Width: 300 + r.IntN(3000), Height: 300 + r.IntN(3000), Least: 80}
	for i := range 1 + r.IntN(60) {
		it := Item{Key: fmt.Sprint(i), X: r.IntN(p.Width - 210), Y: r.IntN(p.Height - 42), Width: 210, Height: 42, Count: 1 + r.IntN(3), One: "pod", Many: "pods"}
		if r.IntN(8) == 0 {
			it.Broken = 1
		}
		p.Items = append(p.Items, it)
	}
	c := p.Items[0].centre()
	p.Items[0].Reached, p.Items[0].Current = true, true
	p.Focus, p.FocusX, p.FocusY = "0", int(c[0]), int(c[1])
	return p
}

// TestBeyond checks that each item is either visible or counted at exactly one edge, on its side,
// and that the nearest of these can be moved to the centre.
func TestBeyond(t *testing.T) {
	chips := 0
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 21))
		s := &stage{size: Vector{float64(200 + r.IntN(900)), float64(200 + r.IntN(700))}}
		p := scattered(r, "0")
		s.show(p)
		if s.extent[0] > s.size[0] || s.extent[1] > s.size[1] {
			s.scrollTo(float64(r.IntN(2000)), float64(r.IntN(2000)))
		}
		visible, all, beyond := 0, 0, 0
		for _, it := range p.Items {
			all += it.Count
			if at := s.seen(it.centre()); at[0] >= 0 && at[0] <= s.size[0] && at[1] >= 0 && at[1] <= s.size[1] {
				visible += it.Count
			}
		}
		for edge, b := range s.Beyond(s.pane()) {
			if b.Text == "" {
				continue
			}
			chips++
			var n int
			if _, err := fmt.Sscanf(b.Text, "%d pod", &n); err != nil {
				if _, err := fmt.Sscanf(b.Text, "◂ %d pod", &n); err != nil {
					t.Fatal(b.Text)
				}
			}
			beyond += n
			s.checkTowards(t, p, Edge(edge), b)
		}
		if visible+beyond != all {
			t.Fatalf("seed %d: %d visible, %d beyond, of %d", seed, visible, beyond, all)
		}
	}
	if chips < 100 {
		t.Fatalf("%d chips: that shows little", chips)
	}
}

// checkTowards checks which item a chip leads to, and that it is beyond its edge.
func (s *stage) checkTowards(t *testing.T, p Picture, edge Edge, b Beyond) {
	t.Helper()
	key, by := s.Towards(edge, s.pane())
	for _, it := range p.Items {
		if it.Key != key {
			continue
		}
		at := s.seen(it.centre())
		if want := (Vector{at[0] - s.size[0]/2, at[1] - s.size[1]/2}); !near(by, want, 1) || b.Broken != (it.Broken > 0) {
			t.Fatalf("%s by %v, want %v; broken: %v", key, by, want, b.Broken)
		}
		out := [edges]bool{at[0] < 0, at[1] < 0, at[0] > s.size[0], at[1] > s.size[1]}
		if !out[edge] {
			t.Fatalf("%s is at %v, which is not beyond edge %d", key, at, edge)
		}
		return
	}
	t.Fatalf("edge %d leads nowhere: %q", edge, b.Text)
}

// TestBeyondWords checks the words of a chip.
func TestBeyondWords(t *testing.T) {
	for want, items := range map[string][]Item{
		"":                                {{}, {Many: "secrets"}},
		"1 owner":                         {{Count: 1, One: "owner", Many: "owners"}},
		"6 nodes":                         {{Count: 2, Many: "nodes"}, {Count: 4, Many: "nodes"}},
		"9 pods, 2 nodes, 2 more":         {{Count: 1, Many: "a"}, {Count: 2, Many: "nodes"}, {Count: 9, Many: "pods"}, {Count: 1, Many: "b"}},
		"12 pods, 1 node · 3 failing":     {{Count: 12, Many: "pods", Broken: 2}, {Count: 1, One: "node", Many: "nodes", Broken: 1}},
		"1 replicaset, 1 pod · 1 failing": {{Count: 1, One: "replicaset", Many: "replicasets"}, {Count: 1, One: "pod", Many: "pods", Broken: 1}},
	} {
		var c tally
		for _, it := range items {
			c.add(it)
		}
		if got := c.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestCameraStays checks that a change moves nothing that the user looks at: neither in a fitted
// picture, nor after a scroll, even if the focus moves away or is gone.
func TestCameraStays(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 23))
		s := &stage{size: Vector{600, 500}}
		p := scattered(r, "0")
		p.Width, p.Height = p.Width+1200, p.Height+1000 // so that it scrolls
		for i := range p.Items {
			p.Items[i].X, p.Items[i].Y = p.Items[i].X+600, p.Items[i].Y+500
		}
		p.FocusX, p.FocusY = p.FocusX+600, p.FocusY+500
		s.show(p)
		if r.IntN(2) == 0 {
			s.scrollTo(float64(300+r.IntN(900)), float64(300+r.IntN(900)))
		}
		anchor, least := p.Items[0], 1e9
		for _, it := range p.Items {
			at := s.seen(it.centre())
			far := abs(at[0]-300) + abs(at[1]-250)
			if it.Reached && at[0] > 0 && at[0] < 600 && at[1] > 0 && at[1] < 500 {
				far = -1
			}
			if far < least {
				anchor, least = it, far
			}
		}
		before, scale := s.seen(anchor.centre()), s.at.Scale
		next := p
		next.Items = nil
		dx, dy := r.IntN(300), r.IntN(300)
		for _, it := range p.Items {
			it.X, it.Y = it.X+dx, it.Y+dy
			if it.Key == anchor.Key {
				anchor = it
			}
			next.Items = append(next.Items, it)
		}
		next.Width, next.Height, next.FocusX, next.FocusY = p.Width+dx, p.Height+dy, p.FocusX+dx, p.FocusY+dy
		s.show(next)
		if !near(s.seen(anchor.centre()), before, 1.5) || s.at.Scale != scale {
			t.Fatalf("seed %d: it was at %v, and is at %v; scale %v, was %v", seed, before, s.seen(anchor.centre()), s.at.Scale, scale)
		}
	}
}

// TestCameraLoads checks that a picture is fitted with each change until it is complete, and again
// when its pane has another size.
func TestCameraLoads(t *testing.T) {
	s := &stage{size: Vector{600, 500}}
	at := func(width int, loading bool) {
		s.show(Picture{Focus: "a", Width: width, Height: 100, FocusX: width / 2, FocusY: 50, Least: 80, Loading: loading, Items: []Item{{Key: "a", X: width/2 - 5, Y: 45, Width: 10, Height: 10, Current: true, Reached: true}}})
	}
	centred := func() bool { return near(s.seen(s.focus), Vector{300, 250}, 1) }
	at(100, true)
	at(300, true)
	at(700, false)
	if !centred() || s.at.Scale != 600.0/700 {
		t.Errorf("the focus is at %v, scale %v", s.seen(s.focus), s.at.Scale)
	}
	at(740, true)
	if s.at.Scale != 600.0/700 {
		t.Errorf("a change zooms to %v", s.at.Scale)
	}
	s.resize(700, 500)
	if want := 700.0 / 740; s.at.Scale != want {
		t.Errorf("in a larger pane the scale is %v, want %v", s.at.Scale, want)
	}
}
