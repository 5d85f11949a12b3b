package changes

import (
	"encoding/json"
	"slices"

	"github.com/maxence-charriere/go-app/v9/pkg/app"

	"watchglass/internal/detail"
	"watchglass/internal/detail/diff"
	"watchglass/internal/detail/yaml"
	"watchglass/web/tab"
	"watchglass/web/ui"
	"watchglass/web/words"
)

// state is the state of the Changes tab. It is immutable.
type state struct {
	shows   detail.Changes
	told    bool
	options detail.ChangesOptions
	opened  []string // older versions that are expanded
}

// unfolded is how many of the newest versions are expanded by default.
const unfolded = 3

// The actions on the versions that were seen; value: the version.
const (
	PickVersion ui.Action = "pick-version" // chooses it to compare
	OpenVersion ui.Action = "open-version" // expands an older one, or collapses it
)

// changes shows the versions of the object that were seen, and what changed between them.
type changes struct {
	tab.Base
	shown state
}

// New returns the tab.
func New(h tab.Host) tab.Tab { return &changes{Base: tab.Base{Host: h}} }

// Open shows nothing until the versions have arrived.
func (t *changes) Open() { t.shown = state{} }

// Options returns what is compared: the versions that were chosen, and the revisions in the address.
func (t *changes) Options() any {
	o := t.shown.options
	o.Revisions = t.Host.Address().Revisions
	return o
}

// Commands returns what can be done in the tab.
func (t *changes) Commands() []ui.Command {
	return []ui.Command{
		{ID: PickVersion, Run: t.pick},
		{ID: OpenVersion, Run: t.toggle},
		{ID: ShowRevision, Run: t.toggleRevision},
		{ID: PickRevision, Run: t.chooseRevision},
	}
}

// OnDetail shows the versions and revisions.
func (t *changes) OnDetail(doc []byte) bool {
	var shows detail.Changes
	if json.Unmarshal(doc, &shows) != nil {
		return false // impossible: the worker is ours
	}
	t.shown.shows, t.shown.told = shows, true
	return true
}

// toggle expands or collapses a version.
func (t *changes) toggle(version string) {
	c := &t.shown
	opened := slices.DeleteFunc(slices.Clone(c.opened), func(v string) bool { return v == version })
	if len(opened) == len(c.opened) {
		opened = append(opened, version)
	}
	c.opened = opened
	t.Host.Redraw()
}

// pick selects a version to compare. A third selection starts over.
func (t *changes) pick(value string) {
	o := &t.shown.options
	switch {
	case o.From == value:
		o.From, o.To = o.To, ""
	case o.To == value:
		o.To = ""
	case o.From == "" || o.To != "":
		o.From, o.To = value, ""
	default:
		o.To = value
	}
	t.Host.Follow()
}

// Draw draws the revisions and the versions, the newest first.
func (t *changes) Draw() app.UI {
	c := t.shown
	var all []app.UI
	switch {
	case c.shows.Gone > 0:
		all = append(all, app.P().Class("dim").Text("Deleted at "+words.ClockTime(c.shows.Gone)+"."))
	case c.shows.Deleted:
		all = append(all, app.P().Class("dim").Text("Deleted."))
	case t.Host.Subject().State() == detail.Unread:
		all = append(all, app.P().Class("dim").Text("Can't be read since "+words.ClockTime(t.Host.Subject().Head.Since)+". Changes since then are not shown."))
	}
	if c.shows.Secret {
		all = append(all, app.P().Class("dim").Text("The proxy withholds Secret values, so changes to them are not shown."))
	}
	all = append(all, t.drawRevisions()...)
	all = append(all, t.drawCompared()...)
	for i, v := range c.shows.Versions {
		all = append(all, t.drawVersion(v, i >= unfolded))
	}
	if said := t.watched(); said != "" {
		all = append(all, app.P().ID("unchanged").Class("dim").Text(said))
	}
	return app.Div().Class("changes").Body(all...)
}

