package web

import (
	"slices"
	"strconv"
	"strings"

	"github.com/maxence-charriere/go-app/v9/pkg/app"

	"watchglass/internal/detail"
	"watchglass/internal/port"
	"watchglass/internal/wire"
	"watchglass/web/route"
	"watchglass/web/ui"
	"watchglass/web/words"
)

// overview is the part with the totals above the list of problems, the rollouts beside it, and what
// the list says when it is empty.
type overview struct {
	page     *page
	asked    bool           // it is open at the hub
	kinds    string         // for which it is: the favourites, which it reads besides those of the rules
	titled   string         // what the document's title says is shown
	shown    *port.Overview // nil until it has arrived; immutable
	rollouts bool           // they are unfolded, on a narrow screen
	user     string         // of the session that the page began with
}

// overviewPort is the hub's ID of the overview. IDs of lists and objects are others.
const overviewPort = 3

// The actions of the overview.
const (
	SetStart       ui.Action = "start" // value: last, or none for the overview
	ToggleRollouts ui.Action = "rollouts"
)

func (o *overview) Commands() []ui.Command {
	return []ui.Command{
		{ID: SetStart, Title: "Start page: Overview", Run: o.setStart, Offer: func(*ui.Offer) bool { return o.startsLast() }, KeepsPopover: true},
		{ID: SetStart, Value: lastStart, Title: "Start page: Last view", Offer: func(*ui.Offer) bool { return !o.startsLast() }},
		{ID: ToggleRollouts, Do: func() {
			o.rollouts = !o.rollouts
			o.page.redraw()
		}},
	}
}

// follow opens the overview with the list of problems, and closes it with that.
func (o *overview) follow() {
	if name := o.page.address.Name(); o.asked && o.page.address.Problems() && name != o.titled {
		o.page.ShowState() // the list stays the same
	}
	o.titled = o.page.address.Name()
	starred := o.page.sidebar.StarredKinds()
	kinds := strings.Join(starred, ",")
	switch want := o.page.address.Problems(); {
	case want == o.asked && (!want || kinds == o.kinds):
		return
	case want:
		again := o.asked
		o.kinds = kinds
		o.page.port.Send(port.OpenOverview{ID: overviewPort, Kinds: starred})
		if again {
			return
		}
	default:
		o.page.port.Send(port.Close{ID: overviewPort})
	}
	o.asked, o.shown = !o.asked, nil
}

// onReset opens the overview at the new hub. What the previous one knew is not shown as true.
func (o *overview) onReset() {
	o.asked = false
	o.follow()
}

func (o *overview) onDetail(m port.Detail) {
	next, err := port.ReadOverview(m.Doc)
	if err != nil || !o.asked {
		return
	}
	o.shown = &next
	o.page.access.noteGaps(next.Gaps)
	o.page.RedrawSoon()
}

// The start pages. The empty one is the overview.
const lastStart = "last"

// startName and lastName are the names under which the browser remembers the start page, and the
// last view of a user in a context. Another user may sign in to this browser: a view has names of objects.
func (o *overview) startName() string { return "start" + o.page.base }
func (o *overview) lastName() string {
	return "last" + o.page.base + " " + o.page.address.Context + "\n" + o.user
}

// startsLast reports whether the page starts with the last view.
func (o *overview) startsLast() bool { return o.page.browser.Recall(o.startName()) == lastStart }

func (o *overview) setStart(start string) {
	o.page.browser.Remember(o.startName(), start)
	o.keep()
	o.page.redraw()
}

// keep remembers the view, if the page is to start with it.
func (o *overview) keep() {
	if !o.page.frame.on() && o.startsLast() {
		o.page.browser.Remember(o.lastName(), o.page.address.String(""))
	}
}

// begin goes to the last view of the context, if the address names nothing else and the page is to
// start with that.
func (o *overview) begin() {
	o.user = o.page.browser.User()
	bare := route.Address{Resource: port.Problems, Overview: true, Context: o.page.address.Context}
	if o.page.frame.on() || !o.startsLast() {
		return
	}
	if last := o.page.browser.Recall(o.lastName()); last != "" && o.page.address.String("") == bare.String("") {
		path, query, _ := strings.Cut(last, "?")
		to := route.Parse("", path, query)
		to.Context, to.Embed, to.Hosted = bare.Context, "", false
		o.page.address = to
		o.page.browser.Replace(to.String(o.page.base))
	}
	o.keep()
}

