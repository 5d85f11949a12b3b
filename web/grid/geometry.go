package grid

// Geometry is the list's box on screen, in pixels.
type Geometry struct {
	RowHeight int
	Height    int // of the box, without the header
	Scroll    int // from the top of the list
}

// overscan is how many rows are painted above and below the visible ones, so that scrolling shows
// rows before the next patch arrives.
const overscan = 6

// Window returns the part of the list to paint.
func (g Geometry) Window() (offset, limit int) {
	if g.RowHeight <= 0 {
		return 0, 0
	}
	first := max(g.Scroll/g.RowHeight-overscan, 0)
	last := (g.Scroll+g.Height+g.RowHeight-1)/g.RowHeight + overscan
	return first, max(last-first, 0)
}

// Page returns how many whole rows the box shows.
func (g Geometry) Page() int {
	if g.RowHeight <= 0 {
		return 1
	}
	return max(g.Height/g.RowHeight, 1)
}

// Reveal returns the nearest scroll position at which a row is visible.
func (g Geometry) Reveal(index int) int {
	top, bottom := index*g.RowHeight, (index+1)*g.RowHeight
	switch {
	case top < g.Scroll:
		return top
	case bottom > g.Scroll+g.Height:
		return max(bottom-g.Height, 0)
	}
	return g.Scroll
}

// Centre returns the scroll position for a row: unchanged if it is visible, otherwise centred.
func (g Geometry) Centre(index, rows int) int {
	if g.Reveal(index) == g.Scroll {
		return g.Scroll
	}
	return max(min(index*g.RowHeight-(g.Height-g.RowHeight)/2, rows*g.RowHeight-g.Height), 0)
}
