package drawer

import (
	"github.com/maxence-charriere/go-app/v9/pkg/app"

	"watchglass/web/tab"
)

// timelineTab shows what happened to the object and to what it owns, as a chart and as a list.
type timelineTab struct {
	tab.Base
	chart Chart
}

// Open shows nothing until FollowTimeline asks for the timeline: the hub has to know the object first.
func (tt *timelineTab) Open() { tt.chart.Close() }

func (tt *timelineTab) Close() { tt.chart.Close() }

// OnDetail ignores documents of the tab: the chart has an ID of its own.
func (tt *timelineTab) OnDetail([]byte) bool { return false }

// tabBars is the width of a tab's bars, in pixels. objectLanes is what its lanes group by, unless the address says so.
const (
	tabBars     = 560
	objectLanes = "kind"
)

func (tt *timelineTab) Draw() app.UI {
	return app.Div().Class("happened").Body(tt.chart.Draw(true), tt.chart.DrawEntries())
}