// drawStart draws the choice of the start page in a menu.
func (o *overview) drawStart() app.UI {
	last := o.startsLast()
	way := func(value, text string, is bool) app.UI {
		return app.Button().Class("shape").DataSet("action", SetStart).DataSet("value", value).Attr("aria-pressed", is).Text(text)
	}
	return app.Div().Class("density").Attr("role", "group").Attr("aria-label", "Start page").Body(
		app.Span().Class("dim").Text("Start page"), way("", "Overview", !last), way(lastStart, "Last view", last),
	)
}

// noTotals stand for the totals until they are known.
var noTotals = []port.Total{{Name: "nodes", Resource: "nodes"}, {Name: "pods", Resource: route.Home}, {Name: "workloads", Resource: "deployments.apps"}, {Name: "warnings", Resource: "events"}}

// totals returns the totals to show. If nobody has been heard from for long, all of them are as old as
// the list, even if some of their own lists were heard from later.
func (o *overview) totals() []port.Total {
	if o.shown == nil {
		return noTotals
	}
	all, silent := slices.Clone(o.shown.Totals), o.silent()
	for i := range all {
		if t := &all[i]; silent != "" && (t.Gap.State == port.Live || t.Gap.State == port.Partial || t.Gap.State == port.Unread) {
			t.Gap.State, t.At = silent, o.page.state.Source.Since
		}
	}
	return all
}

// silent returns the state of the list if that is stale because nobody is heard from; otherwise "".
func (o *overview) silent() string {
	s := o.page.state.Source
	if s.State == port.Offline || s.State == port.Stale && s.Cause != nil && s.Cause.Reason == wire.ReasonUnreachable {
		return s.State
	}
	return ""
}

// drawTotals draws the totals. In a frame they open the whole page, since they are too small to
// show a list.
func (o *overview) drawTotals() app.UI {
	var all []app.UI
	if o.page.address.Overview {
		for _, t := range o.totals() {
			l := detail.Listing{Resource: t.Resource, Filter: t.Filter}
			w := words.TotalOf(t)
			if o.page.past.On() && t.Gap.State == port.Denied {
				w.Of = words.Sentence(words.NotInHistory)
			}
			if len(o.page.address.Namespaces) > 0 && t.Name != "nodes" && w.Figure != "" && t.Gap.Only == "" {
				w.Of += " in all namespaces"
			}
			title := w.Said()
			if t.Name == "pods" && t.Gap.State == port.Live && o.shown.Unlisted.Pods > 0 {
				w.Of += ", " + words.Count(o.shown.Unlisted.Pods) + " in no row"
				title = w.Said() + "\n" + words.Unlisted(o.shown.Unlisted, o.page.past.Now())
			}
			link := app.A().Class("total").DataSet("tone", w.Tone).Attr("aria-label", w.Said()).Title(title)
			if to := o.page.address.ToListing(l).String(o.page.base); o.page.frame.on() {
				link = link.Href(o.page.origin + to).Target("_blank").Rel("noopener")
			} else {
				link = link.Href(to).DataSet("action", ui.GoListing).DataSet("value", strings.Join([]string{l.Resource, "", "", l.Filter}, "\n"))
			}
			all = append(all, link.Body(
				ui.Span("name", w.Name), app.Text(" "), ui.Span("figure", w.Figure), app.Text(" "), ui.Span("of", w.Of), // as the label has it
				ui.Sparkline(t.History, 1, ""),
			))
		}
	}
	tag := "section"
	if o.page.frame.on() && len(all) > 0 { // the list does not show
		tag = "main"
		all = append(all, app.H1().Class("unseen").Text(o.page.address.Name()+" of "+o.page.session.context()))
	}
	return app.Elem(tag).Class("totals").Attr("aria-label", "Totals").Hidden(!o.page.address.Overview).Body(all...)
}

