package grid

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// stage is a fake element that a camera looks at. It scrolls only as far as there is content, and
// only to whole pixels.
type stage struct {
	Camera
	size, scroll, extent Vector
	at                   Placement
}

func (s *stage) pane() Pane { return Pane{Size: s.size, Scroll: s.scroll, Extent: s.extent} }

func (s *stage) settle() {
	p, ok := s.Place(s.pane())
	if !ok {
		return
	}
	s.at = p
	for i := range s.extent {
		s.extent[i] = max(p.Extent[i], s.size[i])
	}
	if p.Scroll != nil {
		s.scroll = *p.Scroll
	}
	s.clamp()
	s.Placed(s.pane())
}

func (s *stage) clamp() {
	for i := range s.scroll {
		s.scroll[i] = math.Round(max(min(s.scroll[i], s.extent[i]-s.size[i]), 0))
	}
}

func (s *stage) show(p Picture) (fresh bool) {
	fresh = s.Show(p, s.pane())
	s.settle()
	return fresh
}

// resize changes the size of the element: the browser may scroll, and reports that before the
// picture is placed, and after.
func (s *stage) resize(across, down float64) {
	s.size = Vector{across, down}
	for i := range s.extent {
		s.extent[i] = max(s.at.Extent[i], s.size[i])
	}
	s.clamp()
	s.Scrolled(s.pane())
	s.settle()
	s.Scrolled(s.pane())
}

// scrollTo scrolls as the user does.
func (s *stage) scrollTo(across, down float64) {
	s.scroll = Vector{across, down}
	s.clamp()
	s.Scrolled(s.pane())
}

// seen returns where a point of the picture is in the element.
func (s *stage) seen(point Vector) (at Vector) {
	for i := range at {
		at[i] = s.at.Pad[i] + point[i]*s.at.Scale - s.scroll[i]
	}
	return at
}

func (s *stage) zoom(factor float64) {
	s.Zoom(factor)
	s.settle()
}

func near(a, b Vector, by float64) bool {
	return math.Abs(a[0]-b[0]) <= by && math.Abs(a[1]-b[1]) <= by
}

func graph(key string, width, height, x, y int) Picture {
	return Picture{Focus: key, Width: width, Height: height, FocusX: x, FocusY: y, Least: 40}
}

// TestCameraFits checks that a graph is visible as a whole and centred, in panes of many sizes, but
// not smaller than its minimum scale. Below that its focus is centred, as far as the picture
// reaches.
func TestCameraFits(t *testing.T) {
	s := &stage{size: Vector{500, 400}}
	s.show(graph("a", 1000, 400, 900, 200))
	for _, c := range []struct {
		across, down, scale float64
		start, focus        Vector
	}{
		{1000, 400, 1, Vector{0, 0}, Vector{900, 200}},
		{1200, 800, 1, Vector{100, 200}, Vector{1000, 400}},
		{500, 400, 0.5, Vector{0, 100}, Vector{450, 200}},
		{500, 100, 0.4, Vector{50, -30}, Vector{410, 50}},
		{200, 400, 0.4, Vector{-200, 120}, Vector{160, 200}},
	} {
		s.resize(c.across, c.down)
		if s.at.Scale != c.scale || !near(s.seen(Vector{}), c.start, 1) || !near(s.seen(Vector{900, 200}), c.focus, 1) || !s.fits() {
			t.Errorf("%v × %v: scale %v, begins at %v, focus at %v", c.across, c.down, s.at.Scale, s.seen(Vector{}), s.seen(Vector{900, 200}))
		}
	}
	s.resize(0, 0)
	if _, ok := s.Place(s.pane()); ok {
		t.Error("it is placed in a pane that is hidden")
	}
	s.resize(1000, 400)
	if s.at.Scale != 1 || !s.fits() {
		t.Errorf("after the pane was hidden: scale %v", s.at.Scale)
	}
}

