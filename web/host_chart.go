package web

import (
	"watchglass/web/chart"
	"watchglass/web/list"
	"watchglass/web/tab/logs"
	"watchglass/web/ui"
)

var _ chart.ListHost = (*page)(nil)

// TravelTo goes back to a time, in milliseconds since 1970.
func (p *page) TravelTo(milli int64) { p.past.ToMillisecond(milli) }

// HasHistory reports whether any history is remembered.
func (p *page) HasHistory() bool {
	from, _ := p.past.Span()
	return !from.IsZero()
}

// PopoverOpen reports whether a popover is open.
func (p *page) PopoverOpen(name string) bool { return p.top.open == name }

// Framed reports whether the page is in a frame.
func (p *page) Framed() bool { return p.frame.on() }

// Pick includes a value of a facet in the filter, or excludes it again.
func (p *page) Pick(facet, value string) { p.facets.Pick(facet, value) }

// followTimelines asks for the timelines that the page shows.
func (p *page) followTimelines() {
	p.drawer.FollowTimeline()
	id := uint32(0)
	if p.list.Asked().Seq > 0 {
		id = list.ID
	}
	p.timeline.Follow(id, p.list.Room().Width)
}

// barChartOf returns what shows the bars of a field; nil if nothing does.
func (p *page) barChartOf(field string) ui.BarChart {
	if field == logs.BarsField {
		of, _ := p.drawer.Tab().(ui.BarChart)
		return of
	}
	if of := p.timeline.BarChart(field); of != nil {
		return of
	}
	return p.chart.BarChart(field)
}

// Brushed reports what the pointer does in the bars of a field, and where: 0, 0 is their top left, and
// 1, 1 their bottom right.
func (p *Page) Brushed(field string, phase ui.BrushPhase, x, y float64) {
	p.locked(func(g *page) { g.bars.OnBrush(field, phase, x, y) })
}
