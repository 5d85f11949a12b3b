package ui

import "github.com/maxence-charriere/go-app/v9/pkg/app"

// Way draws a button with a text.
func Way(action Action, text string) app.HTMLButton {
	return app.Button().Class("way").DataSet("action", action).Text(text)
}

// Shape draws one of the buttons between which the user chooses, or one with a glyph. Screen readers say what it does.
func Shape(action Action, value, text, does string) app.HTMLButton {
	return app.Button().Class("shape").DataSet("action", action).DataSet("value", value).Title(does).Attr("aria-label", does).Text(text)
}

// MenuItem draws an entry of a menu, with its key.
func MenuItem(action Action, value, text, key, title string) app.HTMLButton {
	return app.Button().Class("menu-item").DataSet("action", action).DataSet("value", value).Title(title).Body(app.Span().Text(text), app.Elem("kbd").Text(key))
}
