package grid

// The range of scales for zooming, and the factors of one wheel notch.
const (
	smallestScale = 0.1
	largestScale  = 2
	wheelIn       = 1.1
	wheelOut      = 0.9
)

// tolerance is how many pixels a scroll position may differ because browsers round it.
const tolerance = 1

// Camera decides which part of a picture is visible, and at what scale. A graph fits its pane, or
// at its smallest scale its focus is centred, until the user zooms or scrolls, or until a change
// comes in. From then on the anchor keeps its distance from the centre of the pane, as a fraction
// of the pane: what the user looks at does not jump. A tree is not scaled; it only scrolls.
type Camera struct {
	of     string // key of the focus
	tree   bool
	fresh  bool // not placed yet
	size   Vector
	focus  Vector // centre of the focus, in the picture
	items  []Item
	anchor Vector  // centre of the anchor, in the picture
	least  float64 // smallest scale at which the picture still shrinks to fit; 0 after the user zoomed or scrolled
	loaded bool    // a complete picture was shown
	still  bool    // a change came in while the picture was fitted: nothing moves until the pane is resized
	scale  float64 // 0 before the first picture
	pane   Vector  // size of the pane at the last placement
	pad    Vector
	// scroll is the scroll position of the last placement; off is the distance between the centre
	// of the pane and the anchor at that time, as a fraction of the pane.
	scroll, off Vector
}

// fits reports whether the picture is fitted to its pane, because nobody has zoomed or scrolled.
func (c *Camera) fits() bool { return c.least > 0 }

// Show sets the picture, and reports whether it is a different picture rather than a new state of
// the current one.
func (c *Camera) Show(p Picture, now Pane) (fresh bool) {
	c.Scrolled(now)
	c.still = false
	if fresh = c.scale == 0 || c.of != p.Focus || c.tree != p.Tree; fresh {
		c.fresh, c.loaded = true, false
		c.least = 1
		if p.Least > 0 {
			c.least = float64(p.Least) / 100
		}
		c.scale = max(c.scale, smallestScale)
	}
	at := Vector{float64(p.FocusX), float64(p.FocusY)}
	if c.anchor = at; !fresh && !p.Tree {
		reached := c.anchorTo(p, now)
		c.still = c.fits() && (c.loaded || reached != p.Focus)
	}
	c.loaded = c.loaded || !p.Loading
	c.of, c.tree = p.Focus, p.Tree
	c.size = Vector{float64(p.Width), float64(p.Height)}
	c.focus, c.items = at, p.Items
	return fresh
}

// anchorTo chooses as the anchor an item that the current and the next picture have: the one that
// Tab reaches if it is visible, else the one nearest to the centre of the pane. It returns the one
// that Tab reaches.
func (c *Camera) anchorTo(next Picture, now Pane) (reached string) {
	after := make(map[string]Vector, len(next.Items))
	for _, it := range next.Items {
		if after[it.Key] = it.centre(); it.Reached {
			reached = it.Key
		}
	}
	if now.hidden() {
		return reached
	}
	nearest, found := 0.0, false
	for _, it := range c.items {
		to, stays := after[it.Key]
		if !stays {
			continue
		}
		off := c.offCentre(it.centre(), now)
		far := abs(off[0])*now.Size[0] + abs(off[1])*now.Size[1]
		if it.Key == reached && c.scale*max(abs(off[0]), abs(off[1])) < 0.5 {
			far = -1
		}
		if !found || far < nearest {
			found, nearest = true, far
			c.anchor, c.off = to, off
		}
	}
	return reached
}

// offCentre returns the distance between the centre of the pane and a point of the picture, in
// lengths of the picture, as a fraction of the pane.
func (c *Camera) offCentre(point Vector, now Pane) (off Vector) {
	for i, has := range now.Size {
		off[i] = ((now.Scroll[i]+has/2-c.pad[i])/c.scale - point[i]) / has
	}
	return off
}

// Scrolled notices that the user has scrolled a graph. The browser itself scrolls when a larger
// pane leaves less to scroll; that does not count.
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

// Zoom multiplies the scale by a factor. 0 fits the whole picture again, however small.
func (c *Camera) Zoom(factor float64) {
	c.still = false
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

// Place returns the placement of the picture in a pane; false while the pane is hidden. The caller
// applies it, and then passes the pane to Placed.
func (c *Camera) Place(now Pane) (Placement, bool) {
	if now.hidden() || c.scale == 0 {
		return Placement{}, false
	}
	if now.Size != c.pane {
		c.still = false
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
		// left is where the picture starts if its focus is where it should be.
		var left float64
		switch {
		case !c.fits(), c.still:
			left = has/2 - c.scale*(c.anchor[i]+c.off[i]*has)
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
	case c.still: // at the scale it has
	case c.fits():
		c.scale = max(min(now.Size[0]/c.size[0], now.Size[1]/c.size[1], 1), c.least)
	default:
		c.scale = min(max(c.scale, smallestScale), largestScale)
	}
}

// Placed records the scroll position of the pane, which must not be hidden.
func (c *Camera) Placed(now Pane) {
	if c.tree {
		return
	}
	c.scroll, c.pane = now.Scroll, now.Size
	c.off = c.offCentre(c.anchor, now)
}
