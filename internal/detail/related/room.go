package related

import (
	"math"
	"sort"
)

// Room is the space for a drawing, in pixels; 0 means unlimited.
type Room struct{ Width, Height int }

// MinScale is the smallest scale at which a picture is shrunk to be seen whole. The page keeps text
// at 12 pixels down to this scale; below it, names would be cut to a few letters.
const MinScale = 0.8

// scale rates how well a picture can be shown: by the scale at which all of it fits, if that is at
// least Least. A higher picture is fitted to the width alone, and is rated by how much of its
// height is visible. None is cut off at its sides; one that is too wide for Least rates lowest.
func (r Room) scale(width, height int) float64 {
	if r.Width <= 0 || r.Height <= 0 {
		return 1
	}
	across, down := float64(r.Width)/float64(width), float64(r.Height)/float64(height)
	switch {
	case across < MinScale:
		return across / 2
	case down < MinScale:
		return 0.9*MinScale + 0.1*down
	}
	return min(1, across, down)
}

// arrangement is the direction of a drawing and the scale for which its layers and blocks are cut:
// they are as long as the room is at that scale.
type arrangement struct {
	down  bool
	scale float64
}

// arrangements are the ones to try, the best first.
var arrangements = []arrangement{{false, 1}, {true, 1}, {false, 0.9}, {true, 0.9}, {false, MinScale}, {true, MinScale}}

// limit returns how long a layer may be.
func (d *drawing) limit(c arrangement) int {
	switch {
	case d.room.Width <= 0 || d.room.Height <= 0:
		return math.MaxInt
	case c.down:
		return int(float64(d.room.Width) / c.scale)
	}
	return int(float64(d.room.Height) / c.scale)
}

// rearrangeFactor is the factor by which another arrangement must be better than the current one
// before the drawing is rearranged, unless all of it fits in the other one only.
const rearrangeFactor = 1.25

// chooseArrangement picks the arrangement in which most is legible. It keeps the current
// arrangement while that is nearly as good.
func (d *drawing) chooseArrangement() {
	best, chosen := 0.0, arrangements[0]
	for _, c := range arrangements {
		if s := d.room.scale(d.measure(c)); s > best*1.02 {
			best, chosen = s, c
		}
		if best >= 1 {
			break
		}
	}
	if d.before != nil && d.before.arrangement.scale > 0 {
		now := d.room.scale(d.measure(d.before.arrangement))
		if now*rearrangeFactor >= best && (now >= MinScale) == (best >= MinScale) {
			chosen = d.before.arrangement
		}
	}
	d.arrangement = chosen
}

// measure returns the approximate size of the drawing in an arrangement. It is exact except for the
// order of blocks within a layer.
func (d *drawing) measure(c arrangement) (width, height int) {
	layers := make(map[int][]*block)
	for _, b := range d.blocks {
		one := *b
		one.rows, one.cols, _ = d.shape(b, c)
		layers[b.layer] = append(layers[b.layer], &one)
	}
	along, across := -c.gap(), 0
	for _, blocks := range layers {
		along += c.gap() - blockGap
		for _, shelf := range c.shelves(blocks, d.limit(c)) {
			across = max(across, shelf.across)
			along += shelf.along + blockGap
		}
	}
	if c.down {
		return across, along
	}
	return along, across
}

// gap returns the space between two layers: less where room is short.
func (c arrangement) gap() int {
	gap := layerGap
	if c.down {
		gap = layerStep
	}
	if c.scale < 1 {
		gap = gap * 3 / 4
	}
	return gap
}

// size returns how much of its layer's length and depth a block takes.
func (c arrangement) size(b *block) (across, along int) {
	if c.down {
		return b.width(), b.height()
	}
	return b.height(), b.width()
}

// shelf is a piece of a layer, no longer than the limit.
type shelf struct {
	blocks        []*block
	across, along int
}

// shelves distributes the blocks of a layer over shelves, in order.
func (c arrangement) shelves(blocks []*block, limit int) (all []shelf) {
	for _, b := range blocks {
		across, along := c.size(b)
		last := len(all) - 1
		if last < 0 || all[last].across+blockGap+across > limit {
			all = append(all, shelf{[]*block{b}, across, along})
			continue
		}
		s := &all[last]
		s.blocks, s.across, s.along = append(s.blocks, b), s.across+blockGap+across, max(s.along, along)
	}
	return all
}

// rowsPerColumn is the ratio of rows to columns in a block. It makes a block about as wide as high.
const rowsPerColumn = 5

// shape returns a block's rows and columns in an arrangement. It keeps the previous ones while they
// fit; otherwise the block becomes no longer than a layer may be.
func (d *drawing) shape(b *block, c arrangement) (rows, cols int, kept bool) {
	n, limit := len(b.members), d.limit(c)
	if d.before != nil {
		if previous := d.before.blocks[b.key]; previous != nil && n <= previous.rows*previous.cols && 2*n >= previous.rows*previous.cols {
			if across, _ := c.size(previous); across <= limit {
				return previous.rows, previous.cols, true
			}
		}
	}
	cols = max(1, int(math.Round(math.Sqrt(float64(n)/rowsPerColumn))))
	if c.down {
		cols = min(cols, max(1, limit/(NodeWidth+gapAcross)))
	} else if most := max(1, (limit-gapDown)/(NodeHeight+gapDown)); n > most*cols {
		cols = (n + most - 1) / most
	}
	return (n + cols - 1) / cols, cols, false
}

// place positions each block: layers stand side by side or one below the other, each as deep as
// its shelves and centred.
func (d *drawing) place() {
	c := d.arrangement
	along := 0
	for from := 0; from < len(d.ranked); {
		to := from + sort.Search(len(d.ranked)-from, func(n int) bool { return d.ranked[from+n].layer > d.ranked[from].layer })
		for _, shelf := range c.shelves(d.ranked[from:to], d.limit(c)) {
			across := -shelf.across / 2
			for _, b := range shelf.blocks {
				if b.x, b.y = along, across; c.down {
					b.x, b.y = across, along
				}
				step, _ := c.size(b)
				across += step + blockGap
			}
			along += shelf.along + blockGap
		}
		along += c.gap() - blockGap
		from = to
	}
}
