package grid

// Vector is a pair of lengths in pixels: horizontal and vertical.
type Vector [2]float64

// Pane is the element that shows a picture, as measured by the browser.
type Pane struct {
	Size   Vector // of the visible part; 0 while it is hidden
	Scroll Vector
	Extent Vector // of the scrollable content
}

// hidden reports that the pane has no space for a layout.
func (p Pane) hidden() bool { return p.Size[0] == 0 || p.Size[1] == 0 }

// Placement is the position of a picture in its pane.
type Placement struct {
	Scale  float64
	Pad    Vector  // padding before the picture
	Extent Vector  // of the scrollable content; 0 fills the pane
	Scroll *Vector // nil leaves it unchanged
}
