package changes

import (
	"strconv"
	"strings"
	"time"

	"github.com/maxence-charriere/go-app/v9/pkg/app"

	"watchglass/internal/detail"
	"watchglass/internal/detail/revision"
	"watchglass/internal/detail/yaml"
	"watchglass/web/route"
	"watchglass/web/ui"
	"watchglass/web/words"
)

const (
	// ShowRevision shows or hides what a revision changed; value: its number.
	ShowRevision ui.Action = "show-revision"
	// PickRevision chooses a revision to compare; value: its number.
	PickRevision ui.Action = "pick-revision"
)

// compareRevisions sets what the address says of the revisions to compare.
func (t *changes) compareRevisions(text string) {
	t.Host.Navigate(false, func(a *route.Address) { a.Revisions = text })
}

// toggleRevision shows what a revision changed, or hides it.
func (t *changes) toggleRevision(number string) {
	if t.Host.Address().Revisions == number {
		number = ""
	}
	t.compareRevisions(number)
}

// chooseRevision chooses a revision to compare. A third choice starts over.
func (t *changes) chooseRevision(number string) {
	one, other, two := strings.Cut(t.Host.Address().Revisions, ",")
	switch {
	case two && one == number && other == "":
		t.compareRevisions("")
	case two && one == number:
		t.compareRevisions(other + ",")
	case two && other == number:
		t.compareRevisions(one + ",")
	case two && other == "":
		t.compareRevisions(one + "," + number)
	default:
		t.compareRevisions(number + ",")
	}
}

// drawRevisions draws the revisions of a workload, and the title of what follows.
func (t *changes) drawRevisions() []app.UI {
	r := t.shown.shows.Revisions
	if r == nil {
		return nil
	}
	all := []app.UI{app.H3().ID("revisions").Text("Revisions")}
	if len(r.Revisions) > 0 {
		all = append(all, t.drawRevisionTable(r))
	}
	for _, text := range t.revisionNotes(r) {
		all = append(all, app.P().Class("dim").Text(text))
	}
	return append(all, app.H3().Text("Changes seen"))
}

// revisionNotes says what the table lacks.
func (t *changes) revisionNotes(r *detail.Revisions) (notes []string) {
	for _, d := range r.Denied {
		notes = append(notes, words.CantList(t.Host.Kinds().ListName(d.Resource), d.Status))
	}
	switch {
	case r.Loading:
		notes = append(notes, "Loading…")
	case len(r.Revisions) == 0 && len(r.Denied) == 0:
		notes = append(notes, "No revisions stored.")
	}
	if r.More > 0 {
		notes = append(notes, words.CountOf(r.More, "older revision")+" not shown.")
	}
	if r.Oldest > 0 {
		notes = append(notes, "Revisions before "+strconv.FormatInt(r.Oldest, 10)+" are no longer stored.")
	}
	return notes
}

func (t *changes) drawRevisionTable(r *detail.Revisions) app.UI {
	one, other, two := strings.Cut(t.Host.Address().Revisions, ",")
	last := one
	if other != "" {
		last = other
	}
	between := func() app.UI {
		last = ""
		return app.Elem("tr").Body(ui.Cell(drawBetween(r, one, other, two)...).Attr("colspan", "5").Class("between").ID("between"))
	}
	var rows []app.UI
	for _, v := range r.Revisions {
		n := strconv.FormatInt(v.Number, 10)
		rows = append(rows, t.drawRevision(r, v, n, n == one && !two, two && (n == one || n == other)))
		if n == last {
			rows = append(rows, between())
		}
	}
	if last != "" { // it is not stored
		rows = append(rows, between())
	}
	var head []app.UI
	for _, title := range []string{"Revision", "Since", "Images", "Pods"} {
		head = append(head, app.Elem("th").Attr("scope", "col").Text(title))
	}
	head = append(head, ui.Cell())
	return app.Elem("table").Class("revisions").Attr("aria-labelledby", "revisions").Body(app.Elem("thead").Body(app.Elem("tr").Body(head...)), app.Elem("tbody").Body(rows...))
}

