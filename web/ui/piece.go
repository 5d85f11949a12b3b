package ui

import "github.com/maxence-charriere/go-app/v9/pkg/app"

// Span draws a text. Chains of go-app's calls take much room in the program.
func Span(class, text string) app.UI { return app.Span().Class(class).Text(text) }

// Cell draws a cell of a table.
func Cell(body ...app.UI) app.HTMLElem { return app.Elem("td").Body(body...) }

// Banner draws an empty banner above a list.
func Banner(tone string) app.HTMLElem {
	return app.Elem("section").Class("banner").Attr("aria-label", "Status").DataSet("tone", tone)
}
