package logs

import "watchglass/internal/detail/log"

// mostBars is how many bars of the histogram the page gets at most.
const mostBars = 240

// document returns what the page shows of the logs.
func (p *logPane) document() *log.Document {
	d := &log.Document{Head: p.lines.head(p.asked)}
	d.More, d.Said, d.Pods = p.streams.unopened, p.pods.reason(), p.pods.count()
	d.Usual, d.Failed = p.pods.usual()
	d.Histogram = p.lines.view.Histogram(min(p.asked.Bars, mostBars))
	d.Window = p.lines.view.Window(d.Offset, p.asked.Limit)
	var places []int
	d.Sources, places = p.streams.states()
	for i := range d.Window {
		d.Window[i].Source = places[d.Window[i].Source]
	}
	return d
}
