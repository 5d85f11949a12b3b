package ui

// Brush is what is pointed at and selected in bars. Times stay what they are while bars move. They
// are those of the beginnings of bars.
type Brush struct {
	On         bool  // there is a cursor
	at, anchor int64 // the cursor, and where the selection began
	selects    bool  // the bars in between are selected
	Pointed    int64 // the bar under the pointer; 0 if there is none
}

// Chosen returns the first and the last bar that the cursor has selected. It is false if there is no
// cursor.
func (b Brush) Chosen(a Axis) (from, to int, ok bool) {
	return a.barOf(min(b.at, b.anchor)), a.barOf(max(b.at, b.anchor)), b.On
}

// Shown returns the bars that the text is about: the selected ones, or the one under the pointer or at
// the cursor, else the last one. At is the cursor.
func (b Brush) Shown(a Axis) (at, from, to int) {
	at = a.Bars - 1
	from, to, on := b.Chosen(a)
	switch {
	case b.Pointed > 0 && !b.selects:
		at = a.barOf(b.Pointed)
	case on:
		return a.barOf(b.at), from, to
	}
	return at, at, at
}

// Point applies what the pointer does. 0 is the left edge of the bars, and 1 the right one.
func (b *Brush) Point(a Axis, phase BrushPhase, at float64) {
	here := a.From + int64(min(max(int(at*float64(a.Bars)), 0), a.Bars-1))*a.Width
	switch phase {
	case BrushPoints:
		b.Pointed = here
	case BrushBegins:
		*b = Brush{On: true, at: here, anchor: here}
	case BrushMoves:
		b.at, b.selects = here, b.selects || here != b.anchor
	case BrushEnds:
		b.at, b.selects = here, true
	case BrushLeaves:
		b.Pointed = 0
	}
}

// Step moves the cursor by some bars; extend selects those in between. It begins at the last bar.
func (b *Brush) Step(a Axis, by int, extend bool) {
	to := a.Bars - 1
	if b.On {
		to = min(max(a.barOf(b.at)+by, 0), to)
	} else {
		b.anchor = a.From + int64(to)*a.Width
	}
	if b.at = a.From + int64(to)*a.Width; !extend {
		b.anchor = b.at
	}
	b.On, b.selects, b.Pointed = true, extend, 0
}

// BrushPhase is what the pointer does in bars.
type BrushPhase uint8

const (
	BrushPoints BrushPhase = iota
	BrushBegins
	BrushMoves
	BrushEnds
	BrushClicks // ends without having moved
	BrushLeaves
)

// BarChart shows bars by time. The user narrows it to a range of time with its brush.
type BarChart interface {
	Axis() Axis // without bars, none are shown
	Brushes() *Brush
	Between(from, to int64) // shows the times from one and before another
	Widen() bool            // undoes that, and reports whether there was anything to undo
	Blur()                  // moves the focus to what the bars are about
	// Touched is called with what the pointer does, and reports whether something else shows then.
	Touched(field string, phase BrushPhase, x, y float64) bool
}
