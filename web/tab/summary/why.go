package summary

import (
	"strings"

	"github.com/maxence-charriere/go-app/v9/pkg/app"

	"watchglass/internal/detail"
	"watchglass/web/route"
	"watchglass/web/ui"
	"watchglass/web/words"
)

// OpenLogs opens the logs that explain what is wrong. Its value is in lines: the pod, or none if
// the object is one; the container; "previous" for those of its run before.
const OpenLogs ui.Action = "why-logs"

// openLogs opens the logs that explain what is wrong.
func (t *summary) openLogs(value string) {
	parts := strings.SplitN(value, "\n", 3)
	if len(parts) != 3 {
		return
	}
	logsOf := func(a *route.Address) {
		a.LeaveObject()
		a.Tab, a.Container, a.Previous = route.LogsID, parts[1], parts[2] == "previous"
	}
	if parts[0] == "" {
		t.Host.Navigate(true, logsOf)
		t.Host.Browser().Focus("tab-" + route.LogsID)
		return
	}
	to := t.Host.Address().ToObject("pods", t.Host.Subject().Namespace+"/"+parts[0])
	logsOf(&to)
	t.Host.GoTo(to)
}

// why draws what is wrong with the object: a card for each cause, the newest warning about it, and
// where to read on.
func (d drawing) why(s detail.Summary) []app.UI {
	var parts []app.UI
	for i, y := range s.Why {
		parts = append(parts, d.cause(y, s.Warning, i == 0))
	}
	return parts
}

func (d drawing) cause(y detail.Why, last *detail.LastWarning, first bool) app.UI {
	body := []app.UI{app.Elem("h3").Body(app.Span().Class("state").DataSet("tone", y.Tone).Text(y.Reason), d.since(y.Since))}
	if y.Text != "" {
		body = append(body, app.P().Text(words.Sentence(y.Text)))
	}
	if first && last != nil && !strings.Contains(y.Text, last.Text) {
		body = append(body, app.P().Class("dim").Body(app.Span().Text("Last warning: "+last.Reason+": "+last.Text+" "), d.since(last.At)))
	}
	if y.Pod != "" {
		pod := detail.Ref{Resource: route.Home, Namespace: d.t.Host.Subject().Namespace, Name: y.Pod}
		body = append(body, app.P().Body(app.Span().Class("dim").Text("Pod "), d.t.Host.Kinds().Link(pod, y.Pod)))
	}
	ways := []app.UI{app.If(y.Logs, ui.Way(OpenLogs, whyLogsText(y)).DataSet("value", whyLogs(y)))}
	if first {
		ways = append(ways,
			ui.Way(ui.OpenTab, "Events").DataSet("value", "events"),
			ui.Way(ui.Commands, "Commands"))
	}
	return app.Elem("section").Class("why").DataSet("tone", y.Tone).Attr("aria-label", "What is wrong: "+y.Reason).Title(y.Evidence).Body(append(body, app.Div().Class("ways").Body(ways...))...)
}

// since draws how long ago a moment was; nothing if it is not known.
func (d drawing) since(at int64) app.UI {
	if at == 0 {
		return app.Span()
	}
	return app.Span().Class("dim").Text(detail.Span{At: at}.Print(d.now))
}

// whyLogs returns the value of OpenLogs.
func whyLogs(y detail.Why) string {
	previous := ""
	if y.Previous {
		previous = "previous"
	}
	return y.Pod + "\n" + y.Container + "\n" + previous
}

func whyLogsText(y detail.Why) string {
	text := "Logs"
	if y.Previous {
		text = "Previous logs"
	}
	if y.Container != "" {
		text += " of " + y.Container
	}
	return text
}
