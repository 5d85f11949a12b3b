package grid

import (
	"strconv"
	"strings"

	"watchglass/internal/detail/text"
)

// Picture is an object and its related objects, as a graph or as a tree.
type Picture struct {
	Label         string
	Tree          bool
	Width, Height int
	Focus         string // key of the item that the picture is about
	// FocusX and FocusY are the centre of that item, in a graph.
	FocusX, FocusY int
	Least          int  // percent: the smallest scale at which a graph still shrinks to fit; 0 is 100
	Loading        bool // it is not complete yet
	Items          []Item
	Frames         []Frame
	Strokes        []Stroke
}

// Item is an object in a picture. Texts are never interpreted; the address is one of our own.
type Item struct {
	Key           string
	X, Y          int
	Width, Height int    // 0: as large as its text
	Look          string // CSS classes
	Tone          Tone
	Verb          string // its relation to its parent in the tree
	Kind, Name    string
	Most          int // characters of the name that show: its middle is folded; 0 is all
	State, Title  string
	States        []State // instead of State and Tone, if it stands for several objects
	Href          string
	Action, Value string
	Level         int    // in a tree
	Edge          string // its relations
	Aside         string // what is read after its texts, and not shown
	Expanded      string // "true" or "false" if it heads a group
	Current       bool   // the picture is about it
	Reached       bool   // Tab reaches it
	// Count is how many objects it stands for, and One and Many are their names in a count of what
	// is beyond an edge. Broken is how many of them need attention.
	Count, Broken int
	One, Many     string
}

// State is one of the states of an item.
type State struct {
	Text string
	Tone Tone
}

func (i Item) centre() Vector {
	return Vector{float64(i.X) + float64(i.Width)/2, float64(i.Y) + float64(i.Height)/2}
}

// states returns the item's states and their tones, each as one text with separators.
func (i Item) states() (texts, tones string) {
	if i.States == nil {
		return text.Visible(i.State), string(i.Tone)
	}
	for n, s := range i.States {
		if n > 0 {
			texts, tones = texts+betweenParts, tones+betweenParts
		}
		texts, tones = texts+text.Visible(s.Text), tones+string(s.Tone)
	}
	return texts, tones
}

// visibleLines returns a text of several lines with characters that do not display replaced. The kinds and
// names in owner references may have any.
func visibleLines(lines string) string {
	all := strings.Split(lines, "\n")
	for i := range all {
		all[i] = text.Visible(all[i])
	}
	return strings.Join(all, "\n")
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
	// Pan moves the nearest item beyond an edge to the centre, and returns its key: a broken one if
	// there is one. It returns "" if there is nothing.
	Pan(Edge) string
}

// graphScript writes a picture as steps for the page's painter.
type graphScript struct{ script }

// show writes a whole picture. Nothing glows in a fresh one, because everything is new.
func (s *graphScript) show(p Picture, fresh bool) {
	n := strconv.Itoa
	shape, width := "graph", pixels(float64(p.Width))
	if p.Tree {
		shape, width = "tree", "100%"
	}
	s.step("picture", p.Label, shape, width, pixels(float64(p.Height)))
	for _, f := range p.Frames {
		s.step("frame", n(f.X), n(f.Y), n(f.Width), n(f.Height))
	}
	for _, l := range p.Strokes {
		s.step("stroke", l.Path, l.Look)
	}
	for _, i := range p.Items {
		level, tab := n(i.Level), "-1"
		if i.Reached {
			tab = "0"
		}
		width := ""
		if i.Width > 0 {
			width = pixels(float64(i.Width))
		}
		current := ""
		if i.Current {
			current = "true"
		}
		states, tones := i.states()
		name := text.Visible(i.Name)
		if i.Most > 0 {
			name = Fold(name, i.Most) // after Visible, which would show the separators
		}
		s.step("item", i.Key, glow(!fresh), n(i.X), n(i.Y), width, i.Look, tones, i.Verb, text.Visible(i.Kind), name, states, visibleLines(i.Title), i.Href, i.Action, i.Value, level, i.Edge, tab, text.Visible(i.Aside), i.Expanded, current)
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
