package web

import "github.com/maxence-charriere/go-app/v9/pkg/app"

func relatedTab() drawerTab {
	return drawerTab{
		id: "related", title: "Related", key: "4",
		draw: func(g sight) app.UI { return app.Div() },
		take: func(p *Page, doc []byte) bool { return false },
	}
}
