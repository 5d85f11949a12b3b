package grid

// Vector is a pair of lengths in pixels: across and down.
type Vector [2]float64

// Pane is the element that shows a picture, as the browser measures it.
type Pane struct {
	Size   Vector // of what shows at once; 0 while it is hidden
	Scroll Vector
	Extent Vector // of what can be scrolled to
}

// hidden reports that the pane has no room to lay anything out in.
func (p Pane) hidden() bool { return p.Size[0] == 0 || p.Size[1] == 0 }

// Placement is where a picture goes in its pane.
type Placement struct {
	Scale  float64
	Pad    Vector  // space before the picture
	Extent Vector  // of the element that scrolls; 0 fills the pane
	Scroll *Vector // nil leaves it as it is
}

// The scales between which people zoom, and how much one notch of the wheel changes the
// scale.
const (
	smallestScale = 0.1
	largestScale  = 2
	wheelIn       = 1.1
	wheelOut      = 0.9
)

// tolerance is by how many pixels browsers round what they scroll.
const tolerance = 1

// Camera decides which part of a picture shows, and how large. A graph fits its pane until
// somebody zooms or scrolls; from then on its focus keeps its distance from the middle of
// the pane, as a share of the pane. A tree is as large as it is, and only scrolls.
type Camera struct {
	of    string // key of the focus
	tree  bool
	fresh bool // the picture has not been placed yet
	size  Vector
	focus Vector  // middle of the focus, in the picture
	least float64 // smallest scale at which the picture still shrinks to fit; 0 once somebody zoomed or scrolled
	scale float64 // 0 before the first picture
	pad   Vector
	// scroll is where the last placement scrolled to, and off is how far the middle of the
	// pane was from the focus then, as a share of the pane.
	scroll, off Vector
}

// fits reports whether the picture fits its pane, since nobody has zoomed or scrolled.
func (c *Camera) fits() bool { return c.least > 0 }

// Show sets the picture, and reports whether it is a different one, not a new state of the
// same.
func (c *Camera) Show(p Picture, now Pane) (fresh bool) {
	c.Scrolled(now)
	if fresh = c.scale == 0 || c.of != p.Focus || c.tree != p.Tree; fresh {
		c.fresh = true
		c.least = 1
		if p.Least > 0 {
			c.least = float64(p.Least) / 100
		}
		c.scale = max(c.scale, smallestScale)
	}
	c.of, c.tree = p.Focus, p.Tree
	c.size = Vector{float64(p.Width), float64(p.Height)}
	c.focus = Vector{float64(p.FocusX), float64(p.FocusY)}
	return fresh
}

// Scrolled notices that somebody has scrolled a graph. The browser scrolls by itself where a
// larger pane leaves less to scroll; that does not count.
func (c *Camera) Scrolled(now Pane) {
	if c.tree || c.scale == 0 || now.hidden() {
		return
	}
	for i, at := range now.Scroll {
		most := max(now.Extent[i]-now.Size[i], 0)
		if off := at - min(c.scroll[i], most); off > tolerance || off < -tolerance {
			c.least = 0
			c.Placed(now)
			return
		}
	}
}

// Zoom changes the scale by a factor. 0 has the picture fit again, however small.
func (c *Camera) Zoom(factor float64) {
	if factor == 0 {
		c.least = smallestScale
		return
	}
	c.least = 0
	c.scale *= factor
}

// Wheel zooms by one notch of the wheel; a negative delta zooms in.
func (c *Camera) Wheel(delta float64) {
	if delta < 0 {
		c.Zoom(wheelIn)
	} else {
		c.Zoom(wheelOut)
	}
}

// Place returns where the picture goes in a pane; false while the pane is hidden. The caller
// applies it, and passes Placed the pane as it is then.
func (c *Camera) Place(now Pane) (Placement, bool) {
	if now.hidden() || c.scale == 0 {
		return Placement{}, false
	}
	c.rescale(now)
	p := Placement{Scale: c.scale}
	var scroll Vector
	for i, has := range now.Size {
		free := has - c.size[i]*c.scale
		over := free < -0.5
		if over {
			p.Extent[i] = c.size[i] * c.scale
		}
		if c.tree {
			continue
		}
		// left is where the picture begins if its focus is where it should be.
		var left float64
		switch {
		case !c.fits():
			left = has/2 - c.scale*(c.focus[i]+c.off[i]*has)
		case over:
			left = has/2 - c.scale*c.focus[i]
		default:
			left = free / 2
		}
		p.Pad[i] = min(max(left, 0), max(free, 0))
		scroll[i] = p.Pad[i] - left
	}
	c.pad = p.Pad
	if !c.tree || c.fresh {
		p.Scroll = &scroll
	}
	c.fresh = false
	return p, true
}

func (c *Camera) rescale(now Pane) {
	switch {
	case c.tree:
		c.scale = 1
	case c.fits():
		c.scale = max(min(now.Size[0]/c.size[0], now.Size[1]/c.size[1], 1), c.least)
	default:
		c.scale = min(max(c.scale, smallestScale), largestScale)
	}
}

// Placed notes where the pane, which is not hidden, is scrolled to.
func (c *Camera) Placed(now Pane) {
	if c.tree {
		return
	}
	c.scroll = now.Scroll
	for i, has := range now.Size {
		c.off[i] = ((now.Scroll[i]+has/2-c.pad[i])/c.scale - c.focus[i]) / has
	}
}
