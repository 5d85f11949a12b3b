//go:build js && wasm

package web

import (
	"github.com/maxence-charriere/go-app/v9/pkg/app"

	"watchglass/internal/port"
	"watchglass/web/dom"
)

var (
	_ Browser  = (*dom.Browser)(nil)
	_ dom.Host = (*Page)(nil)
)

// Run shows the page. It never returns.
func Run(p port.Port) {
	b := dom.New()
	base, path, query := b.Location()
	thePage = NewPage(p, b, base, path, query, b.Redraw)
	thePage.mounted = func(s dom.Shell) {
		b.Mount(s)
		go thePage.Run()
	}
	b.Serve(thePage)
	thePage.Begin()
	app.Route(app.Window().URL().Path, &shell{}) // the only route, at the current path: the page manages the history itself
	app.RunWhenOnBrowser()
}
