package web

import "github.com/maxence-charriere/go-app/v9/pkg/app"

func summaryTab() drawerTab {
	return drawerTab{
		id: "summary", title: "Summary", key: "1",
		draw: func(g sight) app.UI { return app.Div() },
		take: func(p *Page, doc []byte) bool { return false },
	}
}