// TestCameraZoom checks that zooming and scrolling end the fitting, that the focus then keeps its
// place in the pane, and that 0 fits the picture again.
func TestCameraZoom(t *testing.T) {
	for name, end := range map[string]func(*stage){
		"zoom":   func(s *stage) { s.zoom(1.25) },
		"wheel":  func(s *stage) { s.Wheel(-1); s.settle() },
		"scroll": func(s *stage) { s.scrollTo(100, 300) },
	} {
		s := &stage{size: Vector{600, 500}}
		s.show(graph("a", 2000, 3000, 1000, 1200))
		end(s)
		scale, focus := s.at.Scale, s.seen(s.focus)
		if s.fits() {
			t.Errorf("%s: it still fits", name)
		}
		s.resize(700, 600)
		if want := (Vector{focus[0] / 600 * 700, focus[1] / 500 * 600}); s.at.Scale != scale || !near(s.seen(s.focus), want, 1.5) {
			t.Errorf("%s: in a larger pane the scale is %v, of %v, and the focus at %v, want %v", name, s.at.Scale, scale, s.seen(s.focus), want)
		}
		s.resize(600, 500)
		if !near(s.seen(s.focus), focus, 2) {
			t.Errorf("%s: and back, the focus is at %v, want %v", name, s.seen(s.focus), focus)
		}
		s.zoom(0)
		if !s.fits() || s.at.Scale != 500.0/3000 || !near(s.seen(Vector{}), Vector{(600 - 2000*s.at.Scale) / 2, 0}, 1) {
			t.Errorf("%s: all of it: scale %v, begins at %v", name, s.at.Scale, s.seen(Vector{}))
		}
	}
	s := &stage{size: Vector{600, 500}}
	s.show(graph("a", 100, 100, 50, 50))
	for range 50 {
		s.zoom(1.25)
	}
	if s.at.Scale != largestScale {
		t.Errorf("the largest scale is %v", s.at.Scale)
	}
	for range 50 {
		s.Wheel(1)
		s.settle()
	}
	if s.at.Scale != smallestScale {
		t.Errorf("the smallest scale is %v", s.at.Scale)
	}
}

// TestCameraScrolls checks that the browser's own scrolling and rounding do not end the fitting.
func TestCameraScrolls(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 1))
	for range 2000 {
		s := &stage{size: Vector{float64(100 + r.IntN(1500)), float64(100 + r.IntN(1500))}}
		width, height := 50+r.IntN(4000), 50+r.IntN(4000)
		s.show(graph("a", width, height, r.IntN(width), r.IntN(height)))
		for range 5 {
			s.resize(float64(100+r.IntN(1500)), float64(100+r.IntN(1500)))
			s.show(graph("a", width, height+r.IntN(9), 20, 20))
			if !s.fits() {
				t.Fatalf("%d × %d in %v: nobody scrolled", width, height, s.size)
			}
		}
		if s.extent[0]-s.size[0] < 10 {
			continue
		}
		if s.scrollTo(s.scroll[0]+map[bool]float64{true: 5, false: -5}[s.scroll[0] < 5], s.scroll[1]); s.fits() {
			t.Fatalf("%d × %d in %v: somebody scrolled", width, height, s.size)
		}
	}
}

// TestCameraScrollsFirst checks that a new state of a picture does not undo a scroll that the browser
// has not reported yet.
func TestCameraScrollsFirst(t *testing.T) {
	s := &stage{size: Vector{600, 500}}
	s.show(graph("a", 2000, 3000, 1000, 1200))
	s.scroll = Vector{40, 77}
	if s.show(graph("a", 2000, 3001, 1000, 1200)); !near(s.scroll, Vector{40, 77}, 1) || s.fits() {
		t.Errorf("it is scrolled to %v", s.scroll)
	}
}