// revisionStates are the words for the states, with their tones.
var revisionStates = map[revision.State][2]string{revision.Live: {"Live", "ok"}, revision.Next: {"Rolling out", "pending"}}

func (t *changes) drawRevision(r *detail.Revisions, v *revision.Revision, n string, open, picked bool) app.UI {
	state := revisionStates[v.State]
	var what []app.UI
	images := words.RevisionImages(v)
	for _, text := range images {
		what = append(what, ui.Span("line", text))
	}
	if v.Cause != "" {
		what = append(what, ui.Span("line dim cause", v.Cause))
	}
	if len(v.Was) > 0 {
		what = append(what, ui.Span("line dim", "Was "+words.JoinNumbers(v.Was)))
	}
	full := ""
	for _, i := range v.Images {
		full += i.Image + "\n"
	}
	return app.Elem("tr").DataSet("revision", n).DataSet("state", v.State).Body(
		// Where there is no room for a column, since when it is used is below its number.
		ui.Cell(revisionButton(ShowRevision, n, n, "Changes in revision "+n).Attr("aria-expanded", open), app.Span().Class("status").DataSet("tone", state[1]).Hidden(state[0] == "").Text(state[0]), drawSince(v, t.Host.Moment().Now).Class("created")),
		ui.Cell(drawSince(v, t.Host.Moment().Now)),
		ui.Cell(what...).Title(full),
		ui.Cell(t.drawRevisionPods(r, v)),
		ui.Cell(revisionButton(PickRevision, n, "Compare", "Compare revision "+n).Attr("aria-pressed", picked)),
	)
}

// revisionButton draws a button about a revision.
func revisionButton(action ui.Action, number, text, label string) app.HTMLButton {
	return ui.Way(action, text).DataSet("value", number).Attr("aria-label", label)
}

// drawSince draws since when a revision has its number.
func drawSince(v *revision.Revision, now time.Time) app.HTMLElem {
	t := time.Unix(v.Created, 0)
	return app.Elem("time").Hidden(v.Created == 0).Class("dim").Title("created " + t.UTC().Format("2006-01-02 15:04:05 UTC")).Text(words.RevisionSince(v, now))
}

// drawRevisionPods draws how many pods of a revision are ready, as a link to them.
func (t *changes) drawRevisionPods(r *detail.Revisions, v *revision.Revision) app.UI {
	if !r.Counted {
		return ui.Span("dim", "?")
	}
	text := words.Count(v.Ready) + "/" + words.Count(v.Total)
	if v.Total == 0 {
		return ui.Span("dim", "0")
	}
	labels := v.Label
	if r.Pods != "" {
		labels = r.Pods + "," + labels
	}
	return t.Host.Kinds().ListLink(detail.Listing{Resource: route.Home, Namespace: t.Host.Subject().Namespace, Labels: labels}, text)
}

// drawBetween draws the difference between the chosen revisions, or says why there is none.
func drawBetween(r *detail.Revisions, one, other string, two bool) []app.UI {
	stored := func(n string) (is bool) {
		for _, v := range r.Revisions {
			is = is || strconv.FormatInt(v.Number, 10) == n
		}
		return is
	}
	c, text := r.Compared, ""
	switch {
	case !stored(one):
		text = "Revision " + one + " is no longer stored."
	case other != "" && !stored(other):
		text = "Revision " + other + " is no longer stored."
	case two && other == "":
		text = "Choose another revision to compare with " + one + "."
	case !two && len(r.Revisions) > 0 && strconv.FormatInt(r.Revisions[len(r.Revisions)-1].Number, 10) == one:
		text = "No earlier revision is stored."
	case c == nil || two && c.To != one && c.To != other || !two && c.To != one:
		text = "Loading…"
	case len(c.Fields)+c.More == 0 && !c.Short:
		text = "No differences."
	}
	if text != "" {
		return []app.UI{app.P().Class("dim").Attr("role", "status").Text(yaml.Visible(text))}
	}
	return append([]app.UI{app.P().Class("dim").Text("From revision " + c.From + " to " + c.To)}, drawFields(*c)...)
}
