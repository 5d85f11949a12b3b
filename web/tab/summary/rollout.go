package summary

import (
	"github.com/maxence-charriere/go-app/v9/pkg/app"

	"watchglass/internal/detail"
	"watchglass/internal/detail/revision"
	"watchglass/internal/detail/yaml"
	"watchglass/web/route"
	"watchglass/web/ui"
	"watchglass/web/words"
)

// rollout draws the rollout in progress: from which revision to which, how far it has come, and for what
// it waits.
func (d drawing) rollout(r *detail.Rollout) []app.UI {
	if r == nil {
		return nil
	}
	tone := "pending"
	var waits []app.UI
	for _, w := range r.Waits {
		if w.Tone == detail.Failed {
			tone = w.Tone
		}
		waits = append(waits, d.wait(w))
	}
	title, done := words.RolloutTitle(r.Rollout), r.Updated
	if r.Counted {
		done = r.Ready
	}
	body := []app.UI{
		app.Elem("h3").Text(title),
		app.Elem("progress").Attr("max", max(r.Desired, 1)).Attr("value", min(done, max(r.Desired, 1))).Attr("aria-label", title),
		app.P().Class("sides").Text(words.RolloutSides(r.Rollout)),
	}
	if len(waits) > 0 {
		body = append(body, app.P().Text("Waiting for:"), app.Elem("ul").Body(waits...))
	}
	for _, denied := range r.Denied {
		body = append(body, app.P().Class("dim").Text(words.CantList(d.t.Host.Kinds().ListName(denied.Resource), denied.Status)))
	}
	body = append(body, app.Div().Class("ways").Body(ui.Way(ui.OpenTab, "Revisions").DataSet("value", route.ChangesID)))
	return []app.UI{app.Elem("section").Class("ongoing").DataSet("tone", tone).Attr("aria-label", title).Body(body...)}
}

func (d drawing) wait(w revision.Wait) app.UI {
	if w.Pod == "" {
		return app.Elem("li").Text(yaml.Visible(w.Text))
	}
	pod := detail.Ref{Resource: route.Home, Namespace: d.t.Host.Subject().Namespace, Name: w.Pod}
	also := ""
	if w.Also > 0 {
		also = " and " + words.Count(w.Also) + " more"
	}
	return app.Elem("li").Body(d.t.Host.Kinds().Link(pod, w.Pod), app.Span().Text(also+": "+yaml.Visible(w.Text)))
}