// TestCameraPictures checks that a new state of a picture leaves the focus in its place, and that
// another picture is fitted again.
func TestCameraPictures(t *testing.T) {
	s := &stage{size: Vector{600, 500}}
	if !s.show(graph("a", 2000, 3000, 1000, 1200)) {
		t.Error("the first picture is not new")
	}
	s.zoom(2)
	scale, focus := s.at.Scale, s.seen(s.focus)
	if s.show(graph("a", 2400, 3300, 1300, 1400)) || s.at.Scale != scale || !near(s.seen(Vector{1300, 1400}), focus, 1.5) {
		t.Errorf("it grew: scale %v, of %v, focus at %v, was at %v", s.at.Scale, scale, s.seen(s.focus), focus)
	}
	if !s.show(graph("b", 600, 500, 10, 10)) || s.at.Scale != 1 || !s.fits() {
		t.Errorf("another: scale %v", s.at.Scale)
	}
	s.zoom(2)
	if !s.show(Picture{Focus: "b", Tree: true, Height: 3000}) || s.at.Scale != 1 || s.scroll != (Vector{}) || s.at.Extent != (Vector{0, 3000}) {
		t.Errorf("as a tree: %+v, scrolled to %v", s.at, s.scroll)
	}
	s.scrollTo(0, 700)
	s.resize(300, 200)
	if s.show(Picture{Focus: "b", Tree: true, Height: 3100}) || s.scroll != (Vector{0, 700}) || s.at.Scroll != nil {
		t.Errorf("a tree that grows scrolls to %v", s.scroll)
	}
	if !s.show(graph("b", 600, 400, 10, 10)) || s.at.Scale != 0.5 || !s.fits() {
		t.Errorf("as a graph again: scale %v", s.at.Scale)
	}
	s.show(Picture{})
	if s.at.Scale != 1 {
		t.Errorf("no picture: %+v", s.at)
	}
}

// TestGraphScript checks the steps for a graph and for a tree, as paint.js reads them.
func TestGraphScript(t *testing.T) {
	s := new(graphScript)
	read := func() string {
		return strings.NewReplacer(betweenSteps, "\n", betweenArgs, "|").Replace(s.take())
	}
	s.show(Picture{Label: "All", Width: 300, Height: 90, Frames: []Frame{{1, 2, 3, 4}}, Strokes: []Stroke{{"M0 0", "line"}}, Items: []Item{
		{Key: "pods a/b", X: 10, Y: 20, Width: 188, Look: "focal", Tone: OK, Kind: "Pod", Name: "b", State: "Running", Title: "b", Href: "/pods", Action: "go", Value: "v", Level: 3, Reached: true},
	}}, true)
	s.place(Placement{Scale: 0.5, Pad: Vector{1.5, 0}, Extent: Vector{0, 900}, Scroll: &Vector{0, 12.25}})
	if got, want := read(), "picture|All|graph|300px|90px\nframe|1|2|3|4\nstroke|M0 0|line\nitem|pods a/b||10|20|188px|focal|ok||Pod|b|Running|b|/pods|go|v|3||0|||\ndone\nplace|0.5|1.5px|0px|100%|900px|0|12.25"; got != want {
		t.Errorf("want\n%s\ngot\n%s", want, got)
	}
	s.show(Picture{Label: "All", Tree: true, Height: 90, Items: []Item{{Key: "k", X: 18, Y: 26, Name: "b", Level: 2}}}, false)
	s.place(Placement{Scale: 1})
	if got, want := read(), "picture|All|tree|100%|90px\nitem|k|900|18|26||||||b||||||2||-1|||\ndone\nplace|1|0px|0px|100%|100%||"; got != want {
		t.Errorf("want\n%s\ngot\n%s", want, got)
	}
}

// TestGraphFolds checks that a long name is folded for the painter, and shows no separator as a character.
func TestGraphFolds(t *testing.T) {
	for name, want := range map[string]string{"checkout-gateway-database": "check|out-gateway-da|tabase", "short": "short", "a\x1db\u202ec": "a\u241db\ufffdc"} {
		s := new(graphScript)
		s.show(Picture{Items: []Item{{Key: "k", Name: name, Most: 12}}}, true)
		if steps := s.take(); !strings.Contains(steps, betweenArgs+strings.ReplaceAll(want, "|", betweenParts)+betweenArgs) {
			t.Errorf("%q: %q", name, steps)
		}
	}
}

// TestGraphHostile checks that kinds, names and states, which anybody may write into an owner reference or a
// status, reverse no text, and add no step and no state.
func TestGraphHostile(t *testing.T) {
	evil := "a\u202eb\x1d\x1e\x1fitem"
	for _, states := range [][]State{nil, {{Text: evil}}} {
		s := new(graphScript)
		s.show(Picture{Tree: true, Items: []Item{{Key: "k", Kind: evil, Name: evil, State: evil, States: states, Title: evil + "\n" + evil, Aside: evil}}}, true)
		steps := s.take()
		if strings.ContainsAny(steps, "\u202e"+betweenParts) || strings.Count(steps, betweenSteps) != 2 || strings.Count(steps, "\n") != 1 {
			t.Errorf("%q", steps)
		}
	}
}
