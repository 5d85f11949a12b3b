package chart

import (
	"strconv"
	"strings"

	"watchglass/web/ui"
)

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

// The names of fields with lanes below bars, and of those with the names of lanes, end in these.
const (
	lanesMark = "-lanes"
	namesMark = "-names"
)

// Focus notes the field in which a key is pressed.
func (bs *Bars) Focus(field string) {
	if bs.of = nil; KeysIn(field) != nil {
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

// Actions returns the handlers of the keys in bars.
func (bs *Bars) Actions() map[ui.Action]func(string) {
	step := func(extend bool) func(string) {
		return func(by string) {
			n, _ := strconv.Atoi(by)
			bs.of.Brushes().Step(bs.of.Axis(), n, extend)
		}
	}
	all := map[ui.Action]func(string){
		ui.StepBars: step(false), ui.ExtendBars: step(true), ui.NarrowBars: ui.IgnoreValue(func() { narrow(bs.of) }),
		ui.LeaveBars: ui.IgnoreValue(func() {
			if b := bs.of.Brushes(); b.On {
				*b = ui.Brush{}
			} else if !bs.of.Widen() {
				bs.of.Blur()
			}
		}),
	}
	for action, f := range all {
		all[action] = func(value string) {
			if bs.of != nil {
				f(value)
				bs.redraw()
			}
		}
	}
	return all
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

// KeysIn returns the keys of a field with bars or lanes.
func KeysIn(field string) []ui.Binding {
	switch {
	case strings.HasSuffix(field, ui.BarsMark):
		return ui.BarsKeys
	case strings.HasSuffix(field, lanesMark):
		return LanesKeys
	}
	return nil
}
