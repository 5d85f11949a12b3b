package web

import (
	"strconv"
	"strings"

	"watchglass/web/tab/logs"
	"watchglass/web/ui"
)

// bars is the part that hands what is done to bars to those who show them.
type bars struct {
	*page
	of ui.Brushed // those that have the focus
}

// The names of fields with lanes below bars, and of those with the names of lanes, end in these.
const (
	lanesMark = "-lanes"
	namesMark = "-names"
)

// ofField returns what shows the bars of a field; nil if none do.
func (bs *bars) ofField(field string) (of ui.Brushed) {
	switch field {
	case logs.BarsField:
		of, _ = bs.drawer.tab().(ui.Brushed)
	case listChart + ui.BarsMark, listChart + lanesMark, listChart + namesMark:
		of = &bs.timeline.chart
	case objectChart + ui.BarsMark, objectChart + lanesMark, objectChart + namesMark:
		of = &bs.times.chart
	}
	if of == nil || of.Axis().Bars == 0 {
		return nil
	}
	return of
}

func (bs *bars) Actions() map[ui.Action]func(string) {
	step := func(extend bool) func(string) {
		return func(by string) {
			n, _ := strconv.Atoi(by)
			bs.of.Brushes().Step(bs.of.Axis(), n, extend)
		}
	}
	all := map[ui.Action]func(string){
		ui.StepBars: step(false), ui.ExtendBars: step(true), ui.NarrowBars: ui.IgnoreValue(func() { bs.narrow(bs.of) }),
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

// narrow narrows what shows bars to the time of those selected, as one step that Back undoes.
func (bs *bars) narrow(of ui.Brushed) {
	a := of.Axis()
	if from, to, ok := of.Brushes().Chosen(a); ok {
		*of.Brushes() = ui.Brush{}
		of.Between(max(a.To(from-1), 1), a.To(to))
	}
}

// Brushed reports what the pointer does in the bars of a field, and where: 0, 0 is their top left, and
// 1, 1 their bottom right.
func (p *Page) Brushed(field string, phase ui.BrushPhase, x, y float64) {
	p.locked(func(g *page) { g.bars.onBrush(field, phase, x, y) })
}

func (bs *bars) onBrush(field string, phase ui.BrushPhase, x, y float64) {
	of := bs.ofField(field)
	if of == nil {
		return
	}
	b := of.Brushes()
	before := *b
	b.Point(of.Axis(), phase, x)
	shows := of.Touched(field, phase, x, y)
	if phase == ui.BrushEnds {
		bs.narrow(of)
	}
	if shows || before != *b || phase == ui.BrushEnds {
		bs.redraw()
	}
}

// keysIn returns the keys of a field with bars or lanes.
func keysIn(field string) []ui.Binding {
	switch {
	case strings.HasSuffix(field, ui.BarsMark):
		return ui.BarsKeys
	case strings.HasSuffix(field, lanesMark):
		return lanesKeys
	}
	return nil
}