// watched explains why there are no versions: because nothing changed, or because the tab can't
// know.
func (t *changes) watched() string {
	c, state := t.shown, t.Host.Subject().State()
	switch {
	case state == detail.Polled:
		return "Polled, not watched: changes between polls are missed."
	case state == detail.Denied:
		return "You can't view this object or its changes."
	case len(c.shows.Versions) > 0 || state == detail.Unread:
		return ""
	case state == detail.Missing:
		return "Not found. Changes will appear here if it is created."
	case !c.told || state == detail.Loading:
		return "Loading…"
	case c.shows.Since == 0: // in the past
		return "No changes are stored up to this moment."
	case state == detail.Stale:
		return "No changes seen since " + words.ClockTime(c.shows.Since) + ". The watch is down. New changes appear once it is back."
	}
	return "No changes since " + words.ClockTime(c.shows.Since) + ", when watching began. New changes appear here."
}

// drawCompared draws the differences between the two selected versions.
func (t *changes) drawCompared() []app.UI {
	c := t.shown
	switch {
	case c.options.From == "":
		return nil
	case c.options.To == "":
		return []app.UI{app.P().ID("compared").Class("dim").Attr("role", "status").Text("Choose another version to compare with " + c.options.From + ".")}
	case c.shows.Compared == nil:
		return []app.UI{app.P().ID("compared").Class("dim").Attr("role", "status").Text("One of the two versions is no longer stored.")}
	}
	return []app.UI{app.Elem("section").ID("compared").Class("version").Body(
		append([]app.UI{app.H3().Text("From " + c.shows.Compared.From + " to " + c.shows.Compared.To)}, drawFields(*c.shows.Compared)...)...,
	)}
}

// drawVersion draws a version. An older one shows its changes only when expanded.
func (t *changes) drawVersion(v detail.Version, older bool) app.UI {
	o := t.shown.options
	open := !older || slices.Contains(t.shown.opened, v.Version)
	when := "Earliest version kept"
	switch {
	case v.Since > 0:
		when = "Between " + words.ClockTime(v.Since) + " and " + words.ClockTime(v.At)
	case v.At > 0:
		when = words.ClockTime(v.At)
	}
	head := app.H3().Body(
		app.Span().Text(when), app.Span().Class("dim").Text("version "+v.Version),
		ui.Way(PickVersion, "Compare").DataSet("value", v.Version).Attr("aria-pressed", o.From == v.Version || o.To == v.Version).Attr("aria-label", "Compare version "+v.Version),
	)
	body := []app.UI{head}
	if older && v.From != "" {
		body = append(body, ui.Way(OpenVersion, words.Folded(v.Comparison)).DataSet("value", v.Version).Attr("aria-expanded", open).Attr("aria-label", words.Folded(v.Comparison)+" in version "+v.Version))
	}
	if open && v.From != "" {
		body = append(body, drawFields(v.Comparison)...)
	}
	return app.Elem("section").Class("version").DataSet("version", v.Version).Body(body...)
}

func drawFields(c detail.Comparison) []app.UI {
	var all []app.UI
	for _, f := range c.Fields {
		all = append(all, app.Div().Class("field").DataSet("kind", f.Kind).DataSet("path", f.Path).Body(
			app.Span().Class("glyph").Title(string(f.Kind)).Text(words.ChangeGlyphs[f.Kind]),
			app.Elem("code").Class("path").Text(yaml.Visible(f.Path)),
			app.Elem("del").Class("was").Hidden(f.Kind == diff.Added).Text(yaml.Visible(f.Before)),
			app.Elem("ins").Class("is").Hidden(f.Kind == diff.Removed).Text(yaml.Visible(f.After)),
		))
	}
	rest := ""
	switch {
	case c.Lost:
		rest = "Only the columns and metadata of one version were stored. Other fields may have changed too."
	case c.Short:
		rest = "The versions are too large to compare in full. Other fields may have changed too."
	case c.More > 0 && len(c.Fields) == 0:
		rest = words.Count(c.More) + " fields, too many to list. Compare with the previous version to see them."
	case c.More > 0:
		rest = "And " + words.CountOf(c.More, "more field") + "."
	case len(c.Fields) == 0:
		rest = "Only metadata changed, such as resourceVersion."
	}
	return append(all, app.P().Class("dim").Hidden(rest == "").Text(rest))
}
