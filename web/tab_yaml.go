package web

import "github.com/maxence-charriere/go-app/v9/pkg/app"

func yamlTab() drawerTab {
	return drawerTab{
		id: "yaml", title: "YAML", key: "2",
		draw: func(g sight) app.UI { return app.Div() },
		take: func(p *Page, doc []byte) bool { return false },
	}
}