// drawRollouts draws the last rollouts. On a narrow screen they unfold below the list.
func (o *overview) drawRollouts() app.UI {
	var all []app.UI
	if o.page.address.Overview && o.shown != nil {
		for _, r := range o.shown.Rollouts {
			all = append(all, o.drawRollout(r))
		}
	}
	heading := "Rollouts" + o.staleWords()
	if len(o.page.address.Namespaces) > 0 {
		heading += " · all namespaces"
	}
	fold := heading
	if n := len(all); n > 0 {
		fold += " · " + strconv.Itoa(n)
	} else {
		all = []app.UI{app.P().Class("dim").Text(o.noRollouts())}
	}
	return app.Elem("section").Class("rollouts").Attr("aria-label", "Rollouts").DataSet("open", o.rollouts).Hidden(!o.page.address.Overview).Body(
		app.H2().Text(heading),
		app.Button().Class("fold").DataSet("action", ToggleRollouts).Attr("aria-expanded", o.rollouts).Text(fold),
		app.Div().Class("items").Body(all...),
	)
}

// staleWords says if the workloads may be out of date.
func (o *overview) staleWords() string {
	for _, t := range o.totals() {
		if t.Name == "workloads" && (t.Gap.State == port.Stale || t.Gap.State == port.Offline || t.Gap.State == port.Throttled) {
			return " · " + t.Gap.State
		}
	}
	return ""
}

func (o *overview) noRollouts() string {
	gaps := o.page.panel.gaps()
	switch {
	case o.shown == nil, slices.ContainsFunc(gaps, func(g words.Gap) bool { return g.Comes }):
		return "Loading…"
	case len(gaps) > 0:
		return "No rollouts found so far."
	}
	return "No rollouts found."
}

// drawRollout draws a rollout as a link, which opens the workload beside the problems.
func (o *overview) drawRollout(r port.Rollout) app.UI {
	of := detail.Ref{Resource: r.Resource, Namespace: r.Namespace, Name: r.Name}
	tone := "pending"
	if r.Ready >= r.Desired && o.staleWords() == "" {
		tone = "ok"
	}
	var lines []app.UI
	images := words.Images(r.Images)
	for _, text := range images {
		lines = append(lines, ui.Span("image", text))
	}
	key := route.SelectedOf(of)
	return app.A().Class("rollout").Attr("aria-current", key == o.page.address.Selected).DataSet("active", key == o.page.list.Mark()).Href(o.page.address.ToObject(port.Problems, key).String(o.page.base)).DataSet("action", ui.GoObject).DataSet("value", port.Problems+" "+key).Title(strings.Join(append([]string{o.page.sidebar.Served(of.Resource) + " " + of.Key()}, images...), "\n")).Body(
		app.Span().Class("name").Body(ui.Span("dim", of.Namespace+"/"), ui.Span("", of.Name)), ui.Span("dim", words.RolloutTime(r, o.page.past.Now())),
		app.Div().Body(lines...),
		app.Span().Class("status").DataSet("tone", tone).Text(words.Count(r.Ready)+"/"+words.Count(r.Desired)+" new ready"),
	)
}

// clear reports whether the cluster is known to have no problems.
func (o *overview) clear() bool {
	return o.shown != nil && o.shown.Clear && o.page.state.Source.State == port.Live
}

// drawEmpty draws what the empty list of problems says. It claims that all is well only if all of it
// has been read, and names beside it what no rule has judged.
func (o *overview) drawEmpty() []app.UI {
	var shown port.Overview
	if o.shown != nil {
		shown = *o.shown
	}
	beside := app.If(shown.Unlisted.Pods > 0, app.P().Text(words.Unlisted(shown.Unlisted, o.page.past.Now())))
	unchecked := app.If(shown.Unchecked > 0, app.P().Title(words.FirstOf(shown.UncheckedKinds, len(shown.UncheckedKinds))).Text(words.CountOf(shown.Unchecked, "custom kind")+" not checked. Add a kind to your favourites to check it."))
	if o.clear() {
		return []app.UI{app.H2().Text("No problems found"), app.P().Hidden(o.page.past.On()).Text("New ones appear here as they are found."), beside, unchecked}
	}
	lines := []app.UI{app.H2().Text("No problems found so far"), beside, unchecked}
	if gaps := o.page.panel.gaps(); len(gaps) > 0 {
		return append(lines, o.page.panel.drawMissing(gaps)...)
	}
	text := "Loading…"
	switch {
	case shown.Unserved:
		text = "The server has none of the kinds that are checked."
	case shown.Waits && o.page.state.Source.State == port.Live:
		text = "Some objects changed in the last few minutes and are still being checked."
	}
	return append(lines, app.P().Text(text))
}
