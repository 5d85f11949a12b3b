package grid

import "strconv"

// Picture is an object and its related objects, as a graph or as a tree.
type Picture struct {
	Label         string
	Tree          bool
	Width, Height int
	Focus         string // key of the item that the picture is about
	// FocusX and FocusY are the centre of that item, in a graph.
	FocusX, FocusY int
	Least          int // percent: the smallest scale at which a graph still shrinks to fit; 0 is 100
	Items          []Item
	Frames         []Frame
	Strokes        []Stroke
}

// Item is an object in a picture. Texts are never interpreted; the address is one of our own.
type Item struct {
	Key           string
	X, Y, Width   int
	Look          string // CSS classes
	Tone          Tone
	Verb          string // its relation to its parent in the tree
	Kind, Name    string
	State, Title  string
	Href          string
	Action, Value string
	Level         int    // in a tree
	Edge          string // its relations, for assistive technology
	Reached       bool   // Tab reaches it
}

// Frame is drawn around like items.
type Frame struct{ X, Y, Width, Height int }

// Stroke is a line, with its path in SVG syntax.
type Stroke struct{ Path, Look string }

// GraphPainter paints pictures.
type GraphPainter interface {
	Show(Picture)
	// Room returns the space for a picture in pixels; 0 while it is hidden.
	Room() (width, height int)
	// Zoom scales the picture by a percentage; 0 fits all of it.
	Zoom(percent int)
}

// graphScript writes a picture as steps for the page's painter.
type graphScript struct{ script }

// show writes a whole picture. Nothing glows in a fresh one, because everything is new.
func (s *graphScript) show(p Picture, fresh bool) {
	n := strconv.Itoa
	shape, role, itemRole, width := "graph", "group", "", pixels(float64(p.Width))
	if p.Tree {
		shape, role, itemRole, width = "tree", "tree", "treeitem", "100%"
	}
	s.step("picture", p.Label, shape, role, width, pixels(float64(p.Height)))
	for _, f := range p.Frames {
		s.step("frame", n(f.X), n(f.Y), n(f.Width), n(f.Height))
	}
	for _, l := range p.Strokes {
		s.step("stroke", l.Path, l.Look)
	}
	for _, i := range p.Items {
		level := ""
		if p.Tree {
			level = n(i.Level)
		}
		tab := "-1"
		if i.Reached {
			tab = "0"
		}
		width := ""
		if i.Width > 0 {
			width = pixels(float64(i.Width))
		}
		s.step("item", i.Key, glow(!fresh), n(i.X), n(i.Y), width, i.Look, string(i.Tone), i.Verb, i.Kind, i.Name, i.State, i.Title, i.Href, i.Action, i.Value, itemRole, level, i.Edge, tab)
	}
	s.step("done")
}

// place writes the placement of the picture.
func (s *graphScript) place(p Placement) {
	number := func(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
	var extent [2]string
	for i, size := range p.Extent {
		extent[i] = "100%"
		if size > 0 {
			extent[i] = pixels(size)
		}
	}
	var left, top string
	if p.Scroll != nil {
		left, top = number(p.Scroll[0]), number(p.Scroll[1])
	}
	s.step("place", number(p.Scale), pixels(p.Pad[0]), pixels(p.Pad[1]), extent[0], extent[1], left, top)
}

func pixels(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) + "px" }
