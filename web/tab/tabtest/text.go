package tabtest

import (
	"html"
	"regexp"
	"strings"

	"github.com/maxence-charriere/go-app/v9/pkg/app"
)

var tag = regexp.MustCompile(`<(?:"[^"]*"|[^">])*>`)

// Text returns the text of what is drawn, without its elements.
func Text(drawn app.UI) string {
	return strings.Join(strings.Fields(html.UnescapeString(tag.ReplaceAllString(app.HTMLString(drawn), " "))), " ")
}
