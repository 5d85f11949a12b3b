package tab

import (
	"strings"

	"github.com/maxence-charriere/go-app/v9/pkg/app"

	"watchglass/internal/detail/related"
	"watchglass/web/words"
)

// DrawMissed names the kinds that were not searched, and those that could not be, with the reason: at most most of each.
func DrawMissed(s related.SearchProgress, most int) (all []app.UI) {
	if n := len(s.Unasked); n > 0 {
		named := strings.Join(s.Unasked[:min(n, most)], ", ")
		if n > most {
			named += " and " + words.Count(n-most) + " more"
		}
		all = append(all, app.P().Body(app.Elem("strong").Text("Not searched for owned objects: "), app.Span().Text(named)))
	}
	for _, f := range s.Failed[:min(len(s.Failed), most)] {
		all = append(all, app.P().Body(app.Elem("strong").Text(f.Resource+": "), app.Span().Text(f.Error)))
	}
	if more := len(s.Failed) - most; more > 0 {
		all = append(all, app.P().Text("and "+words.Count(more)+" more"))
	}
	return all
}
