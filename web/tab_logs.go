package web

import "github.com/maxence-charriere/go-app/v9/pkg/app"

func logsTab() drawerTab {
	return drawerTab{
		id: "logs", title: "Logs", key: "5",
		draw: func(g sight) app.UI { return app.Div() },
		take: func(p *Page, doc []byte) bool { return false },
	}
}
