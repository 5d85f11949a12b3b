package grid

import "strconv"

// Picture is what belongs together, as it is drawn: as a graph, or as a tree of lines.
type Picture struct {
	Label         string
	Tree          bool
	Width, Height int
	Focus         string // key of the item that is in the middle of it
	Least         int    // percent: how small it may be shown for all of it to be seen
	Items         []Item
	Frames        []Frame
	Strokes       []Stroke
}

// Item is one object in it. Texts are only ever texts; the address is one of ours.
type Item struct {
	Key           string
	X, Y, Width   int
	Look          string // classes
	Tone          Tone
	Verb          string // how it stands to the one that it is below
	Kind, Name    string
	State, Title  string
	Href          string
	Action, Value string
	Level         int    // in a tree
	Edge          string // what it tells, for who reads the page by a program
	Reached       bool   // by the tabulator
}

// Frame is around items that are alike.
type Frame struct{ X, Y, Width, Height int }

// Stroke is a line, as SVG has its path.
type Stroke struct{ Path, Look, Title string }

// GraphPainter paints pictures.
type GraphPainter interface {
	Show(Picture)
	// Room is how much there is for a picture, in pixels; none while it is not shown.
	Room() (width, height int)
	// Zoom makes it larger or smaller by so many percent, or, with 0, has all of it fit.
	Zoom(percent int)
}

// graphScript writes a picture as steps for the page's painter.
type graphScript struct{ script }

func (s *graphScript) show(p Picture) {
	n := strconv.Itoa
	s.step("picture", p.Label, flag(p.Tree), n(p.Width), n(p.Height), p.Focus, n(p.Least))
	for _, f := range p.Frames {
		s.step("frame", n(f.X), n(f.Y), n(f.Width), n(f.Height))
	}
	for _, l := range p.Strokes {
		s.step("stroke", l.Path, l.Look, l.Title)
	}
	for _, i := range p.Items {
		s.step("item", i.Key, n(i.X), n(i.Y), n(i.Width), i.Look, string(i.Tone), i.Verb, i.Kind, i.Name, i.State, i.Title, i.Href, i.Action, i.Value, n(i.Level), i.Edge, flag(i.Reached))
	}
	s.step("done")
}
