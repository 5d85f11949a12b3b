package web

import "github.com/maxence-charriere/go-app/v9/pkg/app"

func changesTab() drawerTab {
	return drawerTab{
		id: "changes", title: "Changes", key: "6",
		draw: func(g sight) app.UI { return app.Div() },
		take: func(p *Page, doc []byte) bool { return false },
	}
}
