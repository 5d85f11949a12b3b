package chart

import "watchglass/web/ui"

// Bars is the part that passes keys and the pointer in bars to the BarChart that shows them.
type Bars struct {
	redraw func()
	in     func(field string) ui.BarChart
	of     ui.BarChart // the one with the focus, or nil
}

// NewBars returns the part. in returns what shows the bars of a field; nil if nothing does.
func NewBars(redraw func(), in func(field string) ui.BarChart) *Bars {
	return &Bars{redraw: redraw, in: in}
}

// namesMark is what the names of fields with the names of lanes end in.
const namesMark = "-names"

// Focus notes the field in which a key is pressed.
func (bs *Bars) Focus(field string) {
	if bs.of = nil; ui.HasBars(field) {
		bs.of = bs.ofField(field)
	}
}

// ofField returns what shows the bars of a field; nil if there are none.
func (bs *Bars) ofField(field string) ui.BarChart {
	of := bs.in(field)
	if of == nil || of.Axis().Bars == 0 {
		return nil
	}
	return of
}

// Commands returns the keys in bars.
func (bs *Bars) Commands() []ui.Command {
	step := func(by int, extend bool) func() {
		return func() { bs.of.Brushes().Step(bs.of.Axis(), by, extend) }
	}
	return ui.Around([]ui.Command{
		{Keys: []string{"ArrowLeft"}, In: ui.InBars, Title: "Previous or next bar", Do: step(-1, false)},
		{Keys: []string{"ArrowRight"}, In: ui.InBars, Title: "Previous or next bar", Do: step(1, false)},
		{Keys: []string{"Shift+ArrowLeft"}, In: ui.InBars, Title: "Select bars", Do: step(-1, true)},
		{Keys: []string{"Shift+ArrowRight"}, In: ui.InBars, Title: "Select bars", Do: step(1, true)},
		{Keys: []string{"Enter"}, In: ui.InBars, Title: "Narrow to the selection", Do: func() { narrow(bs.of) }},
		{Keys: []string{"Escape"}, In: ui.InBars, Title: "Clear the selection or range", Do: bs.leave},
		{Keys: []string{"Escape"}, In: ui.InLanes, Do: bs.leave},
	}, func(run func()) {
		if bs.of != nil {
			run()
			bs.redraw()
		}
	})
}

// leave removes the cursor, else the range, else moves the focus out of the bars.
func (bs *Bars) leave() {
	if b := bs.of.Brushes(); b.On {
		*b = ui.Brush{}
	} else if !bs.of.Widen() {
		bs.of.Blur()
	}
}

// narrow narrows a chart to the time of the bars that are selected, as one step that Back undoes.
func narrow(of ui.BarChart) {
	a := of.Axis()
	if from, to, ok := of.Brushes().Chosen(a); ok {
		*of.Brushes() = ui.Brush{}
		of.Between(max(a.To(from-1), 1), a.To(to))
	}
}

// OnBrush handles what the pointer does in the bars of a field, and where: 0, 0 is their top left, and 1, 1 their bottom
// right.
func (bs *Bars) OnBrush(field string, phase ui.BrushPhase, x, y float64) {
	of := bs.ofField(field)
	if of == nil {
		return
	}
	b := of.Brushes()
	before := *b
	b.Point(of.Axis(), phase, x)
	shows := of.Touched(field, phase, x, y)
	if phase == ui.BrushEnds {
		narrow(of)
	}
	if shows || before != *b || phase == ui.BrushEnds {
		bs.redraw()
	}
}
