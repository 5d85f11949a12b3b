package web

import (
	"strconv"

	"github.com/maxence-charriere/go-app/v9/pkg/app"

	"watchglass/internal/detail"
	"watchglass/internal/detail/revision"
	"watchglass/internal/detail/yaml"
	"watchglass/web/route"
)

// rollout draws the rollout in progress: from which revision to which, how far it has come, and for what
// it waits.
func (d factDrawer) rollout(r *detail.Rollout) []app.UI {
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
	title, done := rolloutTitle(r.Rollout), r.Updated
	if r.Counted {
		done = r.Ready
	}
	body := []app.UI{
		app.Elem("h3").Text(title),
		app.Elem("progress").Attr("max", max(r.Desired, 1)).Attr("value", min(done, max(r.Desired, 1))).Attr("aria-label", title),
		app.P().Class("sides").Text(rolloutSides(r.Rollout)),
	}
	if len(waits) > 0 {
		body = append(body, app.P().Text("Waiting for:"), app.Elem("ul").Body(waits...))
	}
	for _, denied := range r.Denied {
		body = append(body, app.P().Class("dim").Text(d.g.sidebar.denialWords(denied)))
	}
	body = append(body, app.Div().Class("ways").Body(app.Button().Class("way").DataSet("action", OpenTab).DataSet("value", route.ChangesID).Text("Revisions")))
	return []app.UI{app.Elem("section").Class("ongoing").DataSet("tone", tone).Attr("aria-label", title).Body(body...)}
}

func (d factDrawer) wait(w revision.Wait) app.UI {
	if w.Pod == "" {
		return app.Elem("li").Text(yaml.Visible(w.Text))
	}
	pod := detail.Ref{Resource: route.Home, Namespace: d.g.drawer.asked.Namespace, Name: w.Pod}
	also := ""
	if w.Also > 0 {
		also = " and " + Count(w.Also) + " more"
	}
	return app.Elem("li").Body(d.g.drawer.refLink(pod, w.Pod), app.Span().Text(also+": "+yaml.Visible(w.Text)))
}

// rolloutTitle returns "Rollout: revision 13 → 14", as far as the numbers are known.
func rolloutTitle(r revision.Rollout) string {
	what := "Rollout"
	if r.Back {
		what = "Rollback"
	}
	from, to := strconv.FormatInt(r.From, 10), strconv.FormatInt(r.To, 10)
	switch {
	case r.To == 0 && r.From == 0:
		return what + " in progress"
	case r.To == 0:
		return what + ": revision " + from + " → new"
	case r.From == 0:
		return what + ": revision " + to
	}
	return what + ": revision " + from + " → " + to
}

// rolloutSides says how many new pods are ready, and how many old ones are left.
func rolloutSides(r revision.Rollout) string {
	text := "New: " + Count(r.Ready) + " of " + Count(r.Desired) + " ready"
	if !r.Counted {
		text = "New: " + Count(r.Updated) + " of " + Count(r.Desired) + " updated"
	}
	if r.From != 0 || r.Old > 0 {
		text += " · Old: " + Count(r.Old) + " left"
	}
	return text
}
