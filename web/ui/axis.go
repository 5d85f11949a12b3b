package ui

import "time"

// Axis is time in bars of one width, in nanoseconds.
type Axis struct {
	From, Width int64
	Bars        int
	Zone        *time.Location
}

// To returns when a bar ends.
func (a Axis) To(bar int) int64 { return a.From + int64(bar+1)*a.Width }

// barOf returns the bar of a time, or the nearest one.
func (a Axis) barOf(at int64) int { return min(max(int((at-a.From)/a.Width), 0), a.Bars-1) }

// Clock returns a time as precisely as the bars need it, with its date if they are of two days.
func (a Axis) Clock(at int64) string {
	return SpanClock(at, a.From, a.To(a.Bars-1), a.Width, a.Zone)
}

// Span returns the time from one bar to another.
func (a Axis) Span(from, to int) string { return a.Clock(a.To(from-1)) + " to " + a.Clock(a.To(to)) }

// SpanClock returns one of the times between two, as precisely as a width.
func SpanClock(at, from, to, width int64, zone *time.Location) string {
	in := func(at int64) time.Time { return time.Unix(0, at).In(zone) }
	layout := "15:04:05"
	switch {
	case width%int64(time.Second) != 0 && width < 10*int64(time.Second):
		layout = "15:04:05.000"
	case in(from).YearDay() != in(to).YearDay():
		layout = "Jan 2 15:04"
	}
	return in(at).Format(layout)
}
