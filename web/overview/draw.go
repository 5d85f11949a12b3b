package overview

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

// noTotals stand for the totals until they are known.
var noTotals = []port.Total{{Name: "nodes", Resource: "nodes"}, {Name: "pods", Resource: route.Home}, {Name: "workloads", Resource: "deployments.apps"}, {Name: "warnings", Resource: "events"}}

// totals returns the totals to show. If nobody has been heard from for long, all of them are as old as
// the list, even if some of their own lists were heard from later.
func (o *Overview) totals() []port.Total {
	if o.shown == nil {
		return noTotals
	}
	all, silent := slices.Clone(o.shown.Totals), o.silent()
	for i := range all {
		if t := &all[i]; silent != "" && (t.Gap.State == port.Live || t.Gap.State == port.Partial || t.Gap.State == port.Unread) {
			t.Gap.State, t.At = silent, o.host.State().Source.Since
		}
	}
	return all
}

// silent returns the state of the list if that is stale because nobody is heard from; otherwise "".
func (o *Overview) silent() string {
	s := o.host.State().Source
	if s.State == port.Offline || s.State == port.Stale && s.Cause != nil && s.Cause.Reason == wire.ReasonUnreachable {
		return s.State
	}
	return ""
}

// DrawTotals draws the totals. In a frame they open the whole page, since they are too small to
// show a list.
func (o *Overview) DrawTotals() app.UI {
	a := o.host.Address()
	var all []app.UI
	if a.Overview {
		for _, t := range o.totals() {
			l := detail.Listing{Resource: t.Resource, Filter: t.Filter}
			w := words.TotalOf(t)
			if o.host.InPast() && t.Gap.State == port.Denied {
				w.Of = words.Sentence(words.NotInHistory)
			}
			if len(a.Namespaces) > 0 && t.Name != "nodes" && w.Figure != "" && t.Gap.Only == "" {
				w.Of += " in all namespaces"
			}
			title := w.Said()
			if t.Name == "pods" && t.Gap.State == port.Live && o.shown.Unlisted.Pods > 0 {
				w.Of += ", " + words.Count(o.shown.Unlisted.Pods) + " in no row"
				title = w.Said() + "\n" + words.Unlisted(o.shown.Unlisted, o.host.Now())
			}
			link := app.A().Class("total").DataSet("tone", w.Tone).Attr("aria-label", w.Said()).Title(title)
			if to := o.host.Href(a.ToListing(l)); o.host.Framed() {
				link = link.Href(o.browser.Origin() + to).Target("_blank").Rel("noopener")
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
	if o.host.Framed() && len(all) > 0 { // the list does not show
		tag = "main"
		all = append(all, app.H1().Class("unseen").Text(a.Name()+" of "+o.host.Context()))
	}
	return app.Elem(tag).Class("totals").Attr("aria-label", "Totals").Hidden(!a.Overview).Body(all...)
}

// DrawRollouts draws the last rollouts. On a narrow screen they unfold below the list.
func (o *Overview) DrawRollouts() app.UI {
	a := o.host.Address()
	var all []app.UI
	if a.Overview && o.shown != nil {
		for _, r := range o.shown.Rollouts {
			all = append(all, o.drawRollout(r))
		}
	}
	heading := "Rollouts" + o.staleWords()
	if len(a.Namespaces) > 0 {
		heading += " · all namespaces"
	}
	fold := heading
	if n := len(all); n > 0 {
		fold += " · " + strconv.Itoa(n)
	} else {
		all = []app.UI{app.P().Class("dim").Text(o.noRollouts())}
	}
	return app.Elem("section").Class("rollouts").Attr("aria-label", "Rollouts").DataSet("open", o.rollouts).Hidden(!a.Overview).Body(
		app.H2().Text(heading),
		app.Button().Class("fold").DataSet("action", toggleRollouts).Attr("aria-expanded", o.rollouts).Text(fold),
		app.Div().Class("items").Body(all...),
	)
}

// staleWords says if the workloads may be out of date.
func (o *Overview) staleWords() string {
	for _, t := range o.totals() {
		if t.Name == "workloads" && (t.Gap.State == port.Stale || t.Gap.State == port.Offline || t.Gap.State == port.Throttled) {
			return " · " + t.Gap.State
		}
	}
	return ""
}

func (o *Overview) noRollouts() string {
	gaps := o.host.Gaps()
	switch {
	case o.shown == nil, slices.ContainsFunc(gaps, func(g words.Gap) bool { return g.Comes }):
		return "Loading…"
	case len(gaps) > 0:
		return "No rollouts found so far."
	}
	return "No rollouts found."
}

// drawRollout draws a rollout as a link, which opens the workload beside the problems.
func (o *Overview) drawRollout(r port.Rollout) app.UI {
	a := o.host.Address()
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
	return app.A().Class("rollout").Attr("aria-current", key == a.Selected).DataSet("active", key == o.host.ActiveRow()).Href(o.host.Href(a.ToObject(port.Problems, key))).DataSet("action", ui.GoObject).DataSet("value", port.Problems+" "+key).Title(strings.Join(append([]string{o.host.Served(of.Resource) + " " + of.Key()}, images...), "\n")).Body(
		app.Span().Class("name").Body(ui.Span("dim", of.Namespace+"/"), ui.Span("", of.Name)), ui.Span("dim", words.RolloutTime(r, o.host.Now())),
		app.Div().Body(lines...),
		app.Span().Class("status").DataSet("tone", tone).Text(words.Count(r.Ready)+"/"+words.Count(r.Desired)+" new ready"),
	)
}

// DrawEmpty draws what the empty list of problems says. It claims that all is well only if all of it
// has been read, and names beside it what no rule has judged.
func (o *Overview) DrawEmpty() []app.UI {
	var shown port.Overview
	if o.shown != nil {
		shown = *o.shown
	}
	beside := app.If(shown.Unlisted.Pods > 0, app.P().Text(words.Unlisted(shown.Unlisted, o.host.Now())))
	unchecked := app.If(shown.Unchecked > 0, app.P().Title(words.FirstOf(shown.UncheckedKinds, len(shown.UncheckedKinds))).Text(words.CountOf(shown.Unchecked, "custom kind")+" not checked. Add a kind to your favourites to check it."))
	if o.Clear() {
		return []app.UI{app.H2().Text("No problems found"), app.P().Hidden(o.host.InPast()).Text("New ones appear here as they are found."), beside, unchecked}
	}
	lines := []app.UI{app.H2().Text("No problems found so far"), beside, unchecked}
	if gaps := o.host.Gaps(); len(gaps) > 0 {
		return append(lines, o.host.DrawMissing(gaps)...)
	}
	text := "Loading…"
	switch {
	case shown.Unserved:
		text = "The server has none of the kinds that are checked."
	case shown.Waits && o.host.State().Source.State == port.Live:
		text = "Some objects changed in the last few minutes and are still being checked."
	}
	return append(lines, app.P().Text(text))
}
