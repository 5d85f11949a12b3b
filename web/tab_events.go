package web

import "github.com/maxence-charriere/go-app/v9/pkg/app"

func eventsTab() drawerTab {
	return drawerTab{
		id: "events", title: "Events", key: "3",
		draw: func(g sight) app.UI { return app.Div() },
		take: func(p *Page, doc []byte) bool { return false },
	}
}
